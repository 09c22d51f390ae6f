"""Strings: bytes that are no UTF-8, empty ones, numbers that are none, broken patterns."""

import numpy as np

from cases import b, call, f32, f64, i32, i64, inf, nan, s

TEXT = s(["Hello, World", "", "äöü ß", b"\xff\x00\x80", "  a b  "])
call("StringJoin", s(["a", "b"]), s(["x", "y"]), separator="-")
call("StringJoin", s("a"), s(["x", "y"]))
call("StringJoin", s(["a", "b"]), s(["x", "y", "z"]))
call("ReduceJoin", s([["a", "b"], ["c", "d"]]), axis=[0], separator="+")
call("ReduceJoin", s([["a", "b"], ["c", "d"]]), axis=[-1], keepdims=True)
call("ReduceJoin", s([["a", "b"], ["c", "d"]]), axis=[0, 1])
call("ReduceJoin", s([["a", "b"], ["c", "d"]]), axis=[1, 0])
call("ReduceJoin", s([["a", "b"], ["c", "d"]]), axis=[2])
call("Add", s(["a", ""]), s([["x"], ["y"]]))
for unit in ("BYTE", "UTF8_CHAR"):
    call("StringLength", s(["Hello", "", "äöü", "日本"]), unit=unit)
    call("Substr", s(["Hello", "äöüß"]), i32(1), i32(2), unit=unit)
    call("Substr", s(["Hello", "World"]), i32([-3, 1]), i32([2, 100]), unit=unit)
    call("Substr", s(["Hi"]), i64(2), i64(1), unit=unit)
    call("Substr", s(["Hi"]), i32(3), i32(1), unit=unit)
    call("Substr", s(["Hi"]), i32(-3), i32(1), unit=unit)
call("Substr", s(["Hello"]), i32(1), i32(-2))
call("Substr", s(["Hello", "x"]), i32([0, 1, 2]), i32([1, 1, 1]))
call("StringSplitV2", s(["a b  c", "", " x "]), s(""))
call("StringSplitV2", s(["a,b,,c", ","]), s(","))
call("StringSplitV2", s(["a, b, c"]), s(", "), maxsplit=1)
call("StringSplitV2", s(["abc"]), s(["x", "y"]))
call("StringStrip", TEXT)
for op in ("StringLower", "StringUpper"):
    call(op, s(["Hello 123", "", "ÄÖü"]))
    call(op, s(["Hello 123", "ÄÖü ß"]), encoding="utf-8")
    call(op, s(["a"]), encoding="latin1")
NUMBERS = s(["1", "-2.5", "1e3", " 7", "nan", "inf", "-inf"])
call("StringToNumber", NUMBERS)
call("StringToNumber", NUMBERS, out_type=np.dtype(np.float64))
call("StringToNumber", s(["12", "-5"]), out_type=np.dtype(np.int32))
call("StringToNumber", s(["9223372036854775807"]), out_type=np.dtype(np.int64))
call("StringToNumber", s(["2147483648"]), out_type=np.dtype(np.int32))
call("StringToNumber", s(["1.5"]), out_type=np.dtype(np.int32))
call("StringToNumber", s(["abc"]))
call("StringToNumber", s([""]))
call("AsString", i32([1, -20, 300]))
call("AsString", i32([1, -20, 300]), width=5, fill="0")
call("AsString", i64([-(2**63)]), width=4)
call("AsString", f32([1.5, -0.25, 1e10, nan, inf]))
call("AsString", f32([1.5, -0.25, 1e10]), precision=2)
call("AsString", f64([1.5, -0.25, 1e10]), scientific=True)
call("AsString", f32([1.5, -0.25, 1e-10]), shortest=True)
call("AsString", b([True, False]))
call("AsString", f32([1.0]), scientific=True, shortest=True)
call("DecodeRaw", s([b"\x01\x00\x02\x00", b"\xff\xff\x00\x80"]), out_type=np.dtype(np.int16))
call("DecodeRaw", s([b"\x01\x02"]), out_type=np.dtype(np.int16), little_endian=False)
call("DecodeRaw", s([b"\x01\x02\x03"]), out_type=np.dtype(np.int16))
call("DecodeRaw", s([b"\x01", b"\x01\x02"]), out_type=np.dtype(np.uint8))
call("RegexReplace", s(["aab", "xaa"]), s("a+"), s("<\\\\0>"))
call("RegexReplace", s(["aba"]), s("a"), s("z"), replace_global=False)
call("RegexReplace", s(["2024-01-02"]), s("(\\d+)-(\\d+)-(\\d+)"), s("\\3.\\2.\\1"))
call("RegexReplace", s(["a"]), s("("), s("z"))
call("RegexReplace", s(["abc"]), s("b*"), s("-"))
call("StaticRegexReplace", s(["hello"]), pattern="[aeiou]", rewrite="*")
call("RegexFullMatch", s(["abc", "abcd", ""]), s("a.c"))
call("RegexFullMatch", s(["a"]), s("[a"))
call("StaticRegexFullMatch", s(["TF lib", "lib TF"]), pattern=".*lib$")
for count in (1, 10, 1000003):
    call("StringToHashBucketFast", TEXT, num_buckets=count)
    call("StringToHashBucket", TEXT, num_buckets=count)
    call("StringToHashBucketStrong", TEXT, num_buckets=count, key=[1, 2])
