"""PyTorch's random numbers of a GPU, in NumPy: who draws which words, and what becomes of them.

What the GPU's own approximations decide (normals, logarithms, tangents) is calculated exactly here, so it is near what
a GPU gives; all else is what it gives. A bfloat16 is a float32 that holds one. Results are in logical order.
"""

from __future__ import annotations

import math

import numpy as np

BLOCK = 256
DIGITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}
U32, U64, F32, F64 = np.uint32, np.uint64, np.float32, np.float64


def rounded(x: np.ndarray, dtype: str) -> np.ndarray:
    """Values of a dtype; halves come by way of float32."""
    if dtype == "bfloat16":
        bits = np.asarray(x).astype(F32).view(U32)
        return ((bits + U32(0x7FFF) + (bits >> U32(16) & U32(1))) & U32(0xFFFF0000)).view(F32)
    return np.asarray(x).astype(F32).astype(np.float16) if dtype == "float16" else np.asarray(x).astype(dtype)


def working(dtype: str) -> type:
    """What a kernel calculates in."""
    return F64 if dtype == "float64" else F32


def wide(x: np.ndarray) -> np.ndarray:
    return x.astype(F32) if x.dtype == np.float16 else x


def fused(a: np.ndarray, b: float, c: float, kind: type) -> np.ndarray:
    """a * b + c, rounded once: exactly for float32, to some 1e-17 for float64."""
    if kind is F32:
        product = a.astype(F64) * F64(b)  # exact
        total = product + F64(c)
        lost = np.where(np.abs(product) >= np.abs(F64(c)), F64(c) - (total - product), product - (total - F64(c)))
        bits = total.view(np.int64)  # rounded to odd, so that the second rounding is the only one
        odd = np.where((lost != 0) & (bits & 1 == 0), bits + np.where((lost > 0) == (total > 0), 1, -1), bits)
        return odd.view(F64).astype(F32)
    return (a.astype(np.longdouble) * np.longdouble(b) + np.longdouble(c)).astype(F64)


