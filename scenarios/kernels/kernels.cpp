// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/kernels/kernels.h"

#include "scenarios/kernels/families.h"

namespace assay::scenarios {

kernel_list kernel_rows(std::uint32_t cores) {
  kernel_list list;
  for (const auto add : {add_rows_of_add, add_rows_of_gather, add_rows_of_reduce_mean,
                         add_rows_of_matmul, add_rows_of_kv_pages, add_rows_of_sampling})
    add(cores, list);
  return list;
}

}  // namespace assay::scenarios
