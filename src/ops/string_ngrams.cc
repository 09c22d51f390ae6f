// StringNGrams: runs of neighbouring words, joined. UnsortedSegmentJoin: strings joined by segment.
#include <algorithm>
#include <cstring>

#include "kernels/indices.h"
#include "kernels/move.h"
#include "ops/text.h"

namespace penstock {
namespace {

using text::words;

constexpr int64_t kMostWords = 1 << 20;  // of an n-gram, and of padding

// The attributes of a call.
struct Grams {
  std::string_view separator;
  std::span<const int64_t> widths;
  std::string_view left_pad, right_pad;
  int64_t pad_width;
  bool keeps_short;

  explicit Grams(Attrs attrs)
      : separator(attrs[0].as_string()),
        widths(attrs[1].as_ints()),
        left_pad(attrs[2].as_string()),
        right_pad(attrs[3].as_string()),
        pad_width(attrs[4].as_int()),
        keeps_short(attrs[5].as_bool()) {}

  int64_t padding(int64_t width) const {
    return std::min(pad_width < 0 ? width - 1 : pad_width, width - 1);
  }
  int64_t count(int64_t length, int64_t width) const {
    return std::max<int64_t>(0, length + 2 * padding(width) - width + 1);
  }
  // All n-grams of a sequence of `length` words.
  int64_t count_all(int64_t length) const {
    int64_t total = 0;
    for (int64_t width : widths) total += count(length, width);
    return keeps_short && length > 0 && total == 0 ? 1 : total;
  }
};

Grams attrs_of(const InferContext& ctx) { return Grams(Attrs(&ctx.attr(0), 6)); }

void check_attrs(const InferContext& ctx, const Grams& grams) {
  for (int64_t width : grams.widths) {
    if (width < 1 || width > kMostWords) {
      ctx.fail("ngram_widths must be in [1, ", kMostWords, "], but has ", width);
    }
  }
  if (grams.pad_width > kMostWords) ctx.fail("pad_width is at most ", kMostWords);
  if (grams.widths.size() > 64) ctx.fail("takes at most 64 ngram_widths");
  if (grams.keeps_short && grams.pad_width < 0 && grams.widths.empty()) {
    ctx.fail(
        "Pad width should be >= 0 when preserve_short_sequences is True and ngram_widths are "
        "not provided");
  }
}

// The number of n-grams is known only from the values of data_splits.
void infer(InferContext& ctx) {
  const Grams grams = attrs_of(ctx);
  check_attrs(ctx, grams);
  ctx.check_rank(0, 1);
  ctx.check_rank(1, 1);
  const View& splits = ctx.input(1);
  int64_t total = kUnknownDim;
  if (splits.data != nullptr && ctx.shape(0).is_known()) {
    total = 0;
    const int64_t count = splits.size();
    int64_t last = 0;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t split = kernels::index_at(splits, i);
      if (i == 0 && split != 0) ctx.fail("First split value must be 0, got ", split);
      if (split < last || split > ctx.shape(0)[0]) {
        ctx.fail("Invalid split value ", split, ", must be in [", last, ", ", ctx.shape(0)[0], "]");
      }
      if (i > 0) total += grams.count_all(split - last);
      last = split;
    }
    if (count > 0 && last != ctx.shape(0)[0]) {
      ctx.fail("Last split value must be data size. Expected ", ctx.shape(0)[0], ", got ", last);
    }
  }
  ctx.add_output(DType::kString, Shape{total});
  ctx.add_output(ctx.dtype(1), ctx.shape(1));
}

// Writes one n-gram, or only counts its bytes.
size_t write_gram(const Grams& grams, const View& data, int64_t first, int64_t left, int64_t count,
                  int64_t right, char* to) {
  size_t size = 0;
  const auto put = [&](std::string_view part) {
    if (to != nullptr && !part.empty()) std::memcpy(to + size, part.data(), part.size());
    size += part.size();
  };
  const int64_t all = left + count + right;
  for (int64_t i = 0; i < all; ++i) {
    if (i > 0) put(grams.separator);
    put(i < left           ? grams.left_pad
        : i < left + count ? text::at(data, first + i - left)
                           : grams.right_pad);
  }
  return size;
}

// The n-grams of `width` words of the sequence that begins at `first`.
StringRef* make_grams(const Grams& grams, const View& data, int64_t first, int64_t width,
                      int64_t padding, int64_t count, StringRef* to) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t left = std::max<int64_t>(0, padding - i);
    const int64_t right = std::max<int64_t>(0, padding - (count - (i + 1)));
    const int64_t tokens = std::max<int64_t>(0, width - (left + right));
    const int64_t begin = first + (left > 0 ? 0 : i - padding);
    char* text = nullptr;
    *to = make_string(write_gram(grams, data, begin, left, tokens, right, nullptr), &text);
    if (text != nullptr) write_gram(grams, data, begin, left, tokens, right, text);
    ++to;
  }
  return to;
}