def philox(seed: int, threads: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Four words for each thread and group: Philox4x32-10."""
    low = U64(0xFFFFFFFF)
    threads, groups = np.broadcast_arrays(np.asarray(threads, U64), np.asarray(groups, U64))
    a, b, c, d = groups & low, groups >> U64(32), threads & low, threads >> U64(32)
    for i in range(10):
        first, second = a * U64(0xD2511F53), c * U64(0xCD9E8D57)
        key = ((seed & 0xFFFFFFFF) + i * 0x9E3779B9) % 2**32, ((seed >> 32) + i * 0xBB67AE85) % 2**32
        a, b, c, d = second >> U64(32) ^ b ^ U64(key[0]), second & low, first >> U64(32) ^ d ^ U64(key[1]), first & low
    return np.stack([a, b, c, d]).astype(U32)


def unit32(word: np.ndarray) -> np.ndarray:
    """In (0, 1]."""
    return word.astype(F32) * F32(2.0**-32) + F32(2.0**-33)


def unit53(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a.astype(U64) ^ b.astype(U64) << U64(21)).astype(F64) * 2.0**-53 + 2.0**-54


def two_normals(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    turn = F32(2.0**-32) * F32(6.2831855)
    radius = np.sqrt(F32(-2) * np.log(unit32(a).astype(F64)).astype(F32))
    angle = fused(b.astype(F32), turn, turn / F32(2), F32).astype(F64)
    return np.sin(angle).astype(F32) * radius, np.cos(angle).astype(F32) * radius


def two_wide_normals(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    radius = np.sqrt(-2 * np.log(unit53(a, b)))
    turns = (c.astype(U64) ^ d.astype(U64) << U64(21)).astype(F64) * 2.0**-52 + 2.0**-53
    angle = turns.astype(np.longdouble) * (2 * np.arcsin(np.longdouble(1)))
    return np.sin(angle).astype(F64) * radius, np.cos(angle).astype(F64) * radius


class WordStream:
    """The words of one thread, one by one."""

    def __init__(self, seed: int, offset: int, thread: int):
        self.seed, self.group, self.thread, self.left = seed, offset // 4, thread, []

    def word(self) -> int:
        if not self.left:
            self.left = philox(self.seed, self.thread, self.group).tolist()
            self.group += 1
        return self.left.pop(0)


def order_of_memory(shape: tuple, strides: tuple) -> np.ndarray:
    """The flat indices of a dense tensor's elements, or of part of one, by their place in memory."""
    places = np.zeros(shape, np.int64)
    for d, stride in enumerate(strides):
        places += np.expand_dims(np.arange(shape[d]) * stride, [i for i in range(len(shape)) if i != d])
    return np.argsort(places, axis=None, kind="stable")


class Stream:
    """A generator of a GPU with so many multiprocessors of 2048 threads."""

    def __init__(self, seed: int, multiprocessors: int, offset: int = 0):
        self.seed, self.offset, self.most_blocks = seed, offset, multiprocessors * 8

    def state(self) -> bytes:
        return self.seed.to_bytes(8, "little") + self.offset.to_bytes(8, "little")

    def reserve(self, words: int) -> int:
        begin, self.offset = self.offset, self.offset + (words + 3) // 4 * 4
        return begin

    def threads(self, n: int) -> int:
        return BLOCK * min(self.most_blocks, -(-n // BLOCK))

    def dealt(self, n: int, each: int) -> tuple[np.ndarray, np.ndarray]:
        """The words of each element's thread and turn, and which of the `each` values it takes."""
        i, threads = np.arange(n), self.threads(n)
        offset = self.reserve(4 * ((n - 1) // (threads * each) + 1))
        return philox(self.seed, i % threads, offset // 4 + i // (threads * each)), i // threads % each

    def units(self, n: int, dtype: str) -> np.ndarray:
        words, slot = self.dealt(n, 2 if dtype == "float64" else 4)
        if dtype == "float64":
            return np.where(slot == 0, unit53(words[0], words[1]), unit53(words[2], words[3]))
        return unit32(np.take_along_axis(words, slot[None], 0)[0])

    def normals(self, n: int, dtype: str) -> np.ndarray:
        words, slot = self.dealt(n, 2 if dtype == "float64" else 4)
        if dtype == "float64":
            return np.where(slot == 0, *two_wide_normals(*words))
        words = np.where(slot < 2, words[:2], words[2:])
        return np.where(slot % 2 == 0, *two_normals(*words))

    def uniform(self, n: int, low: float, high: float, dtype: str) -> np.ndarray:
        kind = working(dtype)
        low, high = rounded(F64(low), dtype), rounded(F64(high), dtype)
        width = rounded(high.astype(kind) - low.astype(kind), dtype).astype(kind)
        x = rounded(fused(self.units(n, dtype), width, low.astype(kind), kind), dtype)
        return np.where(x == high, low, x)

    def normal(self, n: int, mean: float, std: float, dtype: str) -> np.ndarray:
        kind = working(dtype)
        return rounded(fused(self.normals(n, dtype), kind(std), kind(mean), kind), dtype)

    def log_normal(self, n: int, mean: float, std: float, dtype: str) -> np.ndarray:
        kind = working(dtype)
        return rounded(np.exp(fused(self.normals(n, dtype), kind(std), kind(mean), kind)), dtype)

    def exponential(self, n: int, rate: float, dtype: str) -> np.ndarray:
        kind, least = working(dtype), 2.0**-53 if dtype == "float64" else 2.0**-24
        u = self.units(n, dtype)
        return rounded(kind(-1) / kind(rate) * np.where(u >= kind(1 - least), kind(-least), np.log(u)), dtype)

    def cauchy(self, n: int, median: float, sigma: float, dtype: str) -> np.ndarray:
        kind, u = working(dtype), self.units(n, dtype)
        if kind is F32:
            u = np.clip(u, F32(2.0**-23), F32(1) - F32(2.0**-23))
        tangent = np.tan((kind(math.pi) * (u - kind(0.5))).astype(F64)).astype(kind)
        return rounded(fused(tangent, kind(sigma), kind(median), kind), dtype)

    def geometric(self, n: int, p: float, dtype: str) -> np.ndarray:
        kind = working(dtype)
        return np.ceil(np.log(self.units(n, dtype)) / kind(np.log1p(-kind(p))))

    def bernoulli(self, n: int, p: float, dtype: str) -> np.ndarray:
        return self.units(n, dtype) < working(dtype)(p)

    def bernoulli_each(self, p: np.ndarray, dtype: str) -> np.ndarray:
        i = np.arange(p.size)
        words = philox(self.seed, i // 4, self.reserve(10) // 4)
        return unit32(np.take_along_axis(words, (i % 4)[None], 0)[0]) <= p.astype(working(dtype))

    def integers(self, n: int, low: int, values: int, wide_draw: bool) -> np.ndarray:
        """`values` of them from `low` on; 0 stands for 2 to the 64."""
        words, slot = self.dealt(n, 2 if wide_draw else 4)
        if wide_draw:
            first, second = np.where(slot == 0, words[:2], words[2:]).astype(U64)
            drawn = first << U64(32) | second
        else:
            drawn = np.take_along_axis(words, slot[None], 0)[0].astype(U64)
        return ((drawn % U64(values) if values else drawn) + U64(low % 2**64)).view(np.int64)

    def dropout(self, x: np.ndarray, p: float, dtype: str, aligned: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """Of elements that lie one after another."""
        n, kind, vector = x.size, working(dtype), {"float64": 2, "float32": 4}.get(dtype, 8) if aligned else 1
        while n % vector:
            vector //= 2
        if vector == 1:
            words, slot = self.dealt(n, 4)
        else:
            i, threads = np.arange(n), self.threads(n)
            offset = self.reserve(4 * ((n - 1) // (4 * threads) + 1))
            turn, within = i // vector // threads, i % vector
            words = philox(self.seed, i // vector % threads, offset // 4 + turn * max(vector // 4, 1) + within // 4)
            slot = within % 4
        keep = kind(1 - p)
        mask = unit32(np.take_along_axis(words, slot[None], 0)[0]) < keep
        return rounded(wide(x) * mask * kind(1 / F64(keep)), dtype), mask

    def rrelu(self, x: np.ndarray, lower: float, upper: float, dtype: str) -> np.ndarray:
        u = wide(rounded(self.units(x.size, dtype), dtype))
        slope = wide(rounded(fused(u, upper - lower, lower, F64), dtype))
        return np.where(wide(x) <= 0, rounded(wide(x) * slope, dtype), x)

    def permutation(self, n: int) -> np.ndarray:
        bits = min(64, math.ceil(math.log2(n - (6.0 * n * n + 1) / (12 * math.log(0.9)))))
        width = 32 if bits <= 32 else 64
        keys = self.integers(n, -(2 ** (width - 1)), 2**width - 1, True)
        if bits < width:
            keys &= 2**bits - 1
        out = np.argsort(keys, kind="stable")
        keys, offset = keys[out], self.reserve(n)
        begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
        for begin, end in zip(begins, [*begins[1:], n], strict=True):
            stream = WordStream(self.seed, offset, int(begin))
            for k in range(end - begin - 1, 0, -1):
                other = stream.word() % (k + 1)
                out[[begin + k, begin + other]] = out[[begin + other, begin + k]]
        return out

    def poisson(self, rates: np.ndarray) -> np.ndarray:
        """Of rates below 64."""
        offset, out = self.reserve(20), []
        for i, rate in enumerate(rates.tolist()):
            stream, product, count = WordStream(self.seed, offset, i), F32(math.exp(F32(rate))), 0
            while (product := product * unit32(np.uint32(stream.word()))) > 1:
                count += 1
            out.append(count)
        return np.array(out)
