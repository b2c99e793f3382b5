"""The array types of this room, under the names its signatures use."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SingleArray = NDArray[np.float32]
ByteArray = NDArray[np.uint8]
