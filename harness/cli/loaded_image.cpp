// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/loaded_image.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "runtime/telemetry/fnv1a.h"

namespace assay::cli {
namespace {

// A copy: nothing in a file is aligned by promise.
template <class T>
std::optional<T> read_at(std::string_view file, std::uint64_t at) {
  if (at > file.size() || file.size() - at < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + at, sizeof value);
  return value;
}

std::optional<std::string_view> bytes_of(std::string_view file, const Elf64_Shdr& section) {
  if (section.sh_type == SHT_NOBITS) return std::string_view();
  if (section.sh_offset > file.size() || file.size() - section.sh_offset < section.sh_size)
    return std::nullopt;
  return file.substr(section.sh_offset, section.sh_size);
}

bool is_elf(const Elf64_Ehdr& head) {
  return std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
         head.e_ident[EI_DATA] == ELFDATA2LSB && head.e_shentsize == sizeof(Elf64_Shdr);
}

// Its libraries are those of the folder that it lies in: two copies may run two libraries.
bool looks_beside_itself(const std::vector<loaded_section>& sections) {
  for (const loaded_section& each : sections)
    if (each.name == ".dynstr" && (each.bytes.find("$ORIGIN") != std::string_view::npos ||
                                   each.bytes.find("${ORIGIN}") != std::string_view::npos))
      return true;
  return false;
}

// How long the name of a folder is that stands here; 0 where none does. A name that only begins so
// is another's.
std::size_t folder_at(std::string_view bytes, const std::vector<std::string>& folders) {
  for (const std::string& each : folders)
    if (bytes.starts_with(each) &&
        (bytes.size() == each.size() || bytes[each.size()] == '/' || bytes[each.size()] == '\0'))
      return each.size();
  return 0;
}

void take_named_bytes(std::string_view bytes, const std::vector<std::string>& folders,
                      telemetry::fnv1a& into) {
  while (!bytes.empty()) {
    const std::size_t slash = std::min(bytes.find('/'), bytes.size());
    into.take(bytes.substr(0, slash));
    bytes.remove_prefix(slash);
    if (bytes.empty()) return;
    const std::size_t length = std::max<std::size_t>(folder_at(bytes, folders), 1);
    into.take(length > 1 ? std::string_view("?") : bytes.substr(0, 1));
    bytes.remove_prefix(length);
  }
}

}  // namespace

std::vector<loaded_section> loaded_sections(std::string_view file) {
  const auto head = read_at<Elf64_Ehdr>(file, 0);
  if (!head || !is_elf(*head) || head->e_shoff > file.size()) return {};
  const auto names_at = read_at<Elf64_Shdr>(
      file, head->e_shoff + std::uint64_t{head->e_shstrndx} * sizeof(Elf64_Shdr));
  const auto names = names_at ? bytes_of(file, *names_at) : std::nullopt;
  if (!names) return {};
  std::vector<loaded_section> all;
  for (std::uint64_t i = 0; i < head->e_shnum; ++i) {
    const auto section = read_at<Elf64_Shdr>(file, head->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return {};
    if ((section->sh_flags & SHF_ALLOC) == 0 || section->sh_type == SHT_NOTE) continue;
    const auto bytes = bytes_of(file, *section);
    if (!bytes || section->sh_name > names->size()) return {};
    const std::string_view name = names->substr(section->sh_name);
    all.push_back({std::string(name.substr(0, name.find('\0'))), section->sh_addr,
                   section->sh_flags, section->sh_size, *bytes});
  }
  return all;
}

std::vector<image_symbol> symbols_of(std::string_view file) {
  const auto head = read_at<Elf64_Ehdr>(file, 0);
  if (!head || !is_elf(*head) || head->e_shoff > file.size()) return {};
  std::vector<image_symbol> all;
  for (std::uint64_t i = 0; i < head->e_shnum; ++i) {
    const auto table = read_at<Elf64_Shdr>(file, head->e_shoff + i * sizeof(Elf64_Shdr));
    if (!table || table->sh_type != SHT_SYMTAB) continue;
    const auto names_at = read_at<Elf64_Shdr>(
        file, head->e_shoff + std::uint64_t{table->sh_link} * sizeof(Elf64_Shdr));
    const auto names = names_at ? bytes_of(file, *names_at) : std::nullopt;
    const auto symbols = bytes_of(file, *table);
    if (!names || !symbols) return {};
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols->size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(*symbols, at);
      const unsigned type = ELF64_ST_TYPE(symbol->st_info);
      if ((type != STT_FUNC && type != STT_OBJECT) || symbol->st_size == 0 ||
          symbol->st_shndx == SHN_UNDEF || symbol->st_name > names->size())
        continue;
      const std::string_view name = names->substr(symbol->st_name);
      all.push_back(
          {name.substr(0, name.find('\0')), symbol->st_value, symbol->st_size, type == STT_FUNC});
    }
  }
  return all;
}

bool vouches_for_what_it_loads(const std::vector<loaded_section>& sections) {
  return !sections.empty() && !looks_beside_itself(sections);
}

bool is_same_image(std::string_view one, std::string_view other) {
  const auto a = loaded_sections(one);
  const auto b = one == other ? a : loaded_sections(other);
  if (!vouches_for_what_it_loads(a) || a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool is_alike = a[i].name == b[i].name && a[i].address == b[i].address &&
                          a[i].flags == b[i].flags && a[i].size_bytes == b[i].size_bytes &&
                          a[i].bytes == b[i].bytes;
    if (!is_alike) return false;
  }
  return true;
}

std::optional<std::uint64_t> loaded_digest(std::string_view file,
                                           const std::vector<std::string>& folders) {
  const auto sections = loaded_sections(file);
  if (!vouches_for_what_it_loads(sections)) return std::nullopt;
  telemetry::fnv1a digest;
  for (const loaded_section& each : sections) {
    digest.take(fmt::format("{} {} {} {}\n", each.name, each.address, each.flags, each.size_bytes));
    take_named_bytes(each.bytes, folders, digest);
  }
  return digest.value();
}

}  // namespace assay::cli
