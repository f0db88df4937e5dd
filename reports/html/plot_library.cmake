# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
# Makes plot_library.cpp of the vendored files and of what of ours draws with them. A vendored file
# that is not what SHA256SUMS says is refused.
set(vendor "${CMAKE_CURRENT_SOURCE_DIR}/vendor")
file(STRINGS "${vendor}/SHA256SUMS" plot_sums)
foreach(line IN LISTS plot_sums)
  string(REGEX MATCH "^([0-9a-f]+)  (.+)$" matched "${line}")
  set(wanted "${CMAKE_MATCH_1}")
  set(name "${CMAKE_MATCH_2}")
  file(SHA256 "${vendor}/${name}" found)
  if(NOT matched OR NOT found STREQUAL wanted)
    message(FATAL_ERROR "reports/html/vendor/${name} is not the file that SHA256SUMS names; "
      "take it back from the repository, or see reports/html/vendor/README.md")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${vendor}/${name}")
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${vendor}/SHA256SUMS")

function(plot_library_text out name function)
  file(READ "${name}" text)
  set(${out} "std::string_view ${function}() {\n  return R\"vendor(${text})vendor\";\n}\n\n"
    PARENT_SCOPE)
endfunction()
set(ours "${CMAKE_CURRENT_SOURCE_DIR}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${ours}/chart.js" "${ours}/chart.css")
plot_library_text(plot_script "${vendor}/uPlot.iife.min.js" plot_library_script)
plot_library_text(plot_style "${vendor}/uPlot.min.css" plot_library_style)
plot_library_text(plot_license "${vendor}/LICENSE" plot_library_license)
plot_library_text(chart_script "${ours}/chart.js" chart_script)
plot_library_text(chart_style "${ours}/chart.css" chart_style)
set(plot_library_source "${CMAKE_CURRENT_BINARY_DIR}/plot_library.cpp")
file(WRITE "${plot_library_source}.new" "#include \"reports/html/plot_library.h\"\n\n"
  "namespace assay::reports {\n\n" "${plot_script}" "${plot_style}" "${plot_license}"
  "${chart_script}" "${chart_style}"  "}  // namespace assay::reports\n")
file(COPY_FILE "${plot_library_source}.new" "${plot_library_source}" ONLY_IF_DIFFERENT)
