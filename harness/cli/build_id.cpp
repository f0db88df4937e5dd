// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstring>

#include <fmt/format.h>

namespace assay::cli {
namespace {

std::size_t padded(std::size_t bytes) {
  return (bytes + 3) / 4 * 4;
}

// Walks the notes of one segment; `id` gets the first GNU build id.
void scan_notes(const unsigned char* at, std::size_t bytes, std::string& id) {
  while (bytes >= sizeof(ElfW(Nhdr)) && id.empty()) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const std::size_t whole = sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
    if (whole > bytes) return;
    const unsigned char* payload = at + sizeof note + padded(note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID)
      for (std::size_t i = 0; i < note.n_descsz; ++i) id += fmt::format("{:02x}", payload[i]);
    at += whole;
    bytes -= whole;
  }
}

// The first object is the program itself.
int visit(dl_phdr_info* object, std::size_t, void* out) {
  auto& id = *static_cast<std::string*>(out);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE)
      scan_notes(reinterpret_cast<const unsigned char*>(object->dlpi_addr + segment.p_vaddr),
                 segment.p_memsz, id);
  }
  return 1;
}

}  // namespace

std::string build_id() {
  std::string id;
  dl_iterate_phdr(visit, &id);
  return id.empty() ? "none: linked without --build-id" : id;
}

}  // namespace assay::cli
