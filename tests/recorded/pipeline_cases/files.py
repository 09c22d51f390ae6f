"""Elements from files, and files made of elements."""

import gzip
import os
import zlib

import tensorflow as tf

D = tf.data.Dataset
E = tf.data.experimental


def write(path, content, compression=""):
    """A file, its name."""
    data = content if isinstance(content, bytes) else content.encode()
    pack = {"": lambda x: x, "GZIP": gzip.compress, "ZLIB": zlib.compress}[compression]
    with open(path, "wb") as file:
        file.write(pack(data))
    return path


def lines(*contents, compression=""):
    """Text files, their names."""
    return [write(f"{i}.txt", each, compression) for i, each in enumerate(contents)]


def records(count=3, files=1, compression=None):
    """TFRecord files of `count` records each, their names."""
    paths = [f"{i}.tfrecord" for i in range(files)]
    for path in paths:
        with tf.io.TFRecordWriter(path, compression) as writer:
            for number in range(count):
                writer.write(f"{path[0]}:{number}".encode())
    return paths


def empty(*names):
    """Empty files in the current folder."""
    for name in names:
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        write(name, "")


def listed(*names, seed=None, **options):
    """The names that list_files finds, which are in the current folder."""
    empty(*names)
    if seed is not None:
        tf.random.set_seed(seed)
    return D.list_files(**options)


def csv(content, defaults, **options):
    return E.CsvDataset(write("a.csv", content), defaults, **options)


def made_csv(content, batch_size=2, **options):
    options = {"shuffle": False, "num_epochs": 1, **options}
    return E.make_csv_dataset(write("a.csv", content), batch_size, **options)


def saved(dataset, **options):
    """A dataset that is saved, and read again."""
    dataset.save("saved", **options)
    return D.load("saved")


def snapshot_twice():
    """The second run reads what the first one wrote."""
    asked = []

    def source():
        for i in range(3):
            asked.append(i)
            yield i

    signature = tf.TensorSpec([], tf.int32)
    build = lambda: D.from_generator(source, output_signature=signature).snapshot("kept")
    found = [[int(x) for x in build()] for _ in range(2)]
    return found, asked


def written_records():
    """A dataset written as TFRecords."""
    E.TFRecordWriter("out.tfrecord").write(D.from_tensor_slices(["a", "bc", ""]))
    return tf.data.TFRecordDataset("out.tfrecord")


def examples():
    """Records of examples, parsed."""
    feature = tf.train.Feature
    with tf.io.TFRecordWriter("examples") as writer:
        for number in range(3):
            writer.write(tf.train.Example(features=tf.train.Features(feature={
                "n": feature(int64_list=tf.train.Int64List(value=[number])),
                "x": feature(float_list=tf.train.FloatList(value=[0.5, number])),
                "s": feature(bytes_list=tf.train.BytesList(value=[b"a" * number])),
            })).SerializeToString())  # fmt: skip
    known = {
        "n": tf.io.FixedLenFeature([], tf.int64),
        "x": tf.io.FixedLenFeature([2], tf.float32),
        "s": tf.io.FixedLenFeature([], tf.string),
    }
    return tf.data.TFRecordDataset("examples").map(lambda r: tf.io.parse_single_example(r, known))


def damaged(change):
    """Three records, of which a byte or more is other than it was."""
    path = records(3)[0]
    data = bytearray(open(path, "rb").read())
    change(data)
    write(path, bytes(data))
    return tf.data.TFRecordDataset(path)


def other(data, at):
    data[at] ^= 255


TABLE = "a,b,c\n1,2.5,x\n2,3.5,y\n3,4.5,z\n"
PLAIN = TABLE.split("\n", 1)[1]
Text, Fixed, Records = (
    tf.data.TextLineDataset,
    tf.data.FixedLengthRecordDataset,
    tf.data.TFRecordDataset,
)

