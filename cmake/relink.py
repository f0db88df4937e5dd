# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""relink.py SALT COMMAND…: runs a link or archive command so that the program is the same but for where its
code lies. Salts 1, 2 and 3 keep the order and put 16, 32 and 48 bytes that nobody calls before all code:
functions begin at multiples of 16, and of a cache line's four such places each function then lies in
every one by one link or another. From 4 on the objects, and the archives, come in an order that SALT
decides, with padding by the same turns."""
import os
import random
import subprocess
import sys

FUNCTION_ALIGNMENT_BYTES = 16
LINE_BYTES = 64


def shuffled(words, salt):
    objects = [at for at, word in enumerate(words) if word.endswith(".o")]
    # A link names its output; ar, ranlib and rm name archives, and are none.
    archives = [at for at, word in enumerate(words) if word.endswith(".a") and "-o" in words]
    out = list(words)
    for places in (objects, archives):
        for place, source in zip(places, random.Random(salt).sample(places, len(places))):
            out[place] = words[source]
    if not archives:
        return out
    # In any other order than a dependency's an archive is read once only if all are one group.
    once = list(dict.fromkeys(out[at] for at in archives))
    rest = [word for at, word in enumerate(out) if at > archives[0] and at not in archives]
    return [*out[:archives[0]], "-Wl,--start-group", *once, "-Wl,--end-group", *rest]


def padding_bytes(salt):
    return salt * FUNCTION_ALIGNMENT_BYTES % LINE_BYTES


def relinked(words, salt):
    return words if salt * FUNCTION_ALIGNMENT_BYTES < LINE_BYTES else shuffled(words, salt)


def is_program_link(words):
    return "-o" in words and "-c" not in words and any(word.endswith(".o") for word in words)


def padding_source(size_bytes):
    """Before the code of all other objects, and aligned no further than they are."""
    return (f".text\n.p2align {FUNCTION_ALIGNMENT_BYTES.bit_length() - 1}\n.fill {size_bytes}, 1, 0x90\n"
            ".section .note.GNU-stack\n")


def padded(words, padding_object):
    first = next(at for at, word in enumerate(words) if word.endswith(".o"))
    return [*words[:first], padding_object, *words[first:]]


def main(salt, words):
    command = relinked(words, salt)
    if padding_bytes(salt) and is_program_link(words):
        padding_object = words[words.index("-o") + 1] + ".padding.o"
        subprocess.run([words[0], "-c", "-x", "assembler", "-", "-o", padding_object], check=True, text=True,
                       input=padding_source(padding_bytes(salt)))
        command = padded(command, padding_object)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
