# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""relink.py SALT COMMAND…: runs a link or archive command with its objects, and its archives, in an
order that SALT decides. The program is the same but for where its code lies."""
import os
import random
import sys


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


if __name__ == "__main__":
    command = shuffled(sys.argv[2:], int(sys.argv[1]))
    os.execvp(command[0], command)
