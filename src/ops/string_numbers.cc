// StringToNumber, AsString: numbers written in text, read and printed. DecodeRaw: numbers as bytes.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "base/parse_number.h"
#include "ops/text.h"

namespace penstock {
namespace {

using text::words;

constexpr DTypeSet kParsedTypes =
    kIndexTypes | DType::kUInt32 | DType::kUInt64 | DType::kFloat32 | DType::kFloat64;

void infer_parse(InferContext& ctx) {
  const DType dtype = ctx.attr(0).as_dtype();
  if (!kParsedTypes.has(dtype)) ctx.fail_type("out_type cannot be ", dtype);
  ctx.add_output(dtype, ctx.shape(0));
}

template <typename T>
void parse_all(const View& in, const View& out) {
  const int64_t count = in.size();
  for (int64_t i = 0; i < count; ++i) {
    T value{};
    if (!parse_number(text::at(in, i), &value)) {
      throw InvalidArgumentError(
          cat("[StringToNumber] could not correctly convert string: ", text::at(in, i)));
    }
    out.as<T>()[i] = value;
  }
}

KernelResult cpu_parse(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  const View& out = ctx.outputs[0];
  switch (out.dtype) {
    case DType::kInt32:
      parse_all<int32_t>(in, out);
      break;
    case DType::kInt64:
      parse_all<int64_t>(in, out);
      break;
    case DType::kUInt32:
      parse_all<uint32_t>(in, out);
      break;
    case DType::kUInt64:
      parse_all<uint64_t>(in, out);
      break;
    case DType::kFloat32:
      parse_all<float>(in, out);
      break;
    default:
      parse_all<double>(in, out);
  }
  return KernelResult::ok();
}

constexpr int64_t kMostColumns = 4096;  // of a printed number

void infer_print(InferContext& ctx) {
  const int64_t precision = ctx.attr(0).as_int();
  const bool scientific = ctx.attr(1).as_bool();
  const bool shortest = ctx.attr(2).as_bool();
  const int64_t width = ctx.attr(3).as_int();
  const std::string_view fill = ctx.attr(4).as_string();
  const DType dtype = ctx.dtype(0);
  if (!kFloatTypes.has(dtype) && dtype != DType::kString) {
    if (scientific || shortest) {
      ctx.fail("scientific and shortest format not supported for datatype ", dtype);
    }
    if (precision >= 0) ctx.fail("precision not supported for datatype ", dtype);
  }
  if (scientific && shortest) ctx.fail("Cannot select both scientific and shortest notation");
  if (fill.size() > 1) ctx.fail("Fill string must be one or fewer characters");
  if (!fill.empty() && std::string_view(" +-0#").find(fill[0]) == std::string_view::npos) {
    ctx.fail("Fill argument not supported: \"", fill, "\"");
  }
  if (width > kMostColumns || precision > kMostColumns) {
    ctx.fail("width and precision are at most ", kMostColumns);
  }
  text::infer_same(ctx);
}

// The printf format that the attributes describe, for `conversion`.
struct Format {
  char text[32];

