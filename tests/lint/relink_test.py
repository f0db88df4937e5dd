# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Without this, a link in another order could lose an object, or be the same order, and a floor be
learned from one layout."""
import importlib.util
import os
import subprocess
import sys
import tempfile
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

    def test_the_first_three_salts_move_all_code_to_the_other_places_of_a_line(self):
        self.assertEqual(sorted(map(relink.padding_bytes, (1, 2, 3))), [16, 32, 48])
        for salt in (1, 2, 3):
            self.assertEqual(relink.relinked(LINK, salt), LINK)
        self.assertNotEqual(relink.relinked(LINK, 4), LINK)
        self.assertEqual(relink.padded(LINK, "p.o"), [*LINK[:2], "p.o", *LINK[2:]])
        self.assertTrue(relink.is_program_link(LINK))
        for command in (["/usr/bin/ar", "qc", "x/liba.a", "a.o"], ["/usr/bin/ranlib", "x/liba.a"],
                        ["/usr/bin/c++", "-c", "a.cpp", "-o", "a.o"]):
            self.assertFalse(relink.is_program_link(command))

    def test_a_padded_link_is_the_same_program_16_bytes_on(self):
        with tempfile.TemporaryDirectory() as room:
            with open(f"{room}/a.c", "w", encoding="utf-8") as file:
                file.write("__attribute__((noinline)) int first(void) { return 3; }\nint main(void) { return first(); }\n")
            subprocess.run(["cc", "-O2", "-c", "a.c", "-o", "a.o"], cwd=room, check=True)
            places = []
            for salt in (0, 1, 3):
                subprocess.run([sys.executable, "-B", SPEC.origin, str(salt), "cc", "a.o", "-o", "main"],
                               cwd=room, check=True)
                names = subprocess.run(["nm", "main"], cwd=room, check=True, capture_output=True, text=True)
                places.append(next(int(line.split()[0], 16) for line in names.stdout.splitlines()
                                   if line.endswith(" first")))
                self.assertEqual(subprocess.run([f"{room}/main"], check=False).returncode, 3)
            self.assertEqual([(place - places[0]) % 64 for place in places], [0, 16, 48])

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
