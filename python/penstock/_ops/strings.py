"""String functions that need more than one op."""

from __future__ import annotations

from penstock import _core, dtypes, raw_ops
from penstock._api import public
from penstock._ops.convert import sizes_of


@public("strings.ngrams")
def ngrams(
    data,
    ngram_width,
    separator=" ",
    pad_values=None,
    padding_width=None,
    preserve_short_sequences=False,
    name=None,
):
    """The runs of `ngram_width` neighbouring texts along the last dimension, each joined."""
    data = _core.to_tensor(data, dtypes.string)
    if data.ndim == 0:
        raise ValueError("Data must have rank>0")
    widths = ngram_width if isinstance(ngram_width, (list, tuple)) else [ngram_width]
    widths = [int(width) for width in widths]
    for width in widths:
        if width < 1:
            raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
    if pad_values is None:
        if padding_width is not None:
            raise ValueError("pad_values must be provided if padding_width is set.")
        pads, padding_width = ("", ""), 0
    else:
        pads = (pad_values, pad_values) if isinstance(pad_values, (str, bytes)) else pad_values
        if not isinstance(pads, tuple) or len(pads) != 2:
            raise TypeError("pad_values must be a string, tuple of strings, or None.")
        padding_width = -1 if padding_width is None else padding_width
    *outer, length = sizes_of(data)
    if not widths:
        return raw_ops.Fill(dims=[*outer, 0], value="", name=name)
    rows = raw_ops.Prod(input=_core.to_tensor(outer, dtypes.int32))
    # Without rows, the length for one row.
    kept = raw_ops.Maximum(x=rows, y=1)
    data = raw_ops.ConcatV2(
        values=[
            raw_ops.Reshape(tensor=data, shape=[-1]),
            raw_ops.Fill(dims=[(kept - rows) * length], value=""),
        ],
        axis=0,
    )
    result = raw_ops.StringNGrams(
        data=data,
        data_splits=raw_ops.Range(start=0, limit=kept + 1, delta=1) * length,
        separator=separator,
        ngram_widths=widths,
        left_pad=pads[0],
        right_pad=pads[1],
        pad_width=padding_width,
        preserve_short_sequences=preserve_short_sequences,
    )
    # Rows of equal length have equally many n-grams.
    count = raw_ops.FloorDiv(x=raw_ops.Size(input=result.ngrams), y=kept)
    own = result.ngrams[: rows * count]
    return raw_ops.Reshape(tensor=own, shape=[*outer, count], name=name)
