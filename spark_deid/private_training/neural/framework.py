"""JAX, as it is used here: one thread a process, and of a GPU only the memory that is needed."""

import os
from typing import Any, TypeAlias

from spark_deid.core.errors import UsageError

INSTALL = "pip install 'spark-deid[neural]'"
_FLAGS = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
# Read by JAX when it is loaded: several processes train side by side, each on a separate core.
os.environ.setdefault("XLA_FLAGS", _FLAGS)
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

try:
    import jax
    import jax.numpy as jnp
    from jax import lax
except ImportError as _missing:
    raise UsageError(f"networks are trained with JAX, which is not installed: {INSTALL}") from _missing

Tensor: TypeAlias = Any
"""An array of JAX, whose types are not known where it is not installed; shapes are in docstrings."""
Tensors: TypeAlias = dict[str, Tensor]

__all__ = ["INSTALL", "Tensor", "Tensors", "jax", "jnp", "lax"]
