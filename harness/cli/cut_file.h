// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A mapped file that is cut while it is read: the kernel's answer is a signal, not an error.
#pragma once

namespace assay::cli {

/// From now on a read behind the end of a mapped file ends the process with one line on stderr and
/// the exit code of input that cannot be used, instead of a bare "Bus error".
void tell_of_cut_files();

}  // namespace assay::cli
