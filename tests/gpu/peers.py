# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""peers.py FILE: how fast Hugging Face transformers decodes the shapes of decode_bench: batch 1, bf16,
greedy, random weights; eager, and with a static cache and torch.compile with CUDA graphs.

Times are from CUDA events around dependent steps; JSON to FILE after each measurement, base units.
"""
import json
import statistics
import sys

import torch
from transformers import LlamaConfig, LlamaForCausalLM, Qwen3Config, Qwen3ForCausalLM, StaticCache

STEPS = 100
SAMPLES = 3


def shapes():
    llama = dict(num_key_value_heads=8, max_position_embeddings=8192, rms_norm_eps=1e-5)
    yield "qwen3-0.6b", Qwen3ForCausalLM, Qwen3Config(
        vocab_size=151936, hidden_size=1024, intermediate_size=3072, num_hidden_layers=28,
        num_attention_heads=16, num_key_value_heads=8, head_dim=128, tie_word_embeddings=True)
    yield "llama-3.2-1b", LlamaForCausalLM, LlamaConfig(
        vocab_size=128256, hidden_size=2048, intermediate_size=8192, num_hidden_layers=16,
        num_attention_heads=32, head_dim=64, tie_word_embeddings=True, **llama)
    yield "llama-3-8b", LlamaForCausalLM, LlamaConfig(
        vocab_size=128256, hidden_size=4096, intermediate_size=14336, num_hidden_layers=32,
        num_attention_heads=32, head_dim=128, tie_word_embeddings=False, **llama)


class Decoder:
    """One token a call, each from the one before."""

    def __init__(self, model, context, compiled):
        self.model = model
        self.cache = StaticCache(config=model.config, max_cache_len=context + STEPS * (SAMPLES + 2))
        self.forward = torch.compile(model, mode="reduce-overhead", fullgraph=True) if compiled \
            else model
        prompt = torch.randint(0, 1000, (1, context), device="cuda")
        positions = torch.arange(context, device="cuda")
        logits = model(prompt, past_key_values=self.cache, cache_position=positions,
                       use_cache=True).logits
        self.token = logits[:, -1:].argmax(-1)
        self.position = torch.tensor([context], device="cuda")

    def step(self):
        logits = self.forward(self.token, past_key_values=self.cache,
                              cache_position=self.position, use_cache=True).logits
        self.token = logits[:, -1:].argmax(-1).clone()
        self.position = self.position + 1


def seconds_a_step(decoder, steps):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(steps):
        decoder.step()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1e3 / steps


def measure(name, model, compiled, context=128):
    decoder = Decoder(model, context, compiled)
    steps = STEPS if compiled else STEPS // 4
    seconds_a_step(decoder, steps)  # compiles, captures
    samples = [seconds_a_step(decoder, steps) for _ in range(SAMPLES)]
    median = statistics.median(samples)
    print(f"{name} {'compiled' if compiled else 'eager'}: {1 / median:.1f} tok/s", flush=True)
    return {"shape": name, "compiled": compiled, "context_tokens": context, "step_s": samples,
            "tokens_per_s": 1 / median}


@torch.inference_mode()
def main(path):
    rows = []
    for name, kind, config in shapes():
        torch.set_default_dtype(torch.bfloat16)
        with torch.device("cuda"):
            model = kind(config).eval()
        for compiled in (False, True):
            try:
                rows.append(measure(name, model, compiled))
            except Exception as problem:  # a peer that does not run is a row with a reason
                reason = str(problem).splitlines()[0] if str(problem) else repr(problem)
                print(f"{name} compiled={compiled}: {reason}", flush=True)
                rows.append({"shape": name, "compiled": compiled, "reason": reason})
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"torch": torch.__version__, "peers": rows}, file, indent=1)
        del model
        torch.cuda.empty_cache()
        torch._dynamo.reset()


if __name__ == "__main__":
    main(sys.argv[1])
