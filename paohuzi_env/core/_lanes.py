"""The instructions of `core.lanes` for the compiler; imported in compiled runs only.

Each function here has the name of its meaning there. It is called while a kernel is compiled, with the types and the
values of the arguments, and writes LLVM instructions; what it returns is the result (None for none).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from numba.core import cgutils, types
from numba.core.cgutils import ir
from numba.extending import intrinsic

from paohuzi_env.core.tiles import KINDS

BYTE: Final = ir.IntType(8)
ROW: Final = ir.VectorType(BYTE, KINDS)
WIDEST: Final = 64
"""Bytes that a block is copied by; the compiler splits them where the processor has less."""
PIECE: Final = 256
"""Bytes that are cleared at a time. The compiler writes stores for so few; for more, or pieces that it may join (they
are volatile so that it may not), it calls the system's memset, which takes three times as long, and what is then read
from the row has to wait for it.
"""
LINE: Final = 64
"""Bytes that come from memory at a time."""
REST: Final = {
    **dict.fromkeys(("x86_64", "amd64"), ("llvm.x86.sse2.pause", [])),
    **dict.fromkeys(("aarch64", "arm64"), ("llvm.aarch64.hint", [ir.Constant(ir.IntType(32), 1)])),
}
"""The instruction of a loop that waits, by machine: none elsewhere."""


class Block:
    """The code that is being written."""

    def __init__(self, context: Any, builder: Any) -> None:
        self.context = context
        self.builder = builder

    def data(self, array: Any, value: Any) -> Any:
        """The address of an array's first entry, as bytes."""
        data = self.context.make_array(array)(self.context, self.builder, value).data
        return self.builder.bitcast(data, BYTE.as_pointer())

    def at(self, address: Any, offset: int, kind: Any) -> Any:
        """An address some bytes on, of a given kind of value."""
        there = self.builder.gep(address, [ir.Constant(ir.IntType(64), offset)])
        return self.builder.bitcast(there, kind.as_pointer())

    def load(self, address: Any, kind: Any = ROW, offset: int = 0) -> Any:
        return self.builder.load(self.at(address, offset, kind), align=1)

    def store(self, value: Any, address: Any, offset: int = 0) -> None:
        self.builder.store(value, self.at(address, offset, value.type), align=1)

    def fit(self, value: Any, width: int) -> Any:
        """A signed whole number in another width."""
        if value.type.width > width:
            return self.builder.trunc(value, ir.IntType(width))
        return self.builder.sext(value, ir.IntType(width)) if value.type.width < width else value

    def splat(self, value: Any, count: int) -> Any:
        """A vector of one value."""
        vector = ir.VectorType(value.type, count)
        one = self.builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), count), [0] * count)
        return self.builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), lanes)

    def constant(self, value: int, count: int, width: int = 8) -> Any:
        return ir.Constant(ir.VectorType(ir.IntType(width), count), [value] * count)

    def copy(self, to: Any, source: Any, size: int) -> None:
        """Copy a block of bytes that the two do not share: all is read before anything is written."""
        pieces, at, step = [], 0, WIDEST
        while at < size:
            while step > size - at:
                step //= 2
            kind = BYTE if step == 1 else ir.VectorType(BYTE, step)
            pieces.append((self.load(source, kind, at), at))
            at += step
        for piece, place in pieces:
            self.store(piece, to, place)


def copy_fields(block: Block, kinds: tuple[Any, ...], values: tuple[Any, ...]) -> None:
    to, source, first, last = kinds
    spans = []
    for record in (to, source):
        names = list(record.fields)
        names = names[names.index(first.literal_value) : names.index(last.literal_value) + 1]
        start = record.offset(names[0])
        spans.append([(name, record.typeof(name), record.offset(name) - start) for name in names])
    if spans[0] != spans[1]:
        raise TypeError(f"fields {first.literal_value} to {last.literal_value} of two records: not of one layout")
    _, kind, offset = spans[0][-1]
    size = kind.nitems * kind.size if isinstance(kind, types.NestedArray) else kind.bitwidth // 8
    blocks = [
        block.at(block.builder.bitcast(value, BYTE.as_pointer()), record.offset(first.literal_value), BYTE)
        for record, value in zip((to, source), values[:2], strict=True)
    ]
    block.copy(blocks[0], blocks[1], offset + size)


