# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""offload_peers.py FILE CHECKPOINT LIMIT_GIB…: how fast Hugging Face Accelerate decodes a checkpoint that
does not fit a limit: batch 1, greedy. `cpu_offload` keeps nothing on the GPU; `device_map="auto"` with
`max_memory` keeps what fits the limit.

Times are from the host's clock around steps that are waited for; JSON to FILE after each measurement, base
units.
"""
import json
import statistics
import sys
import time

import accelerate
import torch
import transformers
from transformers import AutoModelForCausalLM, StaticCache

STEPS = 4
PROMPT = 16


def seconds_of_steps(model, steps):
    cache = StaticCache(config=model.config, max_cache_len=512)
    token = torch.arange(100, 100 + PROMPT, device="cuda")[None]
    position = torch.arange(PROMPT, device="cuda")
    times = []
    for _ in range(steps + 2):  # the prompt, and a step that warms up
        torch.cuda.synchronize()
        begin = time.perf_counter()
        logits = model(token, past_key_values=cache, cache_position=position, use_cache=True).logits
        token = logits[:, -1:].argmax(-1).to("cuda")
        torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
        position = position[-1:] + 1
    return times[2:]


def measured(name, make):
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    begin = time.perf_counter()
    row = {"peer": name}
    try:
        model = make()
        row["load_s"] = time.perf_counter() - begin
        row["step_s"] = seconds_of_steps(model, STEPS)
        row["median_step_s"] = statistics.median(row["step_s"])
        row["peak_allocated_bytes"] = torch.cuda.max_memory_allocated()
        print(f"{name}: {1e3 * row['median_step_s']:.1f} ms/token, peak "
              f"{row['peak_allocated_bytes'] / 2**30:.2f} GiB, load {row['load_s']:.1f} s", flush=True)
        del model
    except Exception as problem:  # a peer that does not run is a row with a reason
        row["reason"] = str(problem).splitlines()[0] if str(problem) else repr(problem)
        print(f"{name}: {row['reason']}", flush=True)
    return row


@torch.inference_mode()
def main(path, checkpoint, limits):
    rows = []

    def add(name, make):
        rows.append(measured(name, make))
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"torch": torch.__version__, "accelerate": accelerate.__version__,
                       "transformers": transformers.__version__, "steps": STEPS, "peers": rows},
                      file, indent=1)

    def offloaded():
        model = AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.bfloat16)
        return accelerate.cpu_offload(model.eval(), execution_device=torch.device("cuda"))

    add("cpu_offload", offloaded)
    for limit in limits:
        add(f"device_map max_memory {limit} GiB",
            lambda limit=limit: AutoModelForCausalLM.from_pretrained(
                checkpoint, dtype=torch.bfloat16, device_map="auto",
                max_memory={0: f"{limit}GiB", "cpu": "100GiB"}).eval())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