// Writes count_all() n-grams.
StringRef* make_all(const Grams& grams, const View& data, int64_t first, int64_t length,
                    StringRef* to) {
  const StringRef* before = to;
  for (int64_t width : grams.widths) {
    to =
        make_grams(grams, data, first, width, grams.padding(width), grams.count(length, width), to);
  }
  if (!grams.keeps_short || length == 0 || to != before) return to;
  const int64_t padding = std::max<int64_t>(grams.pad_width, 0);
  return make_grams(grams, data, first, length + 2 * padding, padding, 1, to);
}

KernelResult cpu(const KernelContext& ctx) {
  const Grams grams(ctx.attrs);
  const View& data = ctx.inputs[0];
  const View& splits = ctx.inputs[1];
  StringRef* const start = ctx.outputs[0].as<StringRef>();
  StringRef* to = start;
  const int64_t count = splits.size();
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) {
      const int64_t first = kernels::index_at(splits, i - 1);
      to = make_all(grams, data, first, kernels::index_at(splits, i) - first, to);
    }
    if (ctx.outputs[1].dtype == DType::kInt32) {
      ctx.outputs[1].as<int32_t>()[i] = static_cast<int32_t>(to - start);
    } else {
      ctx.outputs[1].as<int64_t>()[i] = to - start;
    }
  }
  return KernelResult::ok();
}

void infer_join(InferContext& ctx) {
  const Shape& strings = ctx.shape(0);
  const Shape& ids = ctx.shape(1);
  ctx.check_rank(2, 0);
  if (!strings.has_rank() || !ids.has_rank())
    return ctx.add_output(DType::kString, Shape::unknown_rank());
  bool fits = ids.rank() <= strings.rank();
  for (int i = 0; fits && i < ids.rank(); ++i)
    fits = ids[i] == strings[i] || ids[i] == kUnknownDim || strings[i] == kUnknownDim;
  if (!fits) {
    ctx.fail("inputs.shape = ", strings, " does not start with segment_ids.shape = ", ids);
  }
  bool known = false;
  const IntVector segments = ctx.ints(2, &known);
  if (known && segments[0] < 0) ctx.fail("Number of segments must be non-negative");
  Shape shape = {known ? segments[0] : kUnknownDim};
  for (int i = ids.rank(); i < strings.rank(); ++i) shape.append(strings[i]);
  ctx.add_output(DType::kString, shape);
}

