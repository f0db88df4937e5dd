// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/campaigns/llama_peer.h"

#include <dlfcn.h>

#include <cstring>
#include <vector>

namespace assay::campaigns {
namespace {

// Larger than either parameter struct of any release so far; both are returned through memory.
struct parameters {
  alignas(16) unsigned char raw[1024];

  void set(std::size_t offset, std::uint32_t value) { std::memcpy(raw + offset, &value, 4); }
};

struct batch {
  alignas(8) unsigned char raw[56];
};

void say_nothing(int, const char*, void*) {}

}  // namespace

struct llama_peer::calls {
  void (*log_set)(void (*)(int, const char*, void*), void*);
  void (*load_backends)(const char*);
  parameters (*model_defaults)();
  parameters (*context_defaults)();
  void* (*load_model)(const char*, parameters);
  void* (*make_context)(void*, parameters);
  void (*set_threads)(void*, std::int32_t, std::int32_t);
  batch (*one_batch)(std::int32_t*, std::int32_t);
  std::int32_t (*decode)(void*, batch);
  float* (*logits_of)(void*, std::int32_t);
  void* (*memory_of)(void*);
  void (*clear_memory)(void*, bool);
  const void* (*vocab_of)(const void*);
  std::int32_t (*vocab_rows)(const void*);
};

namespace {

result<void*> library(const std::filesystem::path& file) {
  if (void* opened = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL)) return opened;
  return ASSAY_FAIL(unavailable, std::string("peer: ") + dlerror());
}

template <class Function>
result<void> find(void* in, const char* name, Function& to) {
  void* found = dlsym(in, name);
  if (found == nullptr)
    return ASSAY_FAIL(unavailable, std::string("peer: the library has no ") + name +
                                       "; take the package's pinned version");
  std::memcpy(&to, &found, sizeof found);
  return {};
}

}  // namespace

result<llama_peer> llama_peer::open(const std::filesystem::path& libraries,
                                    const std::filesystem::path& gguf, std::uint32_t context_tokens,
                                    std::uint32_t threads) {
  static calls all;
  ASSAY_TRY(library(libraries / "libggml-base.so"));
  ASSAY_TRY_ASSIGN(void* const ggml, library(libraries / "libggml.v0.4.0.so"));
  ASSAY_TRY_ASSIGN(void* const llama, library(libraries / "libllama.v0.4.0.so"));
  ASSAY_TRY(find(ggml, "ggml_backend_load_all_from_path", all.load_backends));
  ASSAY_TRY(find(llama, "llama_log_set", all.log_set));
  ASSAY_TRY(find(llama, "llama_model_default_params", all.model_defaults));
  ASSAY_TRY(find(llama, "llama_context_default_params", all.context_defaults));
  ASSAY_TRY(find(llama, "llama_model_load_from_file", all.load_model));
  ASSAY_TRY(find(llama, "llama_init_from_model", all.make_context));
  ASSAY_TRY(find(llama, "llama_set_n_threads", all.set_threads));
  ASSAY_TRY(find(llama, "llama_batch_get_one", all.one_batch));
  ASSAY_TRY(find(llama, "llama_decode", all.decode));
  ASSAY_TRY(find(llama, "llama_get_logits_ith", all.logits_of));
  ASSAY_TRY(find(llama, "llama_get_memory", all.memory_of));
  ASSAY_TRY(find(llama, "llama_memory_clear", all.clear_memory));
  ASSAY_TRY(find(llama, "llama_model_get_vocab", all.vocab_of));
  ASSAY_TRY(find(llama, "llama_vocab_n_tokens", all.vocab_rows));
  all.log_set(say_nothing, nullptr);
  all.load_backends(libraries.c_str());
  void* model = all.load_model(gguf.c_str(), all.model_defaults());
  if (model == nullptr)
    return ASSAY_FAIL(unusable_input, "peer: " + gguf.string() + " does not load; write it again");
  parameters wanted = all.context_defaults();
  wanted.set(0, context_tokens);  // n_ctx, n_batch, n_ubatch
  wanted.set(4, context_tokens);
  wanted.set(8, 512);
  llama_peer peer;
  peer.calls_ = &all;
  peer.context_ = all.make_context(model, wanted);
  if (peer.context_ == nullptr)
    return ASSAY_FAIL(unusable_input, "peer: no context for " + gguf.string());
  all.set_threads(peer.context_, static_cast<std::int32_t>(threads),
                  static_cast<std::int32_t>(threads));
  peer.vocab_rows_ = static_cast<std::size_t>(all.vocab_rows(all.vocab_of(model)));
  return peer;
}

void llama_peer::clear() {
  calls_->clear_memory(calls_->memory_of(context_), true);
}

result<std::span<const float>> llama_peer::feed(std::span<const std::int32_t> ids) {
  std::vector<std::int32_t> tokens(ids.begin(), ids.end());
  const std::int32_t code = calls_->decode(
      context_, calls_->one_batch(tokens.data(), static_cast<std::int32_t>(tokens.size())));
  const float* logits = code == 0 ? calls_->logits_of(context_, -1) : nullptr;
  if (logits == nullptr)
    return ASSAY_FAIL(internal, "peer: decode returned " + std::to_string(code));
  return std::span(logits, vocab_rows_);
}

}  // namespace assay::campaigns
