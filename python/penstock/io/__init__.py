"""tf.io: files, serialized tensors, records."""

from penstock import _api
from penstock.io import gfile, safetensors
from penstock.io._contents import (
    matching_files,
    parse_tensor,
    read_file,
    serialize_tensor,
    write_file,
)
from penstock.io._records import TFRecordOptions, TFRecordWriter

__getattr__, __dir__ = _api.surface("io")