// The ids are scanned twice for every result string: to count its bytes, and to write them.
KernelResult cpu_join(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  const View& ids = ctx.inputs[1];
  const View& out = ctx.outputs[0];
  const auto bad = kernels::find_bad_index(ids, INT64_MIN, out.shape[0]);
  if (bad.at >= 0) {
    return KernelResult::invalid("segment_ids[{}] = {} is out of range [0, {})", bad.at, bad.value,
                                 bad.limit);
  }
  if (in.size() == 0) return KernelResult::ok();
  const std::string_view separator = ctx.attrs[0].as_string();
  const int64_t width = kernels::product(out.shape, 1, out.shape.rank());
  const int64_t count = ids.size();
  for (int64_t k = 0; k < out.size(); ++k) {
    size_t size = 0;
    char* to = nullptr;
    StringRef& joined = out.as<StringRef>()[k];
    for (const bool writes : {false, true}) {
      bool first = true;
      if (writes) joined = make_string(size, &to);
      if (writes && size == 0) break;
      for (int64_t i = 0; i < count; ++i) {
        if (kernels::index_at(ids, i) != k / width) continue;
        for (std::string_view part :
             {first ? std::string_view() : separator, text::at(in, i * width + k % width)}) {
          if (!writes) size += part.size();
          if (writes && !part.empty()) std::memcpy(to, part.data(), part.size());
          if (writes) to += part.size();
        }
        first = false;
      }
    }
  }
  return KernelResult::ok();
}

std::vector<SampleAttr> attrs(std::vector<int64_t> widths, int pad_width, bool keeps_short) {
  std::vector<SampleAttr> all;
  all.emplace_back("separator", "-");
  all.emplace_back("ngram_widths", std::move(widths));
  all.emplace_back("left_pad", "LP");
  all.emplace_back("right_pad", "RP");
  all.emplace_back("pad_width", pad_width);
  all.emplace_back("preserve_short_sequences", keeps_short);
  return all;
}

std::vector<Sample> samples() {
  const SampleInput data = words({7}, {"a", "bb", "c", "d", "", "e", "f"});
  const SampleInput splits = given(DType::kInt64, {5}, {0, 4, 4, 5, 7});
  return {
      {{data, splits}, attrs({2}, 0, false)},
      {{data, splits}, attrs({3, 2}, -1, false)},
      {{data, splits}, attrs({4}, 1, false)},
      {{data, splits}, attrs({3}, 0, true)},
      {{data, given(DType::kInt32, {2}, {0, 7})}, attrs({1, 7}, 0, false)},
      {{of(DType::kString, {0}), given(DType::kInt64, {1}, {0})}, attrs({2}, -1, false)},
  };
}

std::vector<Sample> join_samples() {
  const SampleInput two = given(DType::kInt32, {}, {2});
  return {
      {{words({4}, {"this", "a", "is", ""}), ints({0, 1, 0, 1}), two}, {{"separator", ":"}}},
      {{words({2, 2}, {"a", "b", "c", "d"}), given(DType::kInt64, {2}, {1, 1}), two}},
      {{words({3}, {"a", "b", "c"}), ints({-1, 0, 0}), two}},
      {{of(DType::kString, {0}), i32({0}), two}},
  };
}

}  // namespace

PEN_OP_DEF(string_ngrams) = {
    .name = "StringNGrams",
    .doc = "The runs of ngram_widths neighbouring words of each sequence, joined and padded.",
    .inputs = {in("data", DType::kString), host("data_splits", kIndexTypes)},
    .attrs = {string_attr("separator"), ints_attr("ngram_widths"), string_attr("left_pad"),
              string_attr("right_pad"), int_attr("pad_width"),
              bool_attr("preserve_short_sequences")},
    .outputs = {"ngrams", "ngrams_splits"},
    .traits = {Trait::kMakesStrings},
    .infer = infer,
    .cpu = cpu,
    .grad = no_gradient,
    .samples = samples,
};

PEN_OP_DEF(unsorted_segment_join) = {
    .name = "UnsortedSegmentJoin",
    .doc = "The strings with the same segment id joined; negative ids are left out.",
    .inputs = {in("inputs", DType::kString), in("segment_ids", kIndexTypes, 'I'),
               host("num_segments", kIndexTypes)},
    .attrs = {string_attr("separator", "")},
    .traits = {Trait::kMakesStrings},
    .infer = infer_join,
    .cpu = cpu_join,
    .grad = no_gradient,
    .samples = join_samples,
};

}  // namespace penstock
