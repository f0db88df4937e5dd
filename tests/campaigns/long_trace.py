# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""long_trace.py TRACE RECORDS OUT: the requests of a trace again and again, each time later and with
correlations of its own, until there are so many records. Its counters then contradict themselves:
it is for the speed of a reader, not for what is read."""
import array
import struct
import sys
import zlib

FILE_HEADER_BYTES, BLOCK, RECORD_WORDS = 16, struct.Struct("<IIIIQ"), 9
RECORDS, SNAPSHOT = 3, 4
SUBMISSION, ACTIVITY, WINDOW_BEGIN, CLOCK_SAMPLE = 1, 2, 4, 7
REQUEST = 2


def blocks_of(data):
    at = FILE_HEADER_BYTES
    while at < len(data):
        _, kind, size, _, _ = BLOCK.unpack_from(data, at)
        yield kind, data[at + BLOCK.size:at + BLOCK.size + size]
        at += BLOCK.size + size


def header(kind, size, sequence, payload):
    bare = BLOCK.pack(0x4b4c4241, kind, size, 0, sequence)
    crc = zlib.crc32(payload, zlib.crc32(bare))
    return BLOCK.pack(0x4b4c4241, kind, size, crc, sequence)


class Template:
    """A block with the places of its words that move in time, and of its correlations."""

    def __init__(self, kind, payload):
        self.kind, self.words = kind, array.array("q", payload)
        self.times, self.correlations = [], []
        if kind == SNAPSHOT:
            self.times.append(0)
            return
        for at in range(0, len(self.words), RECORD_WORDS):
            of = self.words[at] & 0xff
            self.times += [at + field for field in (3, 4) if self.words[at + field]]
            if of == CLOCK_SAMPLE:
                self.times.append(at + 5)
            if of in (SUBMISSION, ACTIVITY):
                self.correlations.append(at + 2)

    def records(self):
        return len(self.words) // RECORD_WORDS if self.kind == RECORDS else 0

    def moved(self, time, correlation):
        words = array.array("q", self.words)
        for at in self.times:
            words[at] += time
        for at in self.correlations:
            words[at] += correlation
        return words.tobytes()


def main(source, wanted, target):
    with open(source, "rb") as file:
        data = file.read()
    blocks = list(blocks_of(data))

    def begins_request(kind, payload):
        return kind == RECORDS and any(
            payload[at] == WINDOW_BEGIN and payload[at + 1] == REQUEST
            for at in range(0, len(payload), 8 * RECORD_WORDS))
    first = next(at for at, (kind, payload) in enumerate(blocks) if begins_request(kind, payload))
    last = max(at for at, (kind, _) in enumerate(blocks) if kind == SNAPSHOT)
    body = [Template(kind, payload) for kind, payload in blocks[first:last]
            if kind in (RECORDS, SNAPSHOT)]
    times = [each.words[at] for each in body for at in each.times]
    span, most = max(times) - min(times) + 1_000_000, 1 + max(
        each.words[at] for each in body for at in each.correlations)
    sequence, written = 0, 0
    with open(target, "wb") as out:
        out.write(data[:FILE_HEADER_BYTES])

        def put(kind, payload):
            nonlocal sequence
            out.write(header(kind, len(payload), sequence, payload))
            out.write(payload)
            sequence += 1
        for kind, payload in blocks[:first]:
            put(kind, payload)
        turn = 0
        while written < int(wanted):
            for each in body:
                put(each.kind, each.moved(turn * span, turn * most))
                written += each.records()
            turn += 1
        put(5, b"")
    print(f"{written:,} records in {sequence:,} blocks")


if __name__ == "__main__":
    main(*sys.argv[1:])
