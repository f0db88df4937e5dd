// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// cuBLAS, as it is found where the program runs.
#pragma once

#include <string>

#include <cublas_v2.h>

#include "runtime/telemetry/result.h"

namespace assay::ops::cuda {

/// The calls of cuBLAS that prefill makes. Found at run time: the library is ten times as large as
/// what may travel with a program, and a machine that only decodes needs none. Loaded once a
/// process, never unloaded.
/// Errors: unavailable: no libcublas.so.13, or a function missing in it.
struct cublas_library {
  // Spelled out: the header overloads the name for C++.
  using gemm_function = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t,
                                           int, int, int, const void*, const void*, cudaDataType,
                                           int, const void*, cudaDataType, int, const void*, void*,
                                           cudaDataType, int, cublasComputeType_t,
                                           cublasGemmAlgo_t);

  decltype(&::cublasCreate_v2) create = nullptr;
  decltype(&::cublasDestroy_v2) destroy = nullptr;
  decltype(&::cublasSetStream_v2) set_stream = nullptr;
  decltype(&::cublasSetWorkspace_v2) set_workspace = nullptr;
  decltype(&::cublasSetMathMode) set_math_mode = nullptr;
  decltype(&::cublasGetVersion_v2) get_version = nullptr;
  decltype(&::cublasGetStatusString) status_string = nullptr;
  gemm_function gemm = nullptr;

  static result<const cublas_library*> load();

  /// A call's failure as an error: the call's name, cuBLAS's sentence.
  result<void> attempt(cublasStatus_t code, const char* call) const;
};

}  // namespace assay::ops::cuda
