"""Datasets of files: lines of text, records, tables, and names of files."""

from __future__ import annotations

import collections
import csv
import gzip
import zlib

import numpy as np

from penstock import dtypes
from penstock._api import public
from penstock._tensors.kinds import is_tensor_like
from penstock._tensors.spec import TensorSpec
from penstock.data import _files, _structure
from penstock.data._dataset import Dataset
from penstock.data._stage import constant, make, number, text

_TEXT = TensorSpec([], dtypes.string)
_BUFFER_BYTES = 256 * 1024


def _filenames(filenames):
    """A string tensor of names, or a dataset of them."""
    if _structure.is_dataset(filenames):
        spec = filenames.element_spec
        if not isinstance(spec, TensorSpec) or spec.dtype != dtypes.string:
            raise TypeError(
                "The `filenames` argument must contain `tf.string` elements. Got "
                f"{_structure.map_leaves(lambda leaf: leaf.dtype, spec)!r} elements."
            )
        return filenames
    if isinstance(filenames, (list, tuple)) and not filenames:
        return constant(np.array([], object), dtypes.string)
    filenames = constant(_files.as_names(filenames))
    if filenames.dtype != dtypes.string:
        raise TypeError(
            "The `filenames` argument must contain `tf.string` elements. Got "
            f"`{filenames.dtype!r}` elements."
        )
    return filenames


def _read(cls, stage, filenames, operands, num_parallel_reads):
    """The stage over the files: one after the other, or several at a time."""
    filenames = _filenames(filenames)

    def read(names):
        return make(stage, (), [names, *operands], spec=_TEXT, cls=cls)

    if num_parallel_reads is None and not _structure.is_dataset(filenames):
        return read(filenames)
    if not _structure.is_dataset(filenames):
        filenames = Dataset.from_tensor_slices(filenames)
    if num_parallel_reads is None:
        dataset = filenames.flat_map(read)
    else:
        dataset = filenames.interleave(read, num_parallel_reads, 1, num_parallel_reads)
    whole = cls._of(dataset._core, dataset._element_spec, dataset._keeps)
    whole._name = f"{cls.__name__}V2"
    return whole


def _buffer(buffer_size):
    return number(_BUFFER_BYTES if buffer_size is None else buffer_size)


class _Reader(Dataset):
    """The base of classes whose objects are datasets of files."""

    def __init__(self, *unused, **options):
        pass  # made by __new__


class _StreamReader(_Reader):
    """The base of those that need nothing but names: `_stage` reads the files."""

    def __new__(
        cls,
        filenames,
        compression_type=None,
        buffer_size=None,
        num_parallel_reads=None,
        name=None,
    ):
        operands = [text(compression_type), _buffer(buffer_size)]
        return _read(cls, cls._stage, filenames, operands, num_parallel_reads)


@public("data.TextLineDataset")
class TextLineDataset(_StreamReader):
    """The lines of text files, without their ends.

    Args:
      filenames: A name, several, or a dataset of names.
      compression_type: "", "ZLIB" or "GZIP".
      buffer_size: The bytes that are read at a time.
      num_parallel_reads: How many files are read at a time.
      name: Ignored.
    """

    _stage = "TextLine"


@public("data.TFRecordDataset")
class TFRecordDataset(_StreamReader):
    """The records of TFRecord files, as strings.

    Args:
      filenames: A name, several, or a dataset of names.
      compression_type: "", "ZLIB" or "GZIP".
      buffer_size: The bytes that are read at a time.
      num_parallel_reads: How many files are read at a time.
      name: Ignored.
    """

    _stage = "TFRecord"


@public("data.FixedLengthRecordDataset")
class FixedLengthRecordDataset(_Reader):
    """Records of the same number of bytes, as strings.

    Args:
      filenames: A name, several, or a dataset of names.
      record_bytes: The bytes of a record.
      header_bytes: The bytes before the first record of a file.
      footer_bytes: The bytes after the last one.
      buffer_size: The bytes that are read at a time.
      compression_type: "", "ZLIB" or "GZIP".
      num_parallel_reads: How many files are read at a time.
      name: Ignored.
    """

    def __new__(
        cls,
        filenames,
        record_bytes,
        header_bytes=None,
        footer_bytes=None,
        buffer_size=None,
        compression_type=None,
        num_parallel_reads=None,
        name=None,
    ):
        sizes = [record_bytes, header_bytes or 0, footer_bytes or 0]
        operands = [*map(number, sizes), _buffer(buffer_size), text(compression_type)]
        return _read(cls, "FixedLengthRecord", filenames, operands, num_parallel_reads)