def copy_field(block: Block, kinds: tuple[Any, ...], values: tuple[Any, ...]) -> None:
    to, source = kinds
    if (to.dtype, to.shape) != (source.dtype, source.shape):
        raise TypeError(f"a field of {source} copied to one of {to}")
    block.copy(block.data(to, values[0]), block.data(source, values[1]), to.nitems * to.size)


def copy_seat(block: Block, kinds: tuple[Any, ...], values: tuple[Any, ...]) -> None:
    to, source, _ = kinds
    if (to.dtype, to.shape) != (source.dtype, source.shape[1:]):
        raise TypeError(f"a seat's part of a field of {source} copied to {to}")
    size = to.nitems * to.size
    offset = block.builder.mul(block.fit(values[2], 64), ir.Constant(ir.IntType(64), size))
    theirs = block.builder.gep(block.data(source, values[1]), [offset])
    block.copy(block.data(to, values[0]), theirs, size)


def clear(block: Block, kinds: tuple[Any, ...], values: tuple[Any, ...]) -> None:
    size = kinds[1].literal_value * KINDS
    zero, volatile = ir.Constant(BYTE, 0), ir.Constant(ir.IntType(1), 1)
    fill = block.builder.module.declare_intrinsic("llvm.memset", [BYTE.as_pointer(), ir.IntType(64)])
    for offset in range(0, size, PIECE):
        piece = ir.Constant(ir.IntType(64), min(PIECE, size - offset))
        to = block.at(block.data(kinds[0], values[0]), offset, BYTE)
        block.builder.call(fill, [to, zero, piece, volatile])


def fill_row(block: Block, kinds: tuple[Any, ...], values: tuple[Any, ...]) -> None:
    block.store(block.splat(block.fit(values[1], 8), KINDS), block.data(kinds[0], values[0]))


def copy_row(block: Block, kinds: tuple[Any, ...], values: tuple[Any, ...]) -> None:
    block.store(block.load(block.data(kinds[1], values[1])), block.data(kinds[0], values[0]))


def subtract_rows(block: Block, kinds: tuple[Any, ...], values: tuple[Any, ...]) -> None:
    to, row, other = (block.data(kind, value) for kind, value in zip(kinds, values, strict=True))
    block.store(block.builder.sub(block.load(row), block.load(other)), to)


def spread_bits(block: Block, kinds: tuple[Any, ...], values: tuple[Any, ...]) -> None:
    count = kinds[1].literal_value
    flags = block.builder.bitcast(block.fit(values[2], 32), ir.VectorType(ir.IntType(1), 32))
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), count), list(range(count)))
    flags = block.builder.shuffle_vector(flags, flags, lanes)
    block.store(block.builder.zext(flags, ir.VectorType(BYTE, count)), block.data(kinds[0], values[0]))


def put_thermometer(block: Block, kinds: tuple[Any, ...], values: tuple[Any, ...]) -> None:
    first, counts = kinds[1].literal_value, block.load(block.data(kinds[2], values[2]))
    for n in range(4):
        above = block.builder.icmp_signed(">", counts, block.constant(n, KINDS))
        block.store(block.builder.zext(above, ROW), block.data(kinds[0], values[0]), (first + n) * KINDS)


def put_equal(block: Block, kinds: tuple[Any, ...], values: tuple[Any, ...]) -> None:
    width = kinds[1].dtype.bitwidth
    row = block.load(block.data(kinds[1], values[1]), ir.VectorType(ir.IntType(width), KINDS))
    alike = block.builder.icmp_signed("==", row, block.splat(block.fit(values[2], width), KINDS))
    block.store(block.builder.zext(alike, ROW), block.data(kinds[0], values[0]))


def places_of(block: Block, kinds: tuple[Any, ...], values: tuple[Any, ...]) -> Any:
    count, width = kinds[1].literal_value, kinds[0].dtype.bitwidth
    row = block.load(block.data(kinds[0], values[0]), ir.VectorType(ir.IntType(width), count))
    alike = block.builder.icmp_signed("==", row, block.splat(block.fit(values[2], width), count))
    return block.builder.zext(block.builder.bitcast(alike, ir.IntType(count)), ir.IntType(64))


