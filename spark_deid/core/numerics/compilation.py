"""The one door to numba."""

import fcntl
import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, TypeAlias, TypeVar, cast
from zlib import crc32

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils, event
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import intrinsic
from numba.np.arrayobj import make_array
from numpy.typing import NDArray

Int: TypeAlias = int | np.int64
"""A signed integer in compiled code; unsigned ones are converted first, since both together make floats."""

LOCKS = "compiling.lock"
"""The file beside compiled code of which a process holds a byte while it compiles a function."""
PATIENCE = 120.0
"""Seconds after which a process compiles for itself what another one is still at."""

_INDEX = ".nbi"
"""The suffix of the file by which numba finds what it kept of a function."""
_FOLDERS: set[str] = set()
"""Where code is kept of the functions that this process knows."""
_STALE = (AttributeError, EOFError, ImportError, UnpicklingError)
"""What reading compiled code ends with that an earlier version of the package left, whose classes had other names."""

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile a function of numbers and arrays to machine code, cached on disk beside its source.

    Of processes that need it at once, one compiles, and the others wait and read what it kept.
    """
    dispatcher: Any = njit(cache=True, nogil=True)(function)
    if dispatcher is function:  # NUMBA_DISABLE_JIT
        return function
    compile_it = dispatcher.compile
    _FOLDERS.add(dispatcher.stats.cache_path)

    def compile_in_turn(signature: Any) -> object:
        with global_compiler_lock, _turn(dispatcher.stats.cache_path, f"{function.__module__}.{function.__qualname__}"):
            try:
                return compile_it(signature)
            except _STALE:
                dispatcher._cache.flush()
                return compile_it(signature)

    dispatcher.compile = compile_in_turn
    call_it = dispatcher.get_call_template

    def call_with_any(arguments: Any, named: Any) -> object:
        # A number that a caller writes down is one of many: each would have code of its own.
        return call_it(tuple(map(_type_of, arguments)), {name: _type_of(given) for name, given in named.items()})

    dispatcher.get_call_template = call_with_any
    return cast(Function, dispatcher)


def _type_of(argument: Any) -> object:
    """Return the type of a number where numba has the number itself for one."""
    return getattr(argument, "literal_type", argument)


def inlined(function: Function) -> Function:
    """Compile a short function of numbers into every caller."""
    return cast(Function, njit(cache=True, inline="always")(function))


@contextmanager
def report_compiling(tell: Callable[[], None], *, patience: float = 1.0) -> Iterator[None]:
    """Call ``tell`` once if compiling takes more than that many seconds; reading kept code does not count."""
    with event.install_listener("numba:compile", _CompilingWatch(tell, patience)):
        yield


def kept_since(moment: float) -> bool:
    """Return whether a process of this machine has kept compiled code after a moment, in seconds since 1970.

    It checks the folders of the functions that this process knows, so that compiling by workers can be reported
    as well.
    """
    for folder in tuple(_FOLDERS):
        with suppress(OSError), os.scandir(folder) as files:
            if any(file.name.endswith(_INDEX) and file.stat().st_mtime > moment for file in files):
                return True
    return False


class _CompilingWatch(event.Listener):
    """Looks at the clock everywhere a function begins to be compiled."""

    def __init__(self, tell: Callable[[], None], patience: float) -> None:
        self._tell, self._patience = tell, patience
        self._began: float | None = None
        self._is_told = False

    def on_start(self, _: object) -> None:
        now = time.monotonic()
        self._began = now if self._began is None else self._began
        if not self._is_told and now - self._began > self._patience:
            self._is_told = True
            self._tell()

    def on_end(self, _: object) -> None:
        """Do nothing."""


@contextmanager
def _turn(folder: str, name: str) -> Iterator[None]:
    """Hold a function's byte of a folder's lock file; where that can't be had, continue without it."""
    file, place, until = _opened(folder), crc32(name.encode()), time.monotonic() + PATIENCE
    held = False
    while file is not None and not held and time.monotonic() < until:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
            held = True
        except (BlockingIOError, PermissionError):
            time.sleep(0.02)
        except OSError:
            break
    try:
        yield
    finally:
        if file is not None and held:
            fcntl.lockf(file, fcntl.LOCK_UN, 1, place)


@cache
def _opened(folder: str) -> int | None:
    """Open a folder's lock file, once in a process: a second file that is closed would end the locks of the first."""
    with suppress(OSError, TypeError):
        return os.open(Path(folder, LOCKS), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    return None


# Ask the processor to load memory that is read soon.


_FOR_READING, _KEEP_NEAR, _DATA = 0, 3, 1


def _prefetch(_: object, array: types.Array, index: types.Integer) -> tuple[Any, Callable[..., object]]:
    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: tuple[ir.Value, ...]) -> object:
        data = make_array(signature.args[0])(context, builder, arguments[0]).data  # type: ignore[no-untyped-call]
        address = builder.bitcast(builder.gep(data, [arguments[1]]), cgutils.voidptr_t)
        word = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, word, word, word])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")  # type: ignore[no-untyped-call]
        builder.call(function, [address, *(ir.Constant(word, hint) for hint in (_FOR_READING, _KEEP_NEAR, _DATA))])
        return context.get_dummy_value()

    return types.void(array, index), generate


prefetch = cast(Callable[[NDArray[Any], np.int64], None], intrinsic(_prefetch))
"""Load the cache line of a cell without waiting for it; for compiled code, and without any effect on results."""


# Several threads of one task; compiled code lets go of the interpreter's lock.


def in_threads(work: Callable[..., object], *arguments: Iterable[Any], threads: int) -> None:
    """Call ``work`` with each of the arguments in turn, several at once; what one raises is raised."""
    if threads == 1:
        for given in zip(*arguments, strict=False):
            work(*given)
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, *arguments))


def in_parts(work: Callable[[int, int], object], size: int, *, threads: int) -> None:
    """Call ``work`` from 0 to ``size`` in as many equal parts at once as there are threads."""
    bounds = [size * part // threads for part in range(threads + 1)]
    in_threads(work, bounds[:-1], bounds[1:], threads=threads)