def _records(record_defaults):
    """(dtype, default or None) of each column."""
    columns = []
    for each in record_defaults:
        if isinstance(each, (dtypes.DType, type)):
            columns.append((dtypes.as_dtype(each), None))
            continue
        value = constant(each)
        is_default = value.shape.num_elements() != 0
        columns.append((value.dtype, value if is_default else None))
    return columns


@public("data.experimental.CsvDataset")
class CsvDataset(_Reader):
    """The rows of tables in CSV files.

    Args:
      filenames: A name or several.
      record_defaults: For each column a dtype, or the value of empty fields in a list.
      compression_type: "", "ZLIB" or "GZIP".
      buffer_size: The bytes that are read at a time.
      header: Whether files begin with a line of names.
      field_delim: The character between fields.
      use_quote_delim: Whether quotes enclose fields.
      na_value: A text that stands for an empty field.
      select_cols: The numbers of the columns to read, in order.
      exclude_cols: Those not to read.
    """

    def __new__(
        cls,
        filenames,
        record_defaults,
        compression_type=None,
        buffer_size=None,
        header=False,
        field_delim=",",
        use_quote_delim=True,
        na_value="",
        select_cols=None,
        exclude_cols=None,
    ):
        columns = _records(record_defaults)
        spec = tuple(TensorSpec([], dtype) for dtype, _ in columns)
        defaults = [
            constant(np.zeros([0], dtype.as_numpy_dtype), dtype) if value is None else value
            for dtype, value in columns
        ]
        operands = [
            _filenames(filenames),
            text(compression_type),
            _buffer(buffer_size),
            constant(bool(header)),
            text(field_delim),
            constant(bool(use_quote_delim)),
            text(na_value),
            constant(np.array(select_cols or [], np.int64)),
            constant(np.array(exclude_cols or [], np.int64)),
            *defaults,
        ]
        return make("Csv", (), operands, spec=spec, cls=cls)


_INFERRED = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string]


def _fits(value, dtype) -> bool:
    try:
        if dtype in (dtypes.int32, dtypes.int64):
            return dtype.min <= int(value) <= dtype.max
        if dtype in (dtypes.float32, dtypes.float64):
            number = float(value)
            return dtype == dtypes.float64 or not np.isinf(np.float32(number)) or np.isinf(number)
    except (ValueError, OverflowError):
        return False
    return dtype == dtypes.string


def _inferred(rows, count, na_value):
    """The dtypes of columns, from their first rows."""
    found = [None] * count
    for row in rows:
        if len(row) != count:
            raise ValueError("Problem inferring types: CSV row has different number of fields.")
        for i, value in enumerate(row):
            if value in ("", na_value):
                continue
            while found[i] != dtypes.string and not _fits(value, found[i] or dtypes.int32):
                found[i] = _INFERRED[_INFERRED.index(found[i] or dtypes.int32) + 1]
            found[i] = found[i] or dtypes.int32
    return [dtype or dtypes.int32 for dtype in found]


class _Table:
    """What make_csv_dataset finds out about files before it reads them."""

    def __init__(self, names, delimiter, has_quotes, compression, encoding):
        self._names, self._compression, self._encoding = names, compression, encoding
        quoting = csv.QUOTE_MINIMAL if has_quotes else csv.QUOTE_NONE
        self._format = {"delimiter": delimiter, "quoting": quoting}

    def _lines(self, name):
        with open(name, "rb") as file:
            data = file.read()
        if self._compression == "GZIP":
            data = gzip.decompress(data)
        elif self._compression == "ZLIB":
            data = zlib.decompress(data)
        return data.decode(self._encoding).splitlines()

    def rows(self, name):
        return csv.reader(self._lines(name), **self._format)

    def column_names(self, has_header):
        if not has_header:
            raise ValueError("Expected `column_names` or `header` arg")
        first = next(self.rows(self._names[0]))
        for name in self._names[1:]:
            if next(self.rows(name)) != first:
                raise ValueError("All input CSV files should have the same column names in the "
                                 "header row.")  # fmt: skip
        return first

    def sample(self, has_header, count):
        taken = []
        for name in self._names:
            rows = self.rows(name)
            if has_header:
                next(rows, None)
            for row in rows:
                taken.append(row)
                if count is not None and len(taken) == count:
                    return taken
        return taken


