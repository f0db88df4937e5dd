// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/moved_code.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/cli/loaded_image.h"

namespace assay::cli {
namespace {

constexpr std::size_t displacement_bytes = 4;
constexpr std::size_t address_bytes = 8;

// A place by what holds it, which a move does not change: a symbol, or else a section.
struct holder {
  std::string_view name;
  std::uint64_t offset = 0;
  bool is_symbol = false;

  friend bool operator==(const holder&, const holder&) = default;
};

class image {
 public:
  explicit image(std::string_view file)
      : sections_(loaded_sections(file)), symbols_(symbols_of(file)) {
    std::sort(symbols_.begin(), symbols_.end(), [](const auto& a, const auto& b) {
      return std::tie(a.address, a.size_bytes, a.name) < std::tie(b.address, b.size_bytes, b.name);
    });
    for (const loaded_section& each : sections_)
      if (each.name == ".rela.dyn" || each.name == ".rela.plt") take_relocations(each.bytes);
  }

  const std::vector<loaded_section>& sections() const { return sections_; }
  const std::vector<image_symbol>& symbols() const { return symbols_; }

  const loaded_section* section_of(std::uint64_t address) const {
    for (const loaded_section& each : sections_)
      // Memory of threads has addresses that others have, too.
      if (each.address <= address && address - each.address < each.size_bytes &&
          (each.flags & SHF_TLS) == 0)
        return &each;
    return nullptr;
  }

  // What the file holds from there, at most to the section's end.
  std::string_view bytes_at(std::uint64_t address, std::uint64_t size) const {
    const loaded_section* section = section_of(address);
    if (section == nullptr || address - section->address > section->bytes.size()) return {};
    return section->bytes.substr(address - section->address, size);
  }

  std::optional<holder> holder_of(std::uint64_t address) const {
    auto after = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                                  [](std::uint64_t a, const auto& s) { return a < s.address; });
    // Aliases begin together; one that lies within another is rare, and then the nearest counts.
    for (int looks = 0; looks < 8 && after != symbols_.begin(); ++looks) {
      --after;
      if (address - after->address < after->size_bytes)
        return holder{after->name, address - after->address, true};
    }
    const loaded_section* section = section_of(address);
    if (section == nullptr) return std::nullopt;
    return holder{section->name, address - section->address, false};
  }

  // The relocations of [address, address + size): offset, type and symbol, addend.
  struct relocation {
    std::uint64_t offset = 0;
    std::uint64_t info = 0;
    std::uint64_t addend = 0;
  };
  std::vector<relocation> relocations(std::uint64_t address, std::uint64_t size) const {
    std::vector<relocation> found;
    for (auto at = relocations_.lower_bound(address);
         at != relocations_.end() && at->first - address < size; ++at)
      found.push_back({at->first - address, at->second.first, at->second.second});
    return found;
  }

 private:
  void take_relocations(std::string_view bytes) {
    for (std::size_t at = 0; at + sizeof(Elf64_Rela) <= bytes.size(); at += sizeof(Elf64_Rela)) {
      Elf64_Rela each;
      std::memcpy(&each, bytes.data() + at, sizeof each);
      relocations_[each.r_offset] = {each.r_info, static_cast<std::uint64_t>(each.r_addend)};
    }
  }

