"""A script made small enough to travel inside every figure, with the same bytes on every machine.

A live figure carries its own painter. Deflated it takes a third of the room, and every browser can inflate it. The
deflated bytes stand in stored notebooks, which are compared byte for byte, and zlib's builds choose different bytes
for the same text. So the choice is made here: zlib's format (RFC 1950 and 1951), one block, one way to find matches.
"""

import base64
import heapq
import zlib
from bisect import bisect_right
from collections import Counter, defaultdict
from functools import lru_cache
from itertools import count

SHORTEST, LONGEST, REACH, TRIES = 3, 257, 32768, 32
END = 256
CODE_ORDER = (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15)


def _classes(first, codes, plain, step):
    """The first value and the number of extra bits of every length or distance code."""
    table = []
    for code in range(codes):
        extra = max(0, (code - plain) // step)
        table.append((first, extra))
        first += 1 << extra
    return table


LENGTHS = _classes(3, 28, 4, 4)
DISTANCES = _classes(1, 30, 2, 2)


@lru_cache(maxsize=8)
def packed(script):
    """A script as base64 of its deflated text.

    Parameters
    ----------
    script : str

    Returns
    -------
    str
        ASCII text; `zlib.decompress(base64.b64decode(...))` gives the script back.

    Examples
    --------
    >>> zlib.decompress(base64.b64decode(packed("let a = 1; let b = 1;"))).decode()
    'let a = 1; let b = 1;'
    """
    return base64.b64encode(deflate(script.encode())).decode()


def deflate(data):
    """Compress bytes into zlib's format, always in the same way.

    Examples
    --------
    >>> zlib.decompress(deflate(b"abcabcabcabc"))
    b'abcabcabcabc'
    >>> deflate(b"") == deflate(b"")
    True
    """
    symbols = [*_symbols(data), (END, 0, 0, None)]
    literal_codes = _codes(Counter(symbol for symbol, *_ in symbols), 286)
    distance_codes = _codes(Counter(far[0] for *_, far in symbols if far), 30)
    bits = _Bits()
    bits.put(0b101, 3)
    bits.put(286 - 257, 5)
    bits.put(30 - 1, 5)
    bits.put(19 - 4, 4)
    lengths = [length for _, length in (*literal_codes, *distance_codes)]
    length_codes = _codes(Counter(lengths), 19, limit=7)
    for symbol in CODE_ORDER:
        bits.put(length_codes[symbol][1], 3)
    for length in lengths:
        bits.put(*length_codes[length])
    for symbol, extra, width, far in symbols:
        bits.put(*literal_codes[symbol])
        bits.put(extra, width)
        if far:
            bits.put(*distance_codes[far[0]])
            bits.put(far[1], far[2])
    return b"\x78\xda" + bits.bytes() + zlib.adler32(data).to_bytes(4, "big")


def _symbols(data):
    """Literals and matches, as (code, extra bits, their number, distance code or None)."""
    seen, at, held = defaultdict(list), 0, None
    while at < len(data):
        length, distance = held or _match(data, at, seen)
        held = None
        _remember(data, at, seen)
        if length >= SHORTEST and at + 1 < len(data):
            following = _match(data, at + 1, seen)
            if following[0] > length:
                held, length = following, 0
        if length < SHORTEST:
            yield data[at], 0, 0, None
            at += 1
            continue
        code, extra, width = _coded(LENGTHS, length)
        yield END + 1 + code, extra, width, _coded(DISTANCES, distance)
        for step in range(1, length):
            _remember(data, at + step, seen)
        at += length


def _remember(data, at, seen):
    seen[data[at : at + SHORTEST]].append(at)


def _match(data, at, seen):
    """The longest earlier run that equals what follows, as (length, distance); the nearest of equals."""
    best = (0, 0)
    limit = min(LONGEST, len(data) - at)
    if limit < SHORTEST:
        return best
    for start in reversed(seen[data[at : at + SHORTEST]][-TRIES:]):
        if at - start > REACH:
            break
        length = SHORTEST
        while length < limit and data[start + length] == data[at + length]:
            length += 1
        if length > best[0]:
            best = (length, at - start)
    return best


def _coded(table, value):
    code = bisect_right(table, (value, 99)) - 1
    return code, value - table[code][0], table[code][1]


def _codes(counts, size, limit=15):
    """A canonical Huffman code: for every symbol its bits, first bit lowest, and their number."""
    lengths = _lengths(counts, limit)
    code, table = 0, [(0, 0)] * size
    for length in range(1, limit + 1):
        code <<= 1
        for symbol in sorted(symbol for symbol, own in lengths.items() if own == length):
            table[symbol] = (int(f"{code:0{length}b}"[::-1], 2), length)
            code += 1
    return table


def _lengths(counts, limit):
    counts = counts or Counter([0])
    while True:
        order = count()
        heap = [(number, next(order), [symbol]) for symbol, number in sorted(counts.items())]
        heapq.heapify(heap)
        lengths = dict.fromkeys(counts, 1 if len(counts) == 1 else 0)
        while len(heap) > 1:
            (few, _, first), (many, _, second) = heapq.heappop(heap), heapq.heappop(heap)
            for symbol in first + second:
                lengths[symbol] += 1
            heapq.heappush(heap, (few + many, next(order), first + second))
        if max(lengths.values()) <= limit:
            return lengths
        counts = Counter({symbol: number // 2 + 1 for symbol, number in counts.items()})


class _Bits:
    """Bits in the order of the format: each byte filled from its lowest bit."""

    def __init__(self):
        self._value, self._width, self._out = 0, 0, bytearray()

    def put(self, value, width):
        self._value |= value << self._width
        self._width += width
        while self._width >= 8:
            self._out.append(self._value & 255)
            self._value >>= 8
            self._width -= 8

    def bytes(self):
        return bytes(self._out) + (bytes([self._value]) if self._width else b"")
