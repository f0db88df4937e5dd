# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Without this, a knob could be read behind the table's back, or a typo in a counter's name become
a counter."""
import unittest

from small_tree import LintTest

import places


class PlacesTest(LintTest):
    def test_getenv_outside_the_table_of_knobs_is_red(self):
        self.write("runtime/engine/x.cpp", 'int f() {\n  return getenv("A") != nullptr;\n}\n')
        self.assert_red(places, "runtime/engine/x.cpp:2", "getenv")
        self.write("runtime/engine/x.cpp", 'auto v = std::getenv("A");\n')
        self.assert_red(places, "getenv")

    def test_getenv_in_the_table_a_test_or_a_comment_is_clean(self):
        self.write("runtime/telemetry/knobs.cpp", 'auto v = std::getenv("A");\n')
        self.write("tests/telemetry/x.cpp", 'auto v = std::getenv("A");\n')
        self.write("runtime/engine/x.cpp", '// getenv\nconst char* s = "no getenv here";\n')
        self.assert_clean(places)

    def test_cupti_outside_the_probes_is_red(self):
        self.write("probes/cupti/x.cpp", "#include <cupti.h>\n")
        self.assert_clean(places)
        self.write("runtime/device/x.cpp", "#include <cupti_activity.h>\n")
        self.assert_red(places, "runtime/device/x.cpp:1")

    def test_a_counters_name_outside_the_catalog_is_red(self):
        name = '"runtime.weights.h2d_bytes"'
        self.write("runtime/telemetry/catalog.def", f".name = {name}\n")
        self.write("tests/x_test.cpp", f"auto n = {name};\n")
        self.write("reports/x.cpp", "// " + name + '\nauto n = "runtime.weights";\n')
        self.assert_clean(places)
        self.write("reports/x.cpp", f"auto n = {name};\n")
        self.assert_red(places, "reports/x.cpp:1", "catalog.def")


if __name__ == "__main__":
    unittest.main()