def _selected(select_columns, names):
    if select_columns is None:
        return list(range(len(names)))
    if all(isinstance(each, str) for each in select_columns):
        missing = [each for each in select_columns if each not in names]
        if missing:
            raise ValueError(f"`select_columns` has no such columns: {missing}")
        return sorted(names.index(each) for each in select_columns)
    return sorted(select_columns)


@public("data.experimental.make_csv_dataset")
def make_csv_dataset(
    file_pattern,
    batch_size,
    column_names=None,
    column_defaults=None,
    label_name=None,
    select_columns=None,
    field_delim=",",
    use_quote_delim=True,
    na_value="",
    header=True,
    num_epochs=None,
    shuffle=True,
    shuffle_buffer_size=10000,
    shuffle_seed=None,
    prefetch_buffer_size=None,
    num_parallel_reads=None,
    sloppy=False,
    num_rows_for_inference=100,
    compression_type=None,
    ignore_errors=False,
    encoding="utf-8",
):
    """Batches of a table's rows: a dictionary of columns, and the label if there is one.

    Args:
      file_pattern: Patterns of file names.
      batch_size: The rows of a batch.
      column_names: The names of the columns; by default those of the header.
      column_defaults: For each column a dtype or a value; by default they are inferred.
      label_name: The column that is the label.
      select_columns: The names or numbers of the columns to read.
      field_delim: The character between fields.
      use_quote_delim: Whether quotes enclose fields.
      na_value: A text that stands for an empty field.
      header: Whether files begin with a line of names.
      num_epochs: How often the rows are repeated; None for ever.
      shuffle: Whether rows are shuffled.
      shuffle_buffer_size: The rows of the shuffle buffer.
      shuffle_seed: The op seed of the shuffle.
      prefetch_buffer_size: Batches computed ahead.
      num_parallel_reads: How many files are read at a time.
      sloppy: Accepted; the order is always the same.
      num_rows_for_inference: The rows that dtypes are inferred from.
      compression_type: "", "ZLIB" or "GZIP".
      ignore_errors: Whether rows that fail are left out.
      encoding: The encoding of the files.
    """
    patterns = constant(_files.as_names(file_pattern), dtypes.string)
    names = _files.matching(patterns)
    if not names:
        raise ValueError(f"No files match `file_pattern` {file_pattern}.")
    table = _Table(
        [name.decode() for name in names], field_delim, use_quote_delim, compression_type, encoding
    )
    if column_names is None:
        column_names = table.column_names(header)
    if len(column_names) != len(set(column_names)):
        raise ValueError("Cannot have duplicate column names.")
    chosen = _selected(select_columns, column_names)
    if column_defaults is None:
        rows = table.sample(header, num_rows_for_inference)
        inferred = _inferred(rows, len(column_names), na_value)
        column_defaults = [_default_of(inferred[i]) for i in chosen]
    else:
        column_defaults = [_as_default(each) for each in column_defaults]
    shown = [column_names[i] for i in chosen]
    if label_name is not None and label_name not in shown:
        raise ValueError("`label_name` provided must be one of the columns.")

    def read(name):
        dataset = CsvDataset(
            name,
            column_defaults,
            compression_type,
            header=header,
            field_delim=field_delim,
            use_quote_delim=use_quote_delim,
            na_value=na_value,
            select_cols=chosen if select_columns is not None else None,
        )
        return dataset.ignore_errors() if ignore_errors else dataset

    def row(*columns):
        features = collections.OrderedDict(zip(shown, columns, strict=True))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    files = Dataset.from_tensor_slices(constant(names, dtypes.string))
    if shuffle:
        files = files.shuffle(len(names), shuffle_seed)
    dataset = files.interleave(read, num_parallel_reads or 1, 1)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(row)
    return dataset.prefetch(-1 if prefetch_buffer_size is None else prefetch_buffer_size)


def _default_of(dtype):
    return [""] if dtype == dtypes.string else constant(np.zeros([1], dtype.as_numpy_dtype))


def _as_default(value):
    if isinstance(value, (dtypes.DType, type, list, np.ndarray)) or is_tensor_like(value):
        return value
    return [value]
