// StringLength, Substr, StringSplitV2, StringStrip: the length of strings, and parts of them.
#include <algorithm>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "kernels/indices.h"
#include "kernels/text.h"
#include "ops/text.h"

namespace penstock {
namespace {

using text::words;

bool counts_characters(const Attr& unit) { return unit.as_string() == "UTF8_CHAR"; }

void check_unit(const InferContext& ctx) {
  const std::string_view unit = ctx.attr(0).as_string();
  if (unit != "BYTE" && unit != "UTF8_CHAR") {
    ctx.fail("unit must be BYTE or UTF8_CHAR, but is ", unit);
  }
}

void infer_length(InferContext& ctx) {
  check_unit(ctx);
  ctx.add_output(DType::kInt32, ctx.shape(0));
}

KernelResult cpu_length(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  const bool characters = counts_characters(ctx.attrs[0]);
  const int64_t count = in.size();
  for (int64_t i = 0; i < count; ++i) {
    const std::string_view each = text::at(in, i);
    const int64_t length =
        characters ? kernels::count_characters(each) : static_cast<int64_t>(each.size());
    ctx.outputs[0].as<int32_t>()[i] = static_cast<int32_t>(length);
  }
  return KernelResult::ok();
}

void infer_substr(InferContext& ctx) {
  check_unit(ctx);
  const Shape& pos = ctx.shape(1);
  if (pos.is_known() && ctx.shape(2).is_known() && pos != ctx.shape(2)) {
    ctx.fail("pos and len should have the same shape, got: ", pos, " vs. ", ctx.shape(2));
  }
  Shape shape;
  if (!broadcast_shapes(ctx.shape(0), pos, &shape)) {
    ctx.fail("Incompatible shapes: ", ctx.shape(0), " vs. ", pos);
  }
  ctx.add_output(DType::kString, shape);
}

[[noreturn]] void fail_position(int64_t pos, std::string_view string, int64_t i) {
  throw InvalidArgumentError(
      cat("[Substr] pos ", pos, " out of range for string b'", string, "' at index ", i));
}

// A position before the end when negative; a length below zero reaches to the end.
std::string_view part_of(std::string_view string, int64_t pos, int64_t len, bool characters,
                         int64_t i) {
  const uint64_t length = static_cast<uint64_t>(len);
  if (!characters) {
    const auto size = static_cast<int64_t>(string.size());
    if (pos > size || pos < -size) fail_position(pos, string, i);
    return string.substr(static_cast<size_t>(pos < 0 ? pos + size : pos), length);
  }
  const int64_t count = kernels::count_characters(string);
  if (pos > count || pos < -count) fail_position(pos, string, i);
  const size_t begin = pos < 0 ? kernels::skip_characters_back(string, -pos)
                               : kernels::skip_characters(string, 0, pos);
  const size_t end = len < 0 ? string.size() : kernels::skip_characters(string, begin, len);
  return string.substr(begin, end - begin);
}

KernelResult cpu_substr(const KernelContext& ctx) {
  const View& out = ctx.outputs[0];
  if (out.size() == 0) return KernelResult::ok();
  const text::Broadcast string_of(ctx.inputs[0].shape, out.shape);
  const text::Broadcast pos_of(ctx.inputs[1].shape, out.shape);
  const bool characters = counts_characters(ctx.attrs[0]);
  return text::fill(out, [&](int64_t i) {
    const int64_t at = pos_of(i);
    return make_string(part_of(text::at(ctx.inputs[0], string_of(i)),
                               kernels::index_at(ctx.inputs[1], at),
                               kernels::index_at(ctx.inputs[2], at), characters, i));
  });
}

constexpr std::string_view kWhitespace(" \t\n\v\f\r");

std::string_view without_leading_space(std::string_view string) {
  string.remove_prefix(std::min(string.find_first_not_of(kWhitespace), string.size()));
  return string;
}

// Calls piece(text) for each piece of a string: between separators, or between runs of whitespace
// when the separator is empty. After `maxsplit` cuts (if not negative) the rest is one piece.
template <typename Piece>
void split(std::string_view string, std::string_view separator, int64_t maxsplit,
           const Piece& piece) {
  if (maxsplit == 0) return piece(string);
  const bool at_space = separator.empty();
  if (at_space) string = without_leading_space(string);
  for (int64_t cuts = 1;; ++cuts) {
    if (at_space && string.empty()) return;
    const size_t end = at_space ? string.find_first_of(kWhitespace) : string.find(separator);
    piece(string.substr(0, end));
    if (end == std::string_view::npos) {
      if (!at_space || cuts != maxsplit) return;
      return piece(std::string_view());
    }
    string.remove_prefix(end + separator.size());
    if (at_space) string = without_leading_space(string);
    if (cuts == maxsplit) return piece(string);
  }
}

// The number of pieces is known only from the text.
void infer_split(InferContext& ctx) {
  if (ctx.shape(0).has_rank() && ctx.shape(0).rank() != 1) {
    ctx.fail("input must be a vector, got shape: ", ctx.shape(0));
  }
  if (ctx.shape(1).has_rank() && ctx.shape(1).rank() != 0) {
    ctx.fail("sep must be a scalar, got shape: ", ctx.shape(1));
  }
  const View& in = ctx.input(0);
  int64_t pieces = kUnknownDim;
  if (in.data != nullptr && ctx.input(1).data != nullptr) {
    pieces = 0;
    const int64_t count = in.size();
    for (int64_t i = 0; i < count; ++i) {
      split(text::at(in, i), text::at(ctx.input(1), 0), ctx.attr(0).as_int(),
            [&](std::string_view) { ++pieces; });
    }
  }
  ctx.add_output(DType::kInt64, Shape{pieces, 2});
  ctx.add_output(DType::kString, Shape{pieces});
  ctx.add_output(DType::kInt64, Shape{2});
}

KernelResult cpu_split(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  const int64_t count = in.size();
  int64_t* indices = ctx.outputs[0].as<int64_t>();
  StringRef* values = ctx.outputs[1].as<StringRef>();
  int64_t longest = 0;
  for (int64_t i = 0; i < count; ++i) {
    int64_t column = 0;
    split(text::at(in, i), text::at(ctx.inputs[1], 0), ctx.attrs[0].as_int(),
          [&](std::string_view piece) {
            *values++ = make_string(piece);
            *indices++ = i;
            *indices++ = column++;
          });
    longest = std::max(longest, column);
  }
  ctx.outputs[2].as<int64_t>()[0] = count;
  ctx.outputs[2].as<int64_t>()[1] = longest;
  return KernelResult::ok();
}

KernelResult cpu_strip(const KernelContext& ctx) {
  return text::fill(ctx.outputs[0], [&](int64_t i) {
    const std::string_view string = without_leading_space(text::at(ctx.inputs[0], i));
    const size_t last = string.find_last_not_of(kWhitespace);
    return make_string(string.substr(0, last + 1));  // npos + 1 is nothing
  });
}

std::vector<Sample> length_samples() {
  return {
      {{words({3}, {"h\u00E9llo", "", "abc"})}},
      {{words({3}, {"h\u00E9llo", "", "\u4E16\u754C"})}, {{"unit", "UTF8_CHAR"}}},
      {{words({}, {"a"})}},
      {{of(DType::kString, {0, 2})}},
      {{of(DType::kString, {10000})}, {}, 0, true, true},
  };
}

std::vector<Sample> substr_samples() {
  const auto number = [](double value) { return given(DType::kInt32, {}, {value}); };
  return {
      {{words({2}, {"hello", "abc"}), number(1), number(2)}},
      {{words({2}, {"hello", "abc"}), ints({1, -2}), ints({2, 10})}},
      {{words({}, {"hello"}), given(DType::kInt64, {2}, {0, 3}),
        given(DType::kInt64, {2}, {5, 1})}},
      {{words({2, 1}, {"hello", "abc"}), ints({1, 3}), ints({1, 1})}},
      {{words({}, {"abc"}), number(1), number(-1)}},
      {{words({2}, {"h\u00E9llo", "\u4E16\u754Cx"}), number(1), number(2)},
       {{"unit", "UTF8_CHAR"}}},
      {{words({2}, {"h\u00E9llo", "\u4E16\u754Cx"}), number(-2), number(1)},
       {{"unit", "UTF8_CHAR"}}},
      {{of(DType::kString, {0}), number(0), number(1)}},
      {{of(DType::kString, {10000}), number(0), number(4)}, {}, 0, true, true},
  };
}

std::vector<Sample> split_samples() {
  const SampleInput lines = words({3}, {"a b  c", " d", ""});
  const SampleInput lists = words({3}, {"a,b,,c", ",d", ""});
  return {
      {{lines, words({}, {""})}},
      {{lines, words({}, {""})}, {{"maxsplit", 1}}},
      {{words({2}, {"  a b c ", "a "}), words({}, {""})}, {{"maxsplit", 1}}},
      {{lines, words({}, {""})}, {{"maxsplit", 0}}},
      {{lists, words({}, {","})}},
      {{lists, words({}, {","})}, {{"maxsplit", 2}}},
      {{words({2}, {"a<>b<>", "<>"}), words({}, {"<>"})}},
      {{of(DType::kString, {0}), words({}, {","})}},
      {{of(DType::kString, {10000}), words({}, {"e"})}, {}, 0, true, true},
  };
}

std::vector<Sample> strip_samples() {
  return {
      {{words({4}, {"  a b \t", "", "\n\v \f\r", "x"})}},
      {{words({}, {" a"})}},
      {{of(DType::kString, {0})}},
      {{of(DType::kString, {10000})}, {}, 0, true, true},
  };
}

}  // namespace

PEN_OP_DEF(string_length) = {
    .name = "StringLength",
    .doc = "How many bytes or UTF-8 characters each string has.",
    .inputs = {in("input", DType::kString)},
    .attrs = {string_attr("unit", "BYTE")},
    .infer = infer_length,
    .cpu = cpu_length,
    .grad = no_gradient,
    .samples = length_samples,
};

PEN_OP_DEF(substr) = {
    .name = "Substr",
    .doc = "Of each string `len` bytes or characters from `pos` on, which may count from the end.",
    .inputs = {in("input", DType::kString), in("pos", kIndexTypes, 'I'),
               in("len", kIndexTypes, 'I')},
    .attrs = {string_attr("unit", "BYTE")},
    .traits = {Trait::kMakesStrings},
    .infer = infer_substr,
    .cpu = cpu_substr,
    .grad = no_gradient,
    .samples = substr_samples,
};

PEN_OP_DEF(string_split) = {
    .name = "StringSplitV2",
    .doc =
        "The pieces of each string between separators, or whitespace where that is empty, as "
        "(row, column) coordinates, values and the shape of the whole.",
    .inputs = {host("input", DType::kString, 'T'), host("sep", DType::kString, 'T')},
    .attrs = {int_attr("maxsplit", -1)},
    .outputs = {"indices", "values", "shape"},
    .traits = {Trait::kMakesStrings},
    .infer = infer_split,
    .cpu = cpu_split,
    .grad = no_gradient,
    .samples = split_samples,
};

PEN_OP_DEF(string_strip) = {
    .name = "StringStrip",
    .doc = "The strings without whitespace at their ends.",
    .inputs = {in("input", DType::kString)},
    .traits = {Trait::kMakesStrings},
    .infer = text::infer_same,
    .cpu = cpu_strip,
    .grad = no_gradient,
    .samples = strip_samples,
};

}  // namespace penstock
