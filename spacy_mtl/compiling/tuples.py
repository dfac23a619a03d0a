"""Kernels hand each other NamedTuples by address, and read a field where it is used.

numba hands on a tuple as all numbers that it is made of. A problem has some two hundred, so most of the code of a kernel that calls others would
take tuples apart and put them together again, and most of the time of compiling would go into that.

Kernels that take addresses have :data:`MARK` in their names, by which all that call them know. The memory belongs to the caller, nobody writes to
it meanwhile, and references to arrays in it need not be counted.
"""

from collections import Counter
from typing import Any

import llvmlite.ir as llvm
from llvmlite.ir.values import ArgumentAttributes
from numba import types
from numba.core import callconv, cgutils, cpu, datamodel, imputils, ir, lowering, typed_passes

#: Part of the names of kernels that take tuples by address.
MARK = "tuplesByAddress"
#: LLVM's word for an address that the function forgets, by its version.
_NOT_KEPT = "captures(none)" if "captures(none)" in getattr(ArgumentAttributes, "_known", ()) else "nocapture"
_INTERNALS = (
    (getattr(lowering, "Lower", None), ("lower_assign", "lower_expr", "storevar", "delvar", "pre_lower")),
    (getattr(cpu, "CPUContext", None), ("declare_function", "create_cpython_wrapper", "get_arg_packer")),
    (getattr(callconv, "CPUCallConv", None), ("call_function", "decode_arguments", "decorate_function")),
    (getattr(typed_passes, "NativeLowering", None), ("lowering_class", "run_pass")),
    (getattr(datamodel, "ArgPacker", None), ("as_arguments", "from_arguments", "argument_types")),
)
#: Whether this numba has all that is changed here.
SUPPORTED = all(hasattr(owner, name) for owner, names in _INTERNALS for name in names)


def is_handed(kind: Any) -> bool:
    """Whether values of a numba type are handed on by address."""
    return isinstance(kind, types.BaseNamedTuple) and len(kind) > 0


def is_marked(name: str) -> bool:
    """Whether a function of this name takes tuples by address."""
    return MARK in name


def _stays_until_now(builder: Any, value: Any) -> bool:
    """Whether the memory that a value was read from still has it: nothing was written there since, in the same block."""
    if not isinstance(value, llvm.LoadInstr):  # type: ignore[attr-defined]
        return False
    pointer = value.operands[0]
    if isinstance(pointer, llvm.Argument):
        return True
    if not isinstance(pointer, llvm.AllocaInstr):  # type: ignore[attr-defined]
        return False
    for instruction in reversed(builder.block.instructions):
        if instruction is value:
            return True
        if isinstance(instruction, llvm.StoreInstr) and instruction.operands[1] is pointer:  # type: ignore[attr-defined]
            return False
    return False


class _ByAddress:
    """The data model of a tuple, as an argument."""

    def __init__(self, model: Any):
        self._model = model

    def get_argument_type(self) -> Any:
        return self._model.get_value_type().as_pointer()

    def as_argument(self, builder: Any, value: Any) -> Any:
        if _stays_until_now(builder, value):
            return value.operands[0]
        pointer = cgutils.alloca_once(builder, value.type)
        builder.store(value, pointer)
        return pointer

    def from_argument(self, builder: Any, pointer: Any) -> Any:
        return builder.load(pointer)


class _Models:
    """Data models by type, tuples as :class:`_ByAddress`."""

    def __init__(self, models: Any):
        self._models = models

    def lookup(self, kind: Any) -> Any:
        model = self._models.lookup(kind)
        return _ByAddress(model) if is_handed(kind) else model


class _Packer(datamodel.ArgPacker):
    """Packs the arguments of a marked function."""

    def __init__(self, models: Any, kinds: Any):
        super().__init__(_Models(models), kinds)

    def mark(self, arguments: Any) -> None:
        """Tell LLVM that nobody writes to the tuples."""
        for kind, values in zip(self._fe_args, self._unflattener.unflatten(arguments), strict=True):
            if is_handed(kind):
                values.add_attribute("noalias")
                values.add_attribute(_NOT_KEPT)


class _Calls(callconv.CPUCallConv):
    """How marked functions are declared and called."""

    def _get_arg_packer(self, argtypes: Any) -> Any:
        return _Packer(self.context.data_model_manager, argtypes)

    def decorate_function(self, fn: Any, args: Any, fe_argtypes: Any, noalias: bool = False) -> None:
        super().decorate_function(fn, args, fe_argtypes, noalias)
        self._get_arg_packer(fe_argtypes).mark(self.get_arguments(fn))


