# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
# A room is a folder and a target: a/b is assay_a_b, alias assay::a_b.

# assay_batched(<target>)
# Where a build compiles in batches (ASSAY_BATCH), six files of the target are one translation unit:
# what they include, most of the time, is read once. Files of a batch share their anonymous
# namespaces: a name that two of them give is an error there.
function(assay_batched target)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD "${ASSAY_BATCH}" UNITY_BUILD_BATCH_SIZE 6)
endfunction()

# assay_room(<path> HEADERS … [SOURCES …] [PUBLIC …] [PRIVATE …])
# Lists sources, verifies that each header compiles on its own, and links only what it names: an
# include across an arrow that docs/architecture.md does not have fails in ci/lint. A header with a
# source beside it is verified by that source, which includes it first (ci/lint).
function(assay_room path)
  cmake_parse_arguments(room "" "" "HEADERS;SOURCES;PUBLIC;PRIVATE" ${ARGN})
  string(REPLACE "/" "_" flat "${path}")
  set(target "assay_${flat}")
  if(room_SOURCES)
    add_library(${target} STATIC ${room_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE assay_warnings)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library("assay::${flat}" ALIAS ${target})
  set(lone_headers ${room_HEADERS})
  foreach(source IN LISTS room_SOURCES)
    string(REGEX REPLACE "\\.cpp$" ".h" header "${source}")
    list(REMOVE_ITEM lone_headers "${header}")
  endforeach()
  target_sources(${target} ${scope}
    FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${room_HEADERS}
    FILE_SET lone_headers TYPE HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${lone_headers})
  target_link_libraries(${target} ${scope} assay_build ${room_PUBLIC})
  if(room_PRIVATE)
    target_link_libraries(${target} PRIVATE ${room_PRIVATE})
  endif()
  set_target_properties(${target} PROPERTIES
    VERIFY_INTERFACE_HEADER_SETS ON
    INTERFACE_HEADER_SETS_TO_VERIFY lone_headers)
endfunction()
