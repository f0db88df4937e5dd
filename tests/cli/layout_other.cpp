// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Linked before layout_program.cpp or behind it.
namespace assay::cli_test {

int other_part(int value);

int other_part(int value) {
  return value * value + 1;
}

}  // namespace assay::cli_test