class _Declared:
    """What stands for a context where a function is declared."""

    def __init__(self, context: Any):
        self._context = context
        self.call_conv = _Calls(context)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)


def _by_mark() -> None:
    """Have numba declare, call and wrap marked functions as what they are; all others as before."""
    context: Any = cpu.CPUContext
    calls: Any = callconv.CPUCallConv
    declare, wrap = context.declare_function, context.create_cpython_wrapper
    call, decode = calls.call_function, calls.decode_arguments

    def declare_function(self: Any, module: Any, fndesc: Any) -> Any:
        return declare(_Declared(self) if is_marked(fndesc.mangled_name) else self, module, fndesc)

    def create_cpython_wrapper(self: Any, library: Any, fndesc: Any, *arguments: Any, **named: Any) -> Any:
        return wrap(_Declared(self) if is_marked(fndesc.mangled_name) else self, library, fndesc, *arguments, **named)

    def call_function(self: Any, builder: Any, callee: Any, *arguments: Any, **named: Any) -> Any:
        return call(_Calls(self.context) if is_marked(callee.name) else self, builder, callee, *arguments, **named)

    def decode_arguments(self: Any, builder: Any, argtypes: Any, func: Any) -> Any:
        return decode(_Calls(self.context) if is_marked(func.name) else self, builder, argtypes, func)

    context.declare_function, context.create_cpython_wrapper = declare_function, create_cpython_wrapper
    calls.call_function, calls.decode_arguments = call_function, decode_arguments


if SUPPORTED:
    _by_mark()


class _Lower(getattr(lowering, "Lower", object)):  # type: ignore[misc]
    """Makes code of a marked kernel: its tuples stay where the caller has them."""

    def pre_lower(self) -> None:
        super().pre_lower()
        self._assigned = Counter(
            assign.target.name for block in self.func_ir.blocks.values() for assign in block.find_insts(ir.Assign)
        )
        self._borrowed: set[str] = set()

    def lower_assign(self, ty: Any, inst: Any) -> Any:
        value, name = inst.value, inst.target.name
        if isinstance(value, ir.Arg) and is_handed(ty) and self._assigned[name] == 1:
            argument = self.fnargs[value.index]
            if argument.type == self.context.get_value_type(ty):
                self._borrowed.add(name)
                return argument
        return super().lower_assign(ty, inst)

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        if name not in self._borrowed:
            super().storevar(value, name, argidx)
            return
        self._singly_assigned_vars.discard(name)
        self.varmap[name] = value.operands[0]

    def delvar(self, name: str) -> None:
        if name not in self._borrowed:
            super().delvar(name)

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        if expr.op == "getattr" and is_handed(self.typeof(expr.value.name)):
            return self._field(resty, self.typeof(expr.value.name), expr)
        return super().lower_expr(resty, expr)

    def _field(self, resty: Any, kind: Any, expr: Any) -> Any:
        """A field of a tuple, read from where the tuple is."""
        value = self.loadvar(expr.value.name)
        index = kind.fields.index(expr.attr)
        if _stays_until_now(self.builder, value):
            field = self.builder.load(cgutils.gep_inbounds(self.builder, value.operands[0], 0, index))
        else:
            field = self.builder.extract_value(value, index)
        field = imputils.impl_ret_borrowed(self.context, self.builder, kind[index], field)
        return self.context.cast(self.builder, field, kind[index], resty)


class Lowering(getattr(typed_passes, "NativeLowering", object)):  # type: ignore[misc]
    """numba's pass that makes machine code, for a marked kernel."""

    lowering_class = _Lower


def marked(context: Any) -> Any:
    """A context in which functions are given :data:`MARK`."""

    def mangler(name: str, kinds: Any, *, abi_tags: Any = (), uid: Any = None) -> str:
        return context.mangler(name, kinds, abi_tags=(*abi_tags, MARK), uid=uid)

    return context.subtarget(mangler=mangler)


def unmarked(context: Any) -> Any:
    """The same as it was before :func:`marked`: for functions of numba's own, which other contexts call as well."""
    if "mangler" in vars(context):
        context = context.subtarget()
        del context.mangler
    return context
