// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Debian has no static library of fmt: its functions, kept although nothing here calls them.
#define FMT_HEADER_ONLY
#include <fmt/format.h>