def ones(block: Block, kinds: tuple[Any, ...], values: tuple[Any, ...]) -> Any:
    return block.builder.ctpop(block.fit(values[0], 64))


def lowest(block: Block, kinds: tuple[Any, ...], values: tuple[Any, ...]) -> Any:
    return block.builder.cttz(block.fit(values[0], 64), ir.Constant(ir.IntType(1), 1))


def fetch(block: Block, kinds: tuple[Any, ...], values: tuple[Any, ...]) -> None:
    array = block.context.make_array(kinds[0])(block.context, block.builder, values[0])
    stride = cgutils.unpack_tuple(block.builder, array.strides)[0]
    entry = block.builder.gep(block.data(kinds[0], values[0]), [block.builder.mul(block.fit(values[1], 64), stride)])
    word = ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [BYTE.as_pointer(), word, word, word])
    ask = block.builder.module.declare_intrinsic("llvm.prefetch", [BYTE.as_pointer()], kind)
    for offset in range(0, kinds[2].literal_value + LINE - 1, LINE):
        options = [ir.Constant(word, option) for option in (1, 3, 1)]  # to write; into the nearest cache; data
        block.builder.call(ask, [block.at(entry, min(offset, kinds[2].literal_value - 1), BYTE), *options])


def place_of(block: Block, kind: Any, values: tuple[Any, ...]) -> Any:
    """The address of an entry of an int64 array."""
    if kind.dtype != types.int64:
        raise TypeError(f"flags of {kind}; allowed: int64")
    data = block.context.make_array(kind)(block.context, block.builder, values[0]).data
    return block.builder.gep(data, [block.fit(values[1], 64)])


def exchange(block: Block, kinds: tuple[Any, ...], values: tuple[Any, ...]) -> Any:
    place = place_of(block, kinds[0], values)
    return block.builder.atomic_rmw("xchg", place, block.fit(values[2], 64), "seq_cst")


def exchange_if(block: Block, kinds: tuple[Any, ...], values: tuple[Any, ...]) -> Any:
    place = place_of(block, kinds[0], values)
    new, expected = (block.fit(value, 64) for value in values[2:])
    return block.builder.extract_value(block.builder.cmpxchg(place, expected, new, "seq_cst", "seq_cst"), 1)


def look_again(block: Block, kinds: tuple[Any, ...], values: tuple[Any, ...]) -> Any:
    name, arguments = REST.get(block.builder.module.triple.partition("-")[0], ("", []))
    if name:
        kind = ir.FunctionType(ir.VoidType(), [argument.type for argument in arguments])
        block.builder.call(cgutils.get_or_insert_function(block.builder.module, kind, name), arguments)
    return block.builder.load_atomic(place_of(block, kinds[0], values), "seq_cst", 8)


RESULTS: Final[Mapping[Callable[..., Any], Any]] = {
    places_of: types.int64, ones: types.int64, lowest: types.int64, exchange: types.int64, exchange_if: types.boolean,
    look_again: types.int64,
}  # fmt: skip
"""What is returned; by the others, nothing."""


def as_intrinsic(function: Callable[..., Any]) -> Any:
    """What kernels call: this module's function of the same name as a Numba intrinsic."""
    write = globals()[function.__name__]
    result = RESULTS.get(write, types.void)

    def typed(*kinds: Any) -> tuple[Any, Any]:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            value = write(Block(context, builder), kinds, values)
            return context.get_dummy_value() if value is None else value

        return result(*kinds), generate

    by_arity: dict[int, Callable[..., Any]] = {  # Numba wants to know how many there are
        1: lambda typing, a: typed(a),
        2: lambda typing, a, b: typed(a, b),
        3: lambda typing, a, b, c: typed(a, b, c),
        4: lambda typing, a, b, c, d: typed(a, b, c, d),
    }
    return intrinsic(prefer_literal=True)(by_arity[function.__code__.co_argcount])
