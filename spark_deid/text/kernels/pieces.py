"""Pieces of texts in UTF-8, by their first byte and the byte behind them."""

from spark_deid.core.numerics.arrays import Int32s, Int64s, UInt8s
from spark_deid.core.numerics.compilation import compiled


@compiled
def gather_pieces(data: UInt8s, places: Int64s, offsets: Int32s, gathered: UInt8s) -> None:
    """Copy pieces one behind another: piece p to ``gathered[offsets[p]:offsets[p + 1]]``."""
    for p in range(len(places)):
        # `offsets` are the running sums of the lengths, as Arrow stores strings.
        gathered[offsets[p] : offsets[p + 1]] = data[places[p, 0] : places[p, 1]]
