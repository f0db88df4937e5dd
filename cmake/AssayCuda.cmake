# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
# CUDA, for the cuda preset alone: the default preset needs no toolkit.

if(NOT CMAKE_CUDA_COMPILER)
  find_program(ASSAY_NVCC nvcc HINTS /usr/local/cuda/bin REQUIRED)
  set(CMAKE_CUDA_COMPILER "${ASSAY_NVCC}")
endif()
set(CMAKE_CUDA_ARCHITECTURES 90)  # H200; not native: where this is compiled there is often no GPU
# The binaries run where a driver is, with or without a toolkit.
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
enable_language(CUDA)
find_package(CUDAToolkit 13.0 REQUIRED)

# What a target with .cu files or with calls of the CUDA runtime is compiled and linked with.
# CMake 3.25 knows no CUDA standard 20 for nvcc 13: the standard is an option.
add_library(assay_cuda INTERFACE)
target_compile_options(assay_cuda INTERFACE
  $<$<COMPILE_LANGUAGE:CUDA>:--std=c++20>
  $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler -Wall,-Wextra>")
target_link_libraries(assay_cuda INTERFACE CUDA::cudart_static)
