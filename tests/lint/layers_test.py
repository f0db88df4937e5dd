# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Without this, the runtime could come to include a probe while the lint that forbids it reads an
empty table and says nothing."""
import os
import unittest

from small_tree import ROOT, LintTest

import layers
import tree

TABLE = """
| room | holds | may include |
|---|---|---|
| `harness/cli/` | main | `everything` |
| `probes/trace/` | records | `runtime/telemetry` |
| `runtime/ops/` | kernels | `runtime/device`, `runtime/telemetry` |
| `runtime/device/` | device | `runtime/telemetry/clock.h` |
| `runtime/telemetry/` | units | |
"""


class LayersTest(LintTest):
    def setUp(self):
        super().setUp()
        self.write("docs/architecture.md", TABLE)
        for header in ("probes/trace/sink.h", "runtime/ops/gemm.h", "runtime/device/device.h",
                       "runtime/telemetry/clock.h", "runtime/telemetry/catalog.h"):
            self.write(header, "#pragma once\n")

    def test_includes_along_the_arrows_are_clean(self):
        self.write("runtime/ops/gemm.cpp",
                   '#include "runtime/ops/gemm.h"\n#include "runtime/device/device.h"\n'
                   '#include "runtime/telemetry/catalog.h"\n#include <vector>\n')
        self.write("harness/cli/main.cpp", '#include "probes/trace/sink.h"\n')
        self.write("tests/ops/gemm_test.cpp", '#include "probes/trace/sink.h"\n')
        self.assert_clean(layers)

    def test_an_include_against_an_arrow_is_red(self):
        self.write("runtime/ops/gemm.cpp", '#include <vector>\n#include "probes/trace/sink.h"\n')
        self.assert_red(layers, "runtime/ops/gemm.cpp:2", "probes/trace/sink.h")

    def test_a_room_to_the_left_is_red(self):
        self.write("runtime/device/host.cpp", '#include "runtime/ops/gemm.h"\n')
        self.assert_red(layers, "runtime/device may not include")

    def test_a_header_may_be_allowed_without_its_room(self):
        self.write("runtime/device/host.cpp", '#include "runtime/telemetry/clock.h"\n')
        self.assert_clean(layers)
        self.write("runtime/device/host.cpp", '#include "runtime/telemetry/catalog.h"\n')
        self.assert_red(layers, "runtime/telemetry/catalog.h")

    def test_a_room_whose_name_only_begins_alike_is_not_that_room(self):
        self.write("runtime/telemetry_extra/x.h", "")
        self.assert_red(layers, "lies in no room")

    def test_a_folder_without_a_row_is_red(self):
        self.write("runtime/newroom/x.h", "")
        self.assert_red(layers, "runtime/newroom/x.h", "lies in no room")

    def test_a_path_that_is_not_from_the_root_is_red(self):
        self.write("runtime/ops/gemm.cpp", '#include "gemm.h"\n')
        self.assert_red(layers, "not a path from the repository root")

    def test_an_include_without_a_space_is_read(self):
        self.write("runtime/ops/gemm.cpp", '#include"probes/trace/sink.h"\n')
        self.assert_red(layers, "runtime/ops may not include")

    def test_a_header_of_ours_in_angle_brackets_is_red(self):
        self.write("runtime/device/host.cpp", "#include <runtime/telemetry/catalog.h>\n")
        self.assert_red(layers, "runtime/device/host.cpp:1", "is ours")

    def test_an_include_in_a_comment_does_not_count(self):
        self.write("runtime/ops/gemm.cpp", '/*\n#include "probes/trace/sink.h"\n*/\n')
        self.assert_clean(layers)

    def test_a_table_that_is_missing_or_unreadable_is_red(self):
        self.write("docs/architecture.md", "# nothing\n")
        self.assert_red(layers, "no row")
        os.remove(os.path.join(self.root, "docs/architecture.md"))
        self.assert_red(layers, "missing")

    def test_our_own_table_can_be_read(self):
        rooms = layers.rooms(tree.text_of(ROOT, layers.TABLE))
        self.assertGreater(len(rooms), 20)
        self.assertNotIn("runtime/telemetry", rooms["runtime/device"])
        for room in ("scenarios", "probes/host_device", "probes/sentinel", "probes/link",
                     "probes/process"):
            self.assertNotIn("runtime", rooms[room], "what is judged would share its judge's code")
            self.assertFalse(layers.is_allowed(room, "runtime/engine/engine.h", rooms), room)
            if room != "scenarios":
                self.assertFalse(
                    layers.is_allowed(room, "runtime/telemetry/registry.h", rooms), room)
        self.assertNotIn("everything", sum(
            (allowed for room, allowed in rooms.items() if room != "harness/cli"), []))


if __name__ == "__main__":
    unittest.main()