  Format(Attrs attrs, const char* conversion) {
    char width[12] = "";
    char precision[12] = "";
    if (attrs[3].as_int() >= 0) {
      std::snprintf(width, sizeof width, "%d", static_cast<int>(attrs[3].as_int()));
    }
    if (attrs[0].as_int() >= 0) {
      std::snprintf(precision, sizeof precision, ".%d", static_cast<int>(attrs[0].as_int()));
    }
    const std::string_view fill = attrs[4].as_string();
    const char* flag = fill.empty()  ? ""
                       : fill == " " ? " "
                       : fill == "+" ? "+"
                       : fill == "-" ? "-"
                       : fill == "0" ? "0"
                                     : "#";
    std::snprintf(text, sizeof text, "%%%s%s%s%s", flag, width, precision, conversion);
  }
};

const char* float_conversion(Attrs attrs) {
  return attrs[1].as_bool() ? "e" : attrs[2].as_bool() ? "g" : "f";
}

// Room for the widest number and the longest fraction.
constexpr size_t kRoom = 2 * kMostColumns + 512;

template <typename T>
StringRef printed(const Format& format, T value) {
  char room[kRoom];
  const int size = std::snprintf(room, sizeof room, format.text, value);
  return make_string(std::string_view(room, static_cast<size_t>(std::max(size, 0))));
}

template <typename Wide, typename T>
KernelResult print_all(const View& in, const View& out, const Format& format) {
  return text::fill(out,
                    [&](int64_t i) { return printed(format, static_cast<Wide>(in.as<T>()[i])); });
}

template <typename T>
KernelResult print_complex(const View& in, const View& out, const Format& format) {
  return text::fill(out, [&](int64_t i) {
    const T value = in.as<T>()[i];
    char room[2][kRoom];
    char both[2 * kRoom + 4];
    std::snprintf(room[0], kRoom, format.text, static_cast<double>(value.real()));
    std::snprintf(room[1], kRoom, format.text, static_cast<double>(value.imag()));
    const int size = std::snprintf(both, sizeof both, "(%s,%s)", room[0], room[1]);
    return make_string(std::string_view(both, static_cast<size_t>(std::max(size, 0))));
  });
}

// Padded to `width`, on the right for the fill "-".
KernelResult pad_strings(const KernelContext& ctx) {
  const auto width = static_cast<size_t>(std::max<int64_t>(ctx.attrs[3].as_int(), 0));
  const int64_t precision = ctx.attrs[0].as_int();
  const bool left = ctx.attrs[4].as_string() == "-";
  return text::fill(ctx.outputs[0], [&](int64_t i) {
    std::string_view string = text::at(ctx.inputs[0], i);
    if (precision >= 0) string = string.substr(0, static_cast<size_t>(precision));
    char* to = nullptr;
    const size_t size = std::max(width, string.size());
    const StringRef made = make_string(size, &to);
    if (size == 0) return made;
    std::memset(to, ' ', size);
    std::copy(string.begin(), string.end(), left ? to : to + (size - string.size()));
    return made;
  });
}

KernelResult cpu_print(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  const View& out = ctx.outputs[0];
  const char* conversion = float_conversion(ctx.attrs);
  switch (in.dtype) {
    case DType::kString:
      return pad_strings(ctx);
    case DType::kBool:
      return text::fill(out, [&](int64_t i) {
        return make_string(in.as<bool>()[i] ? std::string_view("true") : "false");
      });
    case DType::kComplex64:
      return print_complex<complex64>(in, out, Format(ctx.attrs, conversion));
    case DType::kComplex128:
      return print_complex<complex128>(in, out, Format(ctx.attrs, conversion));
#define PEN_CASE(T, enumerator)                                          \
  case DType::enumerator:                                                \
    if constexpr (std::is_signed_v<T>)                                   \
      return print_all<long long, T>(in, out, Format(ctx.attrs, "lld")); \
    else                                                                 \
      return print_all<unsigned long long, T>(in, out, Format(ctx.attrs, "llu"));
      PEN_FOR_EACH_INT(PEN_CASE)
#undef PEN_CASE
#define PEN_CASE(T, enumerator) \
  case DType::enumerator:       \
    return print_all<double, T>(in, out, Format(ctx.attrs, conversion));
      PEN_FOR_EACH_REAL_FLOAT(PEN_CASE)
#undef PEN_CASE
    default:
      return KernelResult::ok();
  }
}

// Every string must be as long as the first.
void infer_raw(InferContext& ctx) {
  const DType dtype = ctx.attr(0).as_dtype();
  if (!kFixedTypes.has(dtype)) ctx.fail_type("out_type cannot be ", dtype);
  Shape shape = ctx.shape(0);
  if (!shape.has_rank()) return ctx.add_output(dtype, shape);
  const View& in = ctx.input(0);
  int64_t count = in.data == nullptr ? kUnknownDim : 0;
  if (in.data != nullptr && in.size() > 0) {
    const size_t bytes = text::at(in, 0).size();
    for (int64_t i = 1; i < in.size(); ++i) {
      if (text::at(in, i).size() == bytes) continue;
      ctx.fail("DecodeRaw requires input strings to all be the same size, but element ", i,
               " has size ", bytes, " != ", text::at(in, i).size());
    }
    if (bytes % dtype_size(dtype) != 0) {
      ctx.fail("Input to DecodeRaw has length ", bytes, " that is not a multiple of ",
               dtype_size(dtype), ", the size of ", dtype);
    }
    count = static_cast<int64_t>(bytes / dtype_size(dtype));
  }
  shape.append(count);
  ctx.add_output(dtype, shape);
}

KernelResult cpu_raw(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  const View& out = ctx.outputs[0];
  if (out.size() == 0) return KernelResult::ok();
  char* to = out.as<char>();
  const int64_t count = in.size();
  for (int64_t i = 0; i < count; ++i) {
    const std::string_view bytes = text::at(in, i);
    std::memcpy(to, bytes.data(), bytes.size());
    to += bytes.size();
  }
  if (out.dtype == DType::kBool) {  // any byte but zero is true
    for (char* c = out.as<char>(); c != to; ++c) *c = *c != 0 ? 1 : 0;
  }
  if (ctx.attrs[1].as_bool()) return KernelResult::ok();
  const bool is_complex = kComplexTypes.has(out.dtype);
  const auto word = static_cast<int64_t>(dtype_size(out.dtype)) / (is_complex ? 2 : 1);
  for (char* each = out.as<char>(); each != to; each += word) std::reverse(each, each + word);
  return KernelResult::ok();
}

std::vector<Sample> parse_samples() {
  return {
      {{words({6}, {"1.5", " 2 ", "1e3", "-inf", "nan", "+0x1p3"})}},
      {{words({3}, {"1e-50", "1e50", "-.5"})}},
      {{words({2}, {"0.1", "1e400"})}, {{"out_type", DType::kFloat64}}},
      {{words({3}, {"-12", " 4\n", "+7"})}, {{"out_type", DType::kInt64}}},
      {{words({}, {"-2147483648"})}, {{"out_type", DType::kInt32}}},
      {{words({1}, {"4294967295"})}, {{"out_type", DType::kUInt32}}},
      {{words({1}, {"18446744073709551615"})}, {{"out_type", DType::kUInt64}}},
      {{of(DType::kString, {0})}},
  };
}

std::vector<Sample> print_samples() {
  const SampleInput values = given(DType::kFloat32, {5}, {1.5, 1e10, NAN, -INFINITY, 1e-7});
  return {
      {{values}},
      {{values}, {{"precision", 2}}},
      {{values}, {{"scientific", true}, {"precision", 3}}},
      {{values}, {{"shortest", true}}},
      {{values}, {{"width", 12}, {"fill", "-"}}},
      {{given(DType::kInt32, {2}, {3, -4})}},
      {{given(DType::kInt32, {2}, {3, -4})}, {{"width", 5}, {"fill", "0"}}},
      {{given(DType::kInt8, {2}, {3, -4})}, {{"width", 5}}},
      {{given(DType::kInt64, {2}, {3, -4})}, {{"fill", "+"}}},
      {{given(DType::kUInt8, {1}, {200})}},
      {{given(DType::kUInt64, {1}, {200})}},
      {{given(DType::kBool, {2}, {1, 0})}, {{"width", 7}}},
      {{given(DType::kComplex64, {1}, {1, -2})}, {{"precision", 1}}},
      {{given(DType::kComplex128, {1}, {1, -2})}},
      {{given(DType::kFloat64, {}, {0.1})}, {{"shortest", true}}},
      {{given(DType::kFloat16, {2}, {1.5, 0.5})}},
      {{given(DType::kBFloat16, {2}, {1.5, 0.5})}},
      {{words({2}, {"ab", "abcdef"})}, {{"width", 4}}},
      {{f32({0})}},
      {{f32({10000})}, {}, 0, true, true},
  };
}

std::vector<Sample> raw_samples() {
  const SampleInput bytes = words({2}, {"abcdefgh", "ijklmnop"});
  std::vector<Sample> samples = {
      {{bytes}, {{"out_type", DType::kInt16}, {"little_endian", false}}},
      {{bytes}, {{"out_type", DType::kComplex64}, {"little_endian", false}}},
      {{words({}, {"abcd"})}, {{"out_type", DType::kUInt8}}},
      {{of(DType::kString, {0})}, {{"out_type", DType::kInt32}}},
      {{words({2}, {"", ""})}, {{"out_type", DType::kInt32}}},
  };
  for (DType dtype : {DType::kInt32, DType::kInt64, DType::kUInt16, DType::kFloat32,
                      DType::kFloat64, DType::kComplex64}) {
    samples.push_back({{bytes}, {{"out_type", dtype}}});
  }
  return samples;
}

}  // namespace

PEN_OP_DEF(string_to_number) = {
    .name = "StringToNumber",
    .doc = "The numbers that strings spell.",
    .inputs = {in("string_tensor", DType::kString)},
    .attrs = {dtype_attr("out_type", DType::kFloat32)},
    .infer = infer_parse,
    .cpu = cpu_parse,
    .grad = no_gradient,
    .samples = parse_samples,
};

PEN_OP_DEF(as_string) = {
    .name = "AsString",
    .doc = "Every element as text, in the manner of printf.",
    .inputs = {in("input", kAnyType)},
    .attrs = {int_attr("precision", -1), bool_attr("scientific", false),
              bool_attr("shortest", false), int_attr("width", -1), string_attr("fill", "")},
    .traits = {Trait::kMakesStrings},
    .infer = infer_print,
    .cpu = cpu_print,
    .grad = no_gradient,
    .samples = print_samples,
};

PEN_OP_DEF(decode_raw) = {
    .name = "DecodeRaw",
    .doc = "The bytes of strings as numbers, along one more axis.",
    .inputs = {host("bytes", DType::kString, 'T')},
    .attrs = {dtype_attr("out_type"), bool_attr("little_endian", true)},
    .infer = infer_raw,
    .cpu = cpu_raw,
    .grad = no_gradient,
    .samples = raw_samples,
};

}  // namespace penstock