CALLS = r'''
# lines of text
Text(lines("a\nbc\n\nd\n"))
Text(lines("a\nbc"))
Text(lines("a\r\nb\r\n"))
Text(lines("a\rb\n"))
Text(lines(""))
Text(lines("\n"))
Text(lines("é ß\n日本\n"))
Text(lines("a\nb\n", "c\n", "", "d"))
Text(lines("a\nb\n")[0])
Text(D.from_tensor_slices(lines("a\nb\n", "c\n")))
Text(lines("a\nb\n", compression="GZIP"), compression_type="GZIP")
Text(lines("a\nb\n", compression="ZLIB"), compression_type="ZLIB")
Text(lines("a\nb\n"), buffer_size=1)
Text(lines("a\nb\n", "c\nd\ne\n"), num_parallel_reads=2)
Text(lines("a\nb\n", "c\nd\ne\n"), num_parallel_reads=1)
Text(lines("a\nb\nc\n")).skip(1).map(tf.strings.upper).batch(2)
Text(tf.constant(lines("a\n", "b\n")), name="lines")
repr(Text(lines("a\n")))
Text(lines("a\n") + ["missing.txt"])
Text([])
# records of a fixed length
Fixed(write("a", "abcdef"), 2)
Fixed(write("a", "HHabcdefF"), 2, header_bytes=2, footer_bytes=1)
Fixed(write("a", "HHabcdef"), 3, 2)
Fixed(write("a", "HHabcdef"), 3, header_bytes=2, footer_bytes=0, buffer_size=10)
Fixed([write("a", "abcd"), write("b", "efgh")], 2)
Fixed([write("a", "abcd"), write("b", "efgh")], 2, num_parallel_reads=2)
Fixed(write("a", "abcdef", "GZIP"), 2, compression_type="GZIP")
Fixed(write("a", "Habcdef", "ZLIB"), 2, 1, compression_type="ZLIB")
Fixed(write("a", "abcde"), 2)
Fixed(write("a", ""), 2)
Fixed(write("a", b"\x00\x01\xff\xfe"), 2).map(lambda r: tf.io.decode_raw(r, tf.uint8))
repr(Fixed(write("a", "abcd"), 2))
Fixed("missing", 2)
# TFRecords
Records(records(3))
Records(records(3)[0])
Records(records(2, 3))
Records(records(0))
Records(records(2, compression="GZIP"), compression_type="GZIP")
Records(records(2, compression="ZLIB"), "ZLIB")
Records(records(3), buffer_size=8)
Records(records(3), buffer_size=0)
Records(records(3, 2), num_parallel_reads=2)
Records(records(3, 3), num_parallel_reads=2)
Records(D.from_tensor_slices(records(2, 2)))
Records(records(3)).map(lambda r: tf.strings.substr(r, 2, 1)).batch(2)
Records(records(4)).shuffle(4, seed=1)
D.from_tensor_slices(records(2, 3)).interleave(Records, cycle_length=2)
D.from_tensor_slices(records(3, 3)).interleave(Records, cycle_length=3, block_length=2)
D.from_tensor_slices(records(3, 3)).interleave(Records, cycle_length=2, num_parallel_calls=2)
D.from_tensor_slices(records(2, 2)).flat_map(Records)
examples()
written_records()
repr(Records(records(1)))
Records(["missing.tfrecord"])
damaged(lambda data: other(data, 12))
damaged(lambda data: other(data, 0))
damaged(lambda data: other(data, 8))
damaged(lambda data: other(data, 20))
damaged(lambda data: data.__delitem__(slice(40, None)))
damaged(lambda data: data.__delitem__(slice(5, None)))
Records(write("text", "this is not a record at all"))
# names of files
listed("b.txt", "a.txt", "c.txt", file_pattern="*.txt", shuffle=False)
listed("b.txt", "a.txt", "c.bin", file_pattern="*.txt", shuffle=False)
listed("b.txt", "a.txt", file_pattern=["*.txt"], shuffle=False)
listed("b.txt", "a.bin", "c.txt", file_pattern=["*.txt", "*.bin"], shuffle=False)
listed("d/b.txt", "d/a.txt", "e/a.txt", file_pattern="*/*.txt", shuffle=False)
listed("d/b.txt", "a.txt", file_pattern="*", shuffle=False)
listed("a1", "a2", "a3", "b1", file_pattern="a[12]", shuffle=False)
listed("a1", "a2", "a3", "b1", file_pattern="?1", shuffle=False)
listed("a", "b", "c", "d", "e", file_pattern="*", seed=None, shuffle=False)
D.list_files("*", seed=3) if not empty("a", "b", "c", "d", "e") else None
D.list_files("*", seed=1) if not empty("a", "b", "c", "d", "e") else None
D.list_files("*", shuffle=True, seed=3) if not empty("c", "b", "a") else None
D.list_files(["*.x", "*.y"], seed=3) if not empty("a.x", "b.y", "c.x", "d.y") else None
D.list_files("*", shuffle=None, seed=3) if not empty("c", "b", "a") else None
listed("a", "b", "c", "d", "e", file_pattern="*", seed=42)
listed("a", "b", "c", "d", "e", file_pattern="*", seed=42, shuffle=True)
D.list_files("*", seed=3).repeat(2) if not empty("a", "b", "c", "d") else None
D.list_files(D.from_tensor_slices(["*.x"]), shuffle=False) if not empty("a.x") else None
D.list_files("*.none", shuffle=False)
listed("a", file_pattern="*.none", shuffle=False)
repr(listed("a", "b", file_pattern="*", shuffle=False))
# CSV
csv(PLAIN, [tf.int32, tf.float32, tf.string])
csv(PLAIN, [tf.int64, tf.float64, tf.string])
csv(TABLE, [tf.int32, tf.float32, tf.string], header=True)
csv("1,,x\n,2.5,\n", [7, 0.5, "none"])
csv("1,,x\n,2.5,\n", [[7], [0.5], ["none"]])
csv("1,,x\n", [tf.int32, tf.float32, tf.string])
csv(PLAIN, [tf.string], select_cols=[2])
csv(PLAIN, [tf.int32, tf.string], select_cols=[0, 2])
csv("1;2\n3;4\n", [tf.int32, tf.int32], field_delim=";")
csv('"a,b","c ""d"""\n"e\nf",g\n', [tf.string, tf.string])
csv('"a",b\n', [tf.string, tf.string], use_quote_delim=False)
csv("1,NA\nNA,2\n", [0, -1], na_value="NA")
csv("1,2\r\n3,4\r\n", [tf.int32, tf.int32])
csv("1,2\n3,4", [tf.int32, tf.int32])
csv("1,2\n\n3,4\n", [tf.int32, tf.int32])
csv("", [tf.int32])
csv("1,x\n", [tf.int32, tf.int32])
csv("1\n", [tf.int32, tf.int32])
csv("1,2,3\n", [tf.int32, tf.int32])
csv("1,2\n", [tf.int32, tf.int32]).map(lambda a, b: a + b)
E.CsvDataset([write("a.csv", "1\n"), write("b.csv", "2\n")], [tf.int32])
repr(csv("1\n", [tf.int32]))
made_csv(TABLE)
made_csv(TABLE, label_name="c")
made_csv(TABLE, 3, label_name="a", select_columns=["a", "b"])
made_csv(TABLE, column_defaults=[tf.int64, tf.float64, tf.string])
made_csv(PLAIN, column_names=["p", "q", "r"], header=False)
made_csv(TABLE, num_epochs=2)
made_csv("a,b\n1,\n,2\n", column_defaults=[5, 6])
made_csv("a;b\n1;2\n", 1, field_delim=";")
made_csv("a,b\n1,?\n", 1, na_value="?", column_defaults=[0, 9])
made_csv("a,b\n1,5000000000\n2,1.5\n", 2)
made_csv(TABLE, 1, shuffle=True, shuffle_seed=3, shuffle_buffer_size=10)
# saved datasets and snapshots
saved(D.range(5))
saved(D.from_tensor_slices(({"a": [1, 2]}, ["x", "y"])))
saved(D.range(5).batch(2))
saved(D.range(3), compression="GZIP")
saved(D.from_tensor_slices(tf.ragged.constant([[1], [2, 3]])))
D.range(4).save("d"); D.load("d", element_spec=tf.TensorSpec([], tf.int64))
D.range(4).save("d", compression="GZIP"); D.load("d", compression="GZIP")
D.range(6).save("d", shard_func=lambda x: x % 2); D.load("d",
    reader_func=lambda d: d.interleave(lambda x: x, 1))
E.save(D.range(3), "d"); E.load("d", tf.TensorSpec([], tf.int64))
D.range(4).snapshot("kept")
D.range(4).snapshot("kept", compression=None)
D.range(4).map(lambda x: x * 2).snapshot("kept").map(lambda x: x + 1)
snapshot_twice()
repr(D.range(4).snapshot("kept"))
D.load("missing")
'''
