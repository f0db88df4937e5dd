# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
# What every target of ours is compiled with, as interface targets: no global flags.

add_library(assay_warnings INTERFACE)
target_compile_options(assay_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wconversion -Wshadow -Werror>)

add_library(assay_build INTERFACE)
target_compile_features(assay_build INTERFACE cxx_std_20)
target_include_directories(assay_build INTERFACE "${PROJECT_SOURCE_DIR}")

if(ASSAY_SANITIZE)
  target_compile_options(assay_build INTERFACE
    -fsanitize=${ASSAY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(assay_build INTERFACE -fsanitize=${ASSAY_SANITIZE})
  target_compile_definitions(assay_build INTERFACE ASSAY_SANITIZED=1)
endif()
if(ASSAY_COVERAGE)
  target_compile_options(assay_build INTERFACE --coverage -O0)
  target_link_options(assay_build INTERFACE --coverage)
endif()
if(ASSAY_FUZZ)
  target_compile_options(assay_build INTERFACE -fsanitize=fuzzer-no-link,address,undefined)
  target_link_options(assay_build INTERFACE -fsanitize=address,undefined)
  target_compile_definitions(assay_build INTERFACE ASSAY_SANITIZED=1)
endif()

# Two links of one commit differ by nothing but where the code lies: assay compare --calibrate.
if(NOT ASSAY_LINK_SALT EQUAL 0)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK
    "${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/relink.py ${ASSAY_LINK_SALT}")
endif()

find_program(ASSAY_CCACHE ccache)
if(ASSAY_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${ASSAY_CCACHE}")
endif()
