// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/cuda/cublas_library.h"

#include <dlfcn.h>

namespace assay::ops::cuda {
namespace {

constexpr const char* library_name = "libcublas.so.13";

// The one that the process has already, PyTorch's say, before another copy.
void* open_library() {
  if (void* loaded = dlopen(library_name, RTLD_NOW | RTLD_NOLOAD)) return loaded;
  for (const char* path : {library_name, "/usr/local/cuda/lib64/libcublas.so.13",
                           "/usr/local/cuda-13.0/lib64/libcublas.so.13"})
    if (void* loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return loaded;
  return nullptr;
}

struct symbol_loader {
  void* library;
  std::string missing;

  template <class Function>
  void operator()(Function& into, const char* name) {
    into = reinterpret_cast<Function>(dlsym(library, name));
    if (into == nullptr && missing.empty()) missing = name;
  }
};

result<cublas_library> load_symbols() {
  void* handle = open_library();
  if (handle == nullptr)
    return ASSAY_FAIL(unavailable, std::string("cuBLAS: ") + library_name +
                                       " was not found; install the CUDA 13.0 toolkit, or put the "
                                       "library's folder into LD_LIBRARY_PATH");
  cublas_library found;
  symbol_loader load{handle, {}};
  load(found.create, "cublasCreate_v2");
  load(found.destroy, "cublasDestroy_v2");
  load(found.set_stream, "cublasSetStream_v2");
  load(found.set_workspace, "cublasSetWorkspace_v2");
  load(found.set_math_mode, "cublasSetMathMode");
  load(found.get_version, "cublasGetVersion_v2");
  load(found.status_string, "cublasGetStatusString");
  load(found.gemm, "cublasGemmEx");
  if (!load.missing.empty())
    return ASSAY_FAIL(unavailable, "cuBLAS: " + std::string(library_name) + " has no " +
                                       load.missing + "; install the CUDA 13.0 toolkit");
  return found;
}

}  // namespace

result<const cublas_library*> cublas_library::load() {
  static const result<cublas_library> loaded = load_symbols();
  if (!loaded) return failure(loaded.error());
  return &*loaded;
}

result<void> cublas_library::attempt(cublasStatus_t code, const char* call) const {
  if (code == CUBLAS_STATUS_SUCCESS) [[likely]]
    return {};
  const std::string sentence = std::string("cuBLAS: ") + call + ": " + status_string(code) + " (" +
                               std::to_string(static_cast<int>(code)) + ")";
  if (code == CUBLAS_STATUS_ALLOC_FAILED) return ASSAY_FAIL(out_of_memory, sentence);
  return ASSAY_FAIL(unavailable, sentence);
}

}  // namespace assay::ops::cuda
