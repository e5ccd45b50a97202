#!/usr/bin/env python3
"""The dynamic way: each packet's fields are found by name when it is written.

Prints how many packets per second become frames, in the best of several rounds. Run by `cargo bench --bench minecraft`.
"""

from collections import OrderedDict
from io import BytesIO
from struct import Struct
from time import perf_counter

PACKETS = 20_000
ROUNDS = 15
FRAME = bytes.fromhex("220e4008000000000000400999999999999a40ce479eb851eb85439d80004670fc0001")


def fixed(layout):
    pack = Struct(">" + layout).pack
    return lambda value, out: out.write(pack(value))


def var_int(value, out):
    while value > 0x7F:
        out.write(bytes((value & 0x7F | 0x80,)))
        value >>= 7
    out.write(bytes((value,)))


class Packet:
    id = None
    fields = OrderedDict()

    def __init__(self, **values):
        for name in self.fields:
            setattr(self, name, values[name])

    def write(self, out):
        body = BytesIO()
        var_int(self.id, body)
        for name, kind in self.fields.items():
            kind(getattr(self, name), body)
        var_int(len(body.getvalue()), out)
        out.write(body.getvalue())


class PositionLook(Packet):
    id = 0x0E
    fields = OrderedDict(
        x=fixed("d"), y=fixed("d"), z=fixed("d"), yaw=fixed("f"), pitch=fixed("f"), ground=fixed("?")
    )


def frame():
    out = BytesIO()
    PositionLook(x=3.0, y=3.2, z=15503.24, yaw=315.0, pitch=15423.0, ground=True).write(out)
    return out.getvalue()


assert frame() == FRAME
best = 0
for _ in range(ROUNDS):
    start = perf_counter()
    for _ in range(PACKETS):
        frame()
    best = max(best, PACKETS / (perf_counter() - start))
print(best)
