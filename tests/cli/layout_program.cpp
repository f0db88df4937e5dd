// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A benchmark program of one row whose time depends on nothing but the order in which it was
// linked: how a move of the code looks, without the noise.
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>

#ifndef ASSAY_LAYOUT_NS
#define ASSAY_LAYOUT_NS 1000
#endif

namespace assay::cli_test {

int other_part(int value);

__attribute__((noinline)) int own_part(int value) {
  switch (value % 7) {  // a jump table, or as good as one
    case 0:
      return other_part(value + 1);
    case 1:
      return value * 3;
    case 2:
      return value - 11;
    case 3:
      return value ^ 5;
    case 4:
      return other_part(value - 2);
    default:
      return value + 7;
  }
}

std::int64_t ns_of_a_slice() {
  int (*volatile own)(int) = own_part;
  int (*volatile other)(int) = other_part;
  const auto own_at = reinterpret_cast<std::uintptr_t>(own);
  const auto other_at = reinterpret_cast<std::uintptr_t>(other);
  return own_at < other_at ? ASSAY_LAYOUT_NS : ASSAY_LAYOUT_NS * 13 / 10;
}

}  // namespace assay::cli_test

int main(int argc, char** argv) {
  std::string words;
  for (int i = 1; i < argc; ++i) words += std::string(argv[i]) + ' ';
  if (words.find("assay_worker_protocol") != std::string::npos) {
    std::cout << "assay worker 1\n";
  } else if (words.find("list_tests") != std::string::npos) {
    std::cout << "layout/row\n";
  } else {
    std::cout << "ready" << std::endl;
    for (std::string line; std::getline(std::cin, line);)
      std::cout << "slice 100 " << assay::cli_test::ns_of_a_slice() * 100 << std::endl;
  }
  return assay::cli_test::own_part(argc) == -1;
}
