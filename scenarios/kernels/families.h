// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The functions that add rows, one an operator. Private to the room.
#pragma once

#include <cstdint>

#include "scenarios/kernels/kernel_row.h"

namespace assay::scenarios {

void add_rows_of_add(std::uint32_t cores, kernel_list& to);
void add_rows_of_gather(std::uint32_t cores, kernel_list& to);
void add_rows_of_reduce_mean(std::uint32_t cores, kernel_list& to);
void add_rows_of_matmul(std::uint32_t cores, kernel_list& to);
void add_rows_of_kv_pages(std::uint32_t cores, kernel_list& to);
void add_rows_of_sampling(std::uint32_t cores, kernel_list& to);

}  // namespace assay::scenarios
