#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Writes a Qwen3 checkpoint's weights as the GGUF file that the peer of decode-speed reads.

usage: write_gguf.py CHECKPOINT OUT.gguf

Matrices stay bf16, byte for byte; gains become f32, as the format's readers want them.
"""
import json
import struct
import sys
from pathlib import Path

ALIGNMENT = 32
U32, F32, STRING, ARRAY, I32 = 4, 6, 8, 9, 5
TENSOR_F32, TENSOR_BF16 = 0, 30
NORMAL, CONTROL = 1, 3

LAYER_NAMES = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def text(value):
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def entry(key, kind, packed):
    return text(key) + struct.pack("<I", kind) + packed


def array(kind, items):
    return struct.pack("<IQ", kind, len(items)) + b"".join(items)


def gguf_name(name):
    if name == "model.embed_tokens.weight":
        return "token_embd.weight"
    if name == "model.norm.weight":
        return "output_norm.weight"
    _, _, layer, rest = name.split(".", 3)
    return f"blk.{layer}.{LAYER_NAMES[rest.removesuffix('.weight')]}.weight"


def metadata(config, tokens):
    a = "qwen3."
    numbers = {
        a + "block_count": config["num_hidden_layers"],
        a + "context_length": config["max_position_embeddings"],
        a + "embedding_length": config["hidden_size"],
        a + "feed_forward_length": config["intermediate_size"],
        a + "attention.head_count": config["num_attention_heads"],
        a + "attention.head_count_kv": config["num_key_value_heads"],
        a + "attention.key_length": config["head_dim"],
        a + "attention.value_length": config["head_dim"],
        "general.alignment": ALIGNMENT,
        "tokenizer.ggml.eos_token_id": config["eos_token_id"],
    }
    entries = [entry("general.architecture", STRING, text("qwen3")),
               entry("general.name", STRING, text("random"))]
    entries += [entry(k, U32, struct.pack("<I", v)) for k, v in numbers.items()]
    entries += [
        entry(a + "attention.layer_norm_rms_epsilon", F32, struct.pack("<f", config["rms_norm_eps"])),
        entry(a + "rope.freq_base", F32, struct.pack("<f", config["rope_parameters"]["rope_theta"])),
        entry("tokenizer.ggml.model", STRING, text("gpt2")),
        entry("tokenizer.ggml.pre", STRING, text("qwen2")),
        entry("tokenizer.ggml.tokens", ARRAY, array(STRING, [text(t) for t in tokens])),
        entry("tokenizer.ggml.token_type", ARRAY, array(I32, [
            struct.pack("<i", CONTROL if i == config["eos_token_id"] else NORMAL)
            for i in range(len(tokens))])),
        # A reader wants at least one merge; this one makes a token that nothing is compared by.
        entry("tokenizer.ggml.merges", ARRAY, array(STRING, [text("t o")])),
    ]
    return entries


def tokens_of(folder, rows):
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokens = [""] * rows
    for token, index in tokenizer["model"]["vocab"].items():
        tokens[index] = token
    for added in tokenizer["added_tokens"]:
        tokens[added["id"]] = added["content"]
    return tokens


def widened(raw):
    values = struct.unpack(f"<{len(raw) // 2}H", raw)
    return struct.pack(f"<{len(values)}I", *(v << 16 for v in values))


def main(folder, out):
    config = json.loads((folder / "config.json").read_text())
    if not config["tie_word_embeddings"]:
        sys.exit(f"{folder}: the head is not tied; this writer knows tied heads alone")
    with (folder / "model.safetensors").open("rb") as weights, out.open("wb") as to:
        (length,) = struct.unpack("<Q", weights.read(8))
        header = json.loads(weights.read(length))
        header.pop("__metadata__", None)
        payload = 8 + length
        infos, at = [], 0
        for name, info in header.items():
            is_gain = len(info["shape"]) == 1
            begin, end = info["data_offsets"]
            size = (end - begin) * (2 if is_gain else 1)
            infos.append((name, info, is_gain, at))
            at += -(-size // ALIGNMENT) * ALIGNMENT
        entries = metadata(config, tokens_of(folder, config["vocab_size"]))
        to.write(b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(entries)) + b"".join(entries))
        for name, info, is_gain, offset in infos:
            shape = info["shape"][::-1]
            to.write(text(gguf_name(name)) + struct.pack("<I", len(shape)))
            to.write(struct.pack(f"<{len(shape)}Q", *shape))
            to.write(struct.pack("<IQ", TENSOR_F32 if is_gain else TENSOR_BF16, offset))
        to.write(b"\0" * (-to.tell() % ALIGNMENT))
        data = to.tell()
        for name, info, is_gain, offset in infos:
            to.write(b"\0" * (data + offset - to.tell()))
            begin, end = info["data_offsets"]
            weights.seek(payload + begin)
            if is_gain:
                to.write(widened(weights.read(end - begin)))
                continue
            for left in range(end - begin, 0, -(1 << 24)):
                to.write(weights.read(min(left, 1 << 24)))
        to.write(b"\0" * (-(to.tell() - data) % ALIGNMENT))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