  std::vector<loaded_section> sections_;
  std::vector<image_symbol> symbols_;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> relocations_;
};

std::int64_t displacement_at(std::string_view bytes, std::size_t at) {
  std::int32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

class matching {
 public:
  matching(const image& one, const image& other) : one_(one), other_(other) {}

  bool holds() { return has_same_imports() && has_same_symbols() && has_same_constants(); }

 private:
  // By number and name, as the linker's stubs call them.
  bool has_same_imports() const {
    const auto bytes = [](const image& of, std::string_view name) {
      for (const loaded_section& each : of.sections())
        if (each.name == name) return each.bytes;
      return std::string_view();
    };
    return bytes(one_, ".dynstr") == bytes(other_, ".dynstr");
  }

  // Each symbol of the one has one of the other that is the same.
  bool has_same_symbols() {
    using key = std::tuple<std::string_view, std::uint64_t, bool>;
    std::map<key, std::pair<std::set<std::uint64_t>, std::set<std::uint64_t>>> by_name;
    for (const image_symbol& each : one_.symbols())
      by_name[{each.name, each.size_bytes, each.is_function}].first.insert(each.address);
    for (const image_symbol& each : other_.symbols())
      by_name[{each.name, each.size_bytes, each.is_function}].second.insert(each.address);
    if (by_name.empty()) return false;
    for (auto& each : by_name) {
      auto& [mine, theirs] = each.second;
      if (mine.size() != theirs.size()) return false;
      for (const std::uint64_t address : mine) {
        const auto same = std::find_if(theirs.begin(), theirs.end(), [&](std::uint64_t with) {
          return is_same_part(address, with, std::get<1>(each.first));
        });
        if (same == theirs.end()) return false;
        theirs.erase(same);
      }
    }
    return true;
  }

  bool is_same_part(std::uint64_t mine, std::uint64_t theirs, std::uint64_t size) {
    const std::string_view a = one_.bytes_at(mine, size);
    const std::string_view b = other_.bytes_at(theirs, size);
    if (a.size() != b.size()) return false;
    std::vector<bool> is_relocated(a.size() + address_bytes, false);
    const auto my = one_.relocations(mine, size);
    const auto their = other_.relocations(theirs, size);
    if (my.size() != their.size()) return false;
    for (std::size_t i = 0; i < my.size(); ++i) {
      if (my[i].offset != their[i].offset || my[i].info != their[i].info) return false;
      if (my[i].addend != 0 && ELF64_R_SYM(my[i].info) == 0 &&
          !is_same_place(my[i].addend, their[i].addend))
        return false;
      for (std::size_t k = 0; k < address_bytes && my[i].offset + k < is_relocated.size(); ++k)
        is_relocated[my[i].offset + k] = true;
    }
    return differs_by_displacements(mine, theirs, a, b, is_relocated);
  }

  // From one difference to the next: each must lie in four bytes that lead to the same place.
  bool differs_by_displacements(std::uint64_t mine, std::uint64_t theirs, std::string_view a,
                                std::string_view b, const std::vector<bool>& is_relocated) {
    std::size_t done = 0;  // what an earlier displacement has used
    for (std::size_t at = 0; at < a.size(); ++at) {
      if (is_relocated[at]) continue;
      if (a[at] == b[at]) {
        if (at >= done && !is_same_reference(mine, theirs, a, b, at)) return false;
        continue;
      }
      const auto start = displacement_around(mine, theirs, a, b, at, done);
      if (!start) return false;
      done = *start + displacement_bytes;
      at = done - 1;
    }
    return true;
  }

  // Bytes that are equal can lead to two places, where both programs moved what stands there.
  // Before a displacement stands the byte of a call or a jump, or one that says that it counts from
  // the instruction's end.
  bool is_same_reference(std::uint64_t mine, std::uint64_t theirs, std::string_view a,
                         std::string_view b, std::size_t at) {
    constexpr unsigned near_call = 0xe8;
    constexpr unsigned near_jump = 0xe9;
    const auto before = static_cast<unsigned char>(a[at]);
    const bool is_jump = before == near_call || before == near_jump;
    const bool counts_from_the_end = (before & 0xc7U) == 0x05;
    const std::size_t start = at + 1;
    const bool is_equal =
        a.substr(start, displacement_bytes) == b.substr(start, displacement_bytes);
    if ((!is_jump && !counts_from_the_end) || !is_equal || a.size() - at <= displacement_bytes)
      return true;
    const std::uint64_t target = target_of(mine, a, start, 0);
    const loaded_section* section = one_.section_of(target);
    if (section == nullptr) return true;
    const auto held = one_.holder_of(target);
    const bool is_code = (section->flags & SHF_EXECINSTR) != 0;
    if (is_code && !(is_jump && held && held->is_symbol && held->offset == 0)) return true;
    return leads_alike(mine, theirs, a, b, start);
  }

  static std::uint64_t target_of(std::uint64_t from, std::string_view bytes, std::size_t start,
                                 std::uint64_t behind) {
    const auto reach = static_cast<std::uint64_t>(displacement_at(bytes, start));
    return from + start + displacement_bytes + behind + reach;
  }

  // Counted from the instruction's end: behind the displacement a constant may follow.
  bool leads_alike(std::uint64_t mine, std::uint64_t theirs, std::string_view a, std::string_view b,
                   std::size_t start) {
    constexpr std::array<std::uint64_t, 4> constant_bytes{0, 1, 4, 2};
    return std::any_of(constant_bytes.begin(), constant_bytes.end(), [&](std::uint64_t behind) {
      return is_same_place(target_of(mine, a, start, behind), target_of(theirs, b, start, behind));
    });
  }

  std::optional<std::size_t> displacement_around(std::uint64_t mine, std::uint64_t theirs,
                                                 std::string_view a, std::string_view b,
                                                 std::size_t at, std::size_t done) {
    const std::size_t first = std::max(done, at >= displacement_bytes ? at - 3 : 0);
    for (std::size_t start = first; start <= at && start + displacement_bytes <= a.size(); ++start)
      if (leads_alike(mine, theirs, a, b, start)) return start;
    return std::nullopt;
  }

  enum class seen_from : std::uint8_t { the_code, a_slot };

  bool is_same_place(std::uint64_t mine, std::uint64_t theirs,
                     seen_from where = seen_from::the_code) {
    return is_same_begin(mine, theirs, where) || is_same_end(mine, theirs);
  }

  // Where a loop over an array stops: behind its last byte, whatever lies there.
  bool is_same_end(std::uint64_t mine, std::uint64_t theirs) const {
    const auto a = one_.holder_of(mine - 1);
    const auto b = other_.holder_of(theirs - 1);
    const auto is_past = [](const image& of, std::uint64_t address, const holder& last) {
      const auto next = of.holder_of(address);
      return !next || !next->is_symbol || next->name != last.name;
    };
    return a && b && a->is_symbol && *a == *b && is_past(one_, mine, *a) &&
           is_past(other_, theirs, *b);
  }

  bool is_same_begin(std::uint64_t mine, std::uint64_t theirs, seen_from where) {
    const auto a = one_.holder_of(mine);
    const auto b = other_.holder_of(theirs);
    if (!a || !b || a->is_symbol != b->is_symbol || a->name != b->name) return false;
    if (a->is_symbol) return a->offset == b->offset;
    if (a->name == ".rodata") return is_candidate(mine, theirs);
    if (a->name != ".got") return a->offset == b->offset;
    // A slot by what is put into it. One that holds the address of a slot could lead round and
    // round: no linker makes one.
    if (where == seen_from::a_slot) return false;
    const auto my = one_.relocations(mine, address_bytes);
    const auto their = other_.relocations(theirs, address_bytes);
    if (my.size() != 1 || their.size() != 1 || my[0].info != their[0].info) return false;
    // Four bytes read one to the side lead into the middle of a slot.
    if (my[0].offset != 0 || their[0].offset != 0) return false;
    return ELF64_R_SYM(my[0].info) != 0 ||
           is_same_place(my[0].addend, their[0].addend, seen_from::a_slot);
  }

  // Nameless constants: whether they are the same is seen once it is known where the next begin.
  bool is_candidate(std::uint64_t mine, std::uint64_t theirs) {
    const std::string_view a = one_.bytes_at(mine, displacement_bytes);
    const std::string_view b = other_.bytes_at(theirs, displacement_bytes);
    if (a.size() != displacement_bytes || b.size() != displacement_bytes) return false;
    if (a != b && !is_same_entry(mine, theirs, a, b)) return false;
    constants_.insert({mine, theirs});
    return true;
  }

  // An entry of a jump table counts from the table's begin.
  bool is_same_entry(std::uint64_t mine, std::uint64_t theirs, std::string_view a,
                     std::string_view b) const {
    const auto my = one_.holder_of(mine + static_cast<std::uint64_t>(displacement_at(a, 0)));
    const auto their = other_.holder_of(theirs + static_cast<std::uint64_t>(displacement_at(b, 0)));
    return my && their && my->is_symbol && *my == *their;
  }

  bool has_same_constants() const {
    std::set<std::uint64_t> my_begins;
    std::set<std::uint64_t> their_begins;
    for (const auto& each : constants_) {
      my_begins.insert(each.first);
      their_begins.insert(each.second);
    }
    const auto until_next = [](const std::set<std::uint64_t>& begins, std::uint64_t from) {
      const auto next = begins.upper_bound(from);
      return next == begins.end() ? ~std::uint64_t{0} : *next - from;
    };
    range_list mine = named_ranges(one_);
    range_list theirs = named_ranges(other_);
    for (const auto& each : constants_) {
      const std::uint64_t size =
          std::min(until_next(my_begins, each.first), until_next(their_begins, each.second));
      const std::size_t same =
          same_bytes_of(each.first, each.second, one_.bytes_at(each.first, size),
                        other_.bytes_at(each.second, size));
      if (same == 0) return false;
      mine.push_back({each.first, same});
      theirs.push_back({each.second, same});
    }
    return has_same_rest(one_, std::move(mine), other_) &&
           has_same_rest(other_, std::move(theirs), one_);
  }

  using range_list = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // address, size

  static range_list named_ranges(const image& of) {
    range_list all;
    for (const image_symbol& each : of.symbols()) all.push_back({each.address, each.size_bytes});
    return all;
  }

  // Constants that nothing was seen to lead to, or that begin before what was: at their old place,
  // or filling.
  static bool has_same_rest(const image& of, range_list held, const image& with) {
    std::sort(held.begin(), held.end());
    for (const loaded_section& each : of.sections()) {
      if (each.name != ".rodata") continue;
      std::uint64_t held_until = 0;
      auto next = held.begin();
      for (std::size_t at = 0; at < each.bytes.size(); ++at) {
        const std::uint64_t address = each.address + at;
        for (; next != held.end() && next->first <= address; ++next)
          held_until = std::max(held_until, next->first + next->second);
        if (address < held_until || each.bytes[at] == '\0') continue;
        if (with.bytes_at(address, 1) != each.bytes.substr(at, 1)) return false;
      }
    }
    return true;
  }

  // How many bytes from both begins are the same constant; 0 where none are.
  std::size_t same_bytes_of(std::uint64_t mine, std::uint64_t theirs, std::string_view a,
                            std::string_view b) const {
    const std::size_t size = std::min(a.size(), b.size());
    if (a.substr(0, size) == b.substr(0, size)) return size;
    // A text ends where it says, whatever follows. Numbers may begin with what reads as a short
    // one.
    constexpr std::size_t shortest_text = 6;
    const std::size_t end = a.find('\0');
    const auto is_text = [](char c) { return c >= ' ' || c == '\n' || c == '\t'; };
    if (end != std::string_view::npos && end >= shortest_text &&
        a.substr(0, end + 1) == b.substr(0, end + 1) &&
        std::all_of(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(end), is_text))
      return end + 1;
    return is_same_table(mine, theirs, a.substr(0, size), b.substr(0, size)) ? size : 0;
  }

  // Entry by entry; what fills up to the next constant is the same.
  bool is_same_table(std::uint64_t mine, std::uint64_t theirs, std::string_view a,
                     std::string_view b) const {
    std::size_t at = 0;
    for (; at + displacement_bytes <= a.size(); at += displacement_bytes) {
      const auto my = one_.holder_of(mine + static_cast<std::uint64_t>(displacement_at(a, at)));
      const auto their =
          other_.holder_of(theirs + static_cast<std::uint64_t>(displacement_at(b, at)));
      if (!my || !their || !my->is_symbol || !(*my == *their)) break;
    }
    return at > 0 && a.substr(at) == b.substr(at);
  }

  const image& one_;
  const image& other_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> constants_;  // nameless, mine and theirs
};

}  // namespace

bool is_moved_code(std::string_view one, std::string_view other) {
  const image mine(one);
  const image theirs(other);
  // Its libraries may differ, whatever it is itself.
  return vouches_for_what_it_loads(mine.sections()) &&
         vouches_for_what_it_loads(theirs.sections()) && matching(mine, theirs).holds();
}

}  // namespace assay::cli
