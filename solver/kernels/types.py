"""Names of the array types of kernels, and the casts that widen a narrow load.

A cast is declared ``Any``: inside compiled code an int64 and an int are the same thing, which a
type checker cannot know.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

I32: TypeAlias = NDArray[np.int32]
I64: TypeAlias = NDArray[np.int64]
U8: TypeAlias = NDArray[np.uint8]
U16: TypeAlias = NDArray[np.uint16]
U32: TypeAlias = NDArray[np.uint32]
U64: TypeAlias = NDArray[np.uint64]

i64: Any = np.int64
u64: Any = np.uint64
u8: Any = np.uint8