call("StringToHashBucketFast", TEXT, num_buckets=0)
call("StringToHashBucketStrong", TEXT, num_buckets=5, key=[1])
LONG = s(["x" * n for n in (3, 4, 7, 8, 16, 17, 32, 33, 63, 64, 65, 130)])
call("StringToHashBucketFast", LONG, num_buckets=2**40)
call("StringToHashBucketStrong", LONG, num_buckets=2**40, key=[123, 456])
call("EncodeBase64", TEXT)
call("EncodeBase64", TEXT, pad=True)
call("DecodeBase64", s(["SGVsbG8", "", "SGk="]))
call("DecodeBase64", s(["!!!"]))

NO_INTS, NO_WORDS = i32([]), s([])
call("DecodeCSV", s(["1,2", "3,"]), i32([0]), i32([9]))
call("DecodeCSV", s(["1"]), NO_INTS, i32([9]))
call("DecodeCSV", s(["1,2,3"]), NO_INTS, NO_INTS)
call("DecodeCSV", s(["x,1"]), NO_INTS, NO_INTS)
call("DecodeCSV", s([",1"]), NO_INTS, NO_INTS)
call("DecodeCSV", s(['"a,b",c"d']), NO_WORDS, NO_WORDS)
call("DecodeCSV", s(['"a"b,c']), NO_WORDS, NO_WORDS)
call("DecodeCSV", s(['"a,c']), NO_WORDS, NO_WORDS)
call("DecodeCSV", s(["a\n,c"]), NO_WORDS, NO_WORDS)
call("DecodeCSV", s(['"a\n",c']), NO_WORDS, NO_WORDS)
call("DecodeCSV", s(["1,2"]), NO_INTS, NO_INTS, field_delim="ab")
call("DecodeCSV", s(["1,2"]), NO_INTS, NO_INTS, select_cols=[0, 5])
call("DecodeCSV", s(["1,2"]), NO_INTS, NO_INTS, select_cols=[1, 0])
call("DecodeCSV", s(["1,2"]), NO_INTS, NO_INTS, select_cols=[0])
call("DecodeCSV", s([""]), i32([1]))
call("DecodeCSV", s(["1,"]), s(["a"]), s(["b"]))
call("DecodeCSV", s(["1,2"]), i32([1, 2]), NO_INTS)
call("DecodeCSV", s(["1,2"]), i32([[1]]), NO_INTS)
call("DecodeCSV", s(["1.5,1e400"]), f32([]), f64([]))
call("DecodeCSV", s(["2147483648"]), NO_INTS)


def example(**features) -> bytes:
    """A serialized tf.train.Example of short lists."""

    def field(number, data):
        return bytes([number << 3 | 2, len(data)]) + data

    entries = b""
    for key, values in features.items():
        kind = type(values[0]) if values else int
        if kind is bytes:
            values = field(1, b"".join(field(1, each) for each in values))
        elif kind is float:
            values = field(2, field(1, f32(values).tobytes()))
        else:
            values = field(3, field(1, bytes(values)))
        entries += field(1, field(1, key.encode()) + field(2, values))
    return field(1, entries)


EXAMPLE = example(n=[1], x=[0.5, 1.5], s=[b"q"])
NO_LONGS = i64([])
for data in (s(EXAMPLE), s([EXAMPLE, EXAMPLE])):
    call("ParseExampleV2", data, s(["n"]), NO_LONGS, dense_shapes=[0])
    call("ParseExampleV2", data, s(["x", "s"]), f32([]), NO_WORDS, dense_shapes=[2, 2, 1, 0])
    call("ParseExampleV2", data, s(["m"]), NO_LONGS, dense_shapes=[0])
    call("ParseExampleV2", data, s(["m"]), i64([7, 8]), dense_shapes=[1, 2])
    call("ParseExampleV2", data, s(["n"]), NO_LONGS, dense_shapes=[1, 2])
    call("ParseExampleV2", data, s(["n"]), f32([]), dense_shapes=[0])
    call("ParseExampleV2", data, s(["x"]), f32([]), dense_shapes=[0])
call("ParseExampleV2", s(EXAMPLE[:-3]), s(["n"]), NO_LONGS, dense_shapes=[0])
call("ParseExampleV2", s(EXAMPLE + EXAMPLE), s(["n"]), NO_LONGS, dense_shapes=[0])
call("ParseExampleV2", s(b""), s(["n"]), i64(3), dense_shapes=[0])
call("ParseExampleV2", s(b""), s(["n"]), NO_LONGS, dense_shapes=[0])
call("ParseExampleV2", s([[EXAMPLE]]), s(["n"]), NO_LONGS, dense_shapes=[0])
call("ParseExampleV2", s(EXAMPLE), s(["n"]), i32([]), dense_shapes=[0])
call("ParseExampleV2", s(example(n=[])), s(["n"]), i64(3), dense_shapes=[0])
call("ParseExampleV2", s(example(e=[])), s(["e"]), NO_LONGS, dense_shapes=[1, 0])
