# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Without this, a link in another order could lose an object, or be the same order, and a floor be
learned from one layout."""
import importlib.util
import os
import unittest

from small_tree import ROOT

SPEC = importlib.util.spec_from_file_location("relink", os.path.join(ROOT, "cmake/relink.py"))
relink = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(relink)

LINK = ["/usr/bin/c++", "-O2", "a.o", "b.o", "c.o", "-o", "main", "x/liba.a", "x/libb.a", "libc.a",
        "-lfmt", "x/libb.a"]


class RelinkTest(unittest.TestCase):
    def test_nothing_is_lost_and_the_order_is_another(self):
        orders = set()
        for salt in range(1, 20):
            words = relink.shuffled(LINK, salt)
            self.assertEqual(words[0], LINK[0])
            self.assertEqual(words[words.index("-o") + 1], "main")
            self.assertEqual({*LINK} | {"-Wl,--start-group", "-Wl,--end-group"}, {*words})
            self.assertEqual(sorted(w for w in words if w.endswith(".o")), ["a.o", "b.o", "c.o"])
            group = words[words.index("-Wl,--start-group") + 1:words.index("-Wl,--end-group")]
            self.assertEqual(sorted(group), ["libc.a", "x/liba.a", "x/libb.a"])
            self.assertGreater(words.index("-lfmt"), words.index("-Wl,--end-group"))
            self.assertEqual(words, relink.shuffled(LINK, salt))
            orders.add(tuple(words))
        self.assertGreater(len(orders), 5)

    def test_an_archive_keeps_its_own_name_in_its_place(self):
        words = relink.shuffled(["/usr/bin/ar", "qc", "x/liba.a", "a.o", "b.o", "c.o"], 3)
        self.assertEqual(words[:3], ["/usr/bin/ar", "qc", "x/liba.a"])
        self.assertEqual(sorted(words[3:]), ["a.o", "b.o", "c.o"])

    def test_other_commands_stay_as_they_are(self):
        for command in (["/usr/bin/cmake", "-E", "rm", "-f", "main"],
                        ["/usr/bin/cmake", "-E", "rm", "-f", "x/liba.a"],
                        ["/usr/bin/ranlib", "x/liba.a"]):
            self.assertEqual(relink.shuffled(command, 3), command)


if __name__ == "__main__":
    unittest.main()
