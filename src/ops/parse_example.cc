// ParseExampleV2: the features of serialized tf.train.Examples as tensors of fixed shapes.
//
// An Example is the message { 1: { 1: entries { 1: key, 2: feature } } }, where a feature holds one
// of 1: { 1: bytes … }, 2: { 1: floats … }, 3: { 1: int64s … }. Numbers may be packed or not.
#include <algorithm>
#include <cstring>

#include <penstock/base/checked.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "ops/text.h"

namespace penstock {
namespace {

using text::words;

enum { kSerialized, kKeys, kDefaults };

constexpr DTypeSet kFeatureTypes = DTypeSet(DType::kInt64) | DType::kFloat32 | DType::kString;

// The shape of feature `k`: the attribute lists them one after the other, each with its rank before it.
class Shapes {
 public:
  explicit Shapes(std::span<const int64_t> list) : rest_(list) {}
  // False if the list ends too early or holds what is no shape.
  bool next(Shape* shape) {
    *shape = Shape{};
    if (rest_.empty() || rest_[0] < 0 || rest_[0] >= kMaxRank ||
        rest_.size() <= static_cast<size_t>(rest_[0]))
      return false;
    for (const int64_t dim : rest_.subspan(1, static_cast<size_t>(rest_[0]))) {
      if (dim < 0) return false;
      shape->append(dim);
    }
    rest_ = rest_.subspan(1 + static_cast<size_t>(rest_[0]));
    return true;
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  std::span<const int64_t> rest_;
};

void infer(InferContext& ctx) {
  const Shape& serialized = ctx.shape(kSerialized);
  if (serialized.has_rank() && serialized.rank() > 1)
    ctx.fail("Expected serialized to be a scalar or vector, got shape: ", serialized);
  const size_t count = ctx.num_inputs() - kDefaults;
  ctx.check_rank(kKeys, 1);
  const Shape& keys = ctx.shape(kKeys);
  if (keys.is_known() && keys[0] != static_cast<int64_t>(count))
    ctx.fail("has ", keys[0], " dense_keys, but ", count, " dense_defaults");
  Shapes shapes(ctx.attr(0).as_ints());
  for (size_t k = 0; k < count; ++k) {
    const View& fallback = ctx.input(kDefaults + k);
    if (!kFeatureTypes.has(fallback.dtype))
      ctx.fail("Value for attr 'Tdense' of ", fallback.dtype,
               " is not in the list of allowed values: float, int64, string");
    Shape row;
    int64_t elements = 1;
    if (!shapes.next(&row)) ctx.fail("dense_shapes does not hold a shape for feature ", k);
    for (const int64_t dim : row) {
      if (!checked_mul(elements, dim, &elements)) ctx.fail_size("the size of feature ", k);
    }
    if (fallback.shape.is_known() && fallback.size() != 0 && fallback.size() != elements)
      ctx.fail("dense_defaults[", k, "].shape ", fallback.shape, " != dense_shapes[", k, "] ", row);
    if (!serialized.has_rank()) {
      ctx.add_output(fallback.dtype, Shape::unknown_rank());
      continue;
    }
    Shape whole = serialized;
    for (const int64_t dim : row) whole.append(dim);
    ctx.add_output(fallback.dtype, whole);
  }
  if (!shapes.is_at_end()) ctx.fail("dense_shapes holds more than ", count, " shapes");
  ctx.set_scratch(static_cast<int64_t>(count), sizeof(std::string_view));
}

// The fields of a message, one after the other.
class Fields {
 public:
  explicit Fields(std::string_view message) : rest_(message) {}

  uint64_t number = 0;
  int kind = 0;            // kVarint and so on
  uint64_t value = 0;      // of a varint
  std::string_view bytes;  // of the others

  enum { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  // False at the end, or where the message is damaged.
  bool next() {
    if (rest_.empty()) return false;
    uint64_t tag;
    if (!varint(&rest_, &tag) || tag >> 3 == 0) return fail();
    number = tag >> 3;
    kind = static_cast<int>(tag & 7);
    switch (kind) {
      case kVarint:
        return varint(&rest_, &value) || fail();
      case kFixed64:
        return take(8);
      case kBytes: {
        uint64_t size;
        return (varint(&rest_, &size) && take(size)) || fail();
      }
      case kFixed32:
        return take(4);
      default:
        return fail();
    }
  }
  bool is_damaged() const { return is_damaged_; }

  static bool varint(std::string_view* from, uint64_t* value) {
    *value = 0;
    const size_t most = std::min<size_t>(from->size(), 10);
    for (size_t i = 0; i < most; ++i) {
      const auto byte = static_cast<unsigned char>((*from)[i]);
      *value |= static_cast<uint64_t>(byte & 127) << (7 * i);
      if (byte < 128) {
        from->remove_prefix(i + 1);
        return true;
      }
    }
    return false;
  }

 private:
  bool take(uint64_t size) {
    if (size > rest_.size()) return fail();
    bytes = rest_.substr(0, static_cast<size_t>(size));
    rest_.remove_prefix(static_cast<size_t>(size));
    return true;
  }
  bool fail() {
    is_damaged_ = true;
    return false;
  }

  std::string_view rest_;
  bool is_damaged_ = false;
};

// Sets features[k] to the serialized feature of key k, the last one if there are several. False for
// damaged bytes.
bool find_features(std::string_view example, const View& keys, std::string_view* features) {
  const int64_t count = keys.size();
  std::fill_n(features, count, std::string_view());
  int64_t next_key = 0;  // most examples have their features in one order
  Fields outer(example);
  while (outer.next()) {
    if (outer.number != 1 || outer.kind != Fields::kBytes) continue;
    Fields entries(outer.bytes);
    while (entries.next()) {
      if (entries.number != 1 || entries.kind != Fields::kBytes) continue;
      Fields entry(entries.bytes);
      std::string_view key, feature;
      while (entry.next()) {
        if (entry.kind != Fields::kBytes) continue;
        if (entry.number == 1) key = entry.bytes;
        if (entry.number == 2) feature = entry.bytes;
      }
      if (entry.is_damaged()) return false;
      for (int64_t i = 0; i < count; ++i) {
        const int64_t k = next_key + i < count ? next_key + i : next_key + i - count;
        if (text::at(keys, k) != key) continue;
        features[k] = feature;
        next_key = k + 1 < count ? k + 1 : 0;
        break;
      }
    }
    if (entries.is_damaged()) return false;
  }
  return !outer.is_damaged();
}

DType dtype_of_list(uint64_t number) {
  return number == 1 ? DType::kString : number == 2 ? DType::kFloat32 : DType::kInt64;
}

// Calls add(value) for each value of a list; false for damaged bytes.
template <typename Add>
bool each_int(std::string_view list, const Add& add) {
  Fields fields(list);
  while (fields.next()) {
    if (fields.number != 1) continue;
    if (fields.kind == Fields::kVarint) add(static_cast<int64_t>(fields.value));
    if (fields.kind != Fields::kBytes) continue;
    while (!fields.bytes.empty()) {
      uint64_t value;
      if (!Fields::varint(&fields.bytes, &value)) return false;
      add(static_cast<int64_t>(value));
    }
  }
  return !fields.is_damaged();
}

template <typename Add>
bool each_float(std::string_view list, const Add& add) {
  Fields fields(list);
  while (fields.next()) {
    if (fields.number != 1 || (fields.kind != Fields::kBytes && fields.kind != Fields::kFixed32))
      continue;
    if (fields.bytes.size() % sizeof(float) != 0) return false;
    for (size_t i = 0; i < fields.bytes.size(); i += sizeof(float)) {
      float value;
      std::memcpy(&value, fields.bytes.data() + i, sizeof value);
      add(value);
    }
  }
  return !fields.is_damaged();
}

template <typename Add>
bool each_bytes(std::string_view list, const Add& add) {
  Fields fields(list);
  while (fields.next()) {
    if (fields.number == 1 && fields.kind == Fields::kBytes) add(fields.bytes);
  }
  return !fields.is_damaged();
}

// One call of the kernel: where it is, for messages.
class Parser {
 public:
  explicit Parser(const KernelContext& ctx)
      : ctx_(ctx),
        keys_(ctx.inputs[kKeys]),
        features_(static_cast<std::string_view*>(ctx.scratch)),
        count_(ctx.inputs[kSerialized].size()) {}

  void run() {
    const View& serialized = ctx_.inputs[kSerialized];
    for (example_ = 0; example_ < count_; ++example_) {
      if (!find_features(text::at(serialized, example_), keys_, features_)) fail_damaged();
      for (key_ = 0; key_ < ctx_.outputs.size(); ++key_) fill_row();
    }
  }

 private:
  [[noreturn]] void fail_damaged() const {
    throw InvalidArgumentError(cat("[ParseExampleV2] Could not parse example input, value: '",
                                   text::at(ctx_.inputs[kSerialized], example_), "'"));
  }
  template <typename... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    const bool is_batch = ctx_.inputs[kSerialized].shape.rank() > 0;
    throw InvalidArgumentError(
        cat("[ParseExampleV2] ", is_batch ? "Name: <unknown>, " : "", parts...));
  }

  std::string_view key() const { return text::at(keys_, static_cast<int64_t>(key_)); }

  void fill_row() {
    const View& out = ctx_.outputs[key_];
    const int64_t row = out.size() / count_;
    // A feature without a list counts as missing.
    uint64_t number = 0;
    std::string_view list;
    Fields feature(features_[key_]);
    while (feature.next()) {
      if (feature.kind != Fields::kBytes || feature.number > 3) continue;
      number = feature.number;
      list = feature.bytes;
    }
    if (feature.is_damaged()) fail_damaged();
    if (number == 0) return fill_default(out, row);
    const DType dtype = dtype_of_list(number);
    if (dtype != out.dtype)
      fail("Key: ", key(), ".  Data types don't match. Data type: ", word(dtype),
           " but expected type: ", word(out.dtype));
    int64_t found = 0;
    bool is_whole = false;
    const int64_t start = example_ * row;
    if (dtype == DType::kInt64) {
      int64_t* const to = out.as<int64_t>() + start;
      is_whole = each_int(list, [&](int64_t value) {
        if (found < row) to[found] = value;
        ++found;
      });
    } else if (dtype == DType::kFloat32) {
      float* const to = out.as<float>() + start;
      is_whole = each_float(list, [&](float value) {
        if (found < row) to[found] = value;
        ++found;
      });
    } else {
      StringRef* const to = out.as<StringRef>() + start;
      is_whole = each_bytes(list, [&](std::string_view value) {
        if (found < row) to[found] = make_string(value);
        ++found;
      });
    }
    if (!is_whole) fail_damaged();
    if (found != row) fail_count(found);
  }

  [[noreturn]] void fail_count(int64_t found) const {
    const View& out = ctx_.outputs[key_];
    Shape row;
    for (int i = ctx_.inputs[kSerialized].shape.rank(); i < out.shape.rank(); ++i)
      row.append(out.shape[i]);
    fail("Key: ", key(), ", Index: ", example_, ".  Number of ", word(out.dtype),
         " values != expected.  Values size: ", found, " but output shape: ", row);
  }

  void fill_default(const View& out, int64_t row) const {
    const View& fallback = ctx_.inputs[kDefaults + key_];
    if (fallback.size() != row || row == 0)
      fail("Feature: ", key(), " (data type: ", word(out.dtype),
           ") is required but could not be found.");
    const int64_t start = example_ * row;
    const size_t size = dtype_size(out.dtype);
    std::memcpy(out.as<char>() + static_cast<size_t>(start) * size, fallback.as<char>(),
                static_cast<size_t>(row) * size);
    if (out.dtype == DType::kString)
      retain_strings({fallback.as<StringRef>(), static_cast<size_t>(row)});
  }

  static std::string_view word(DType dtype) {
    return dtype == DType::kFloat32 ? "float" : dtype_name(dtype);
  }

  const KernelContext& ctx_;
  const View& keys_;
  std::string_view* const features_;
  const int64_t count_;
  int64_t example_ = 0;
  size_t key_ = 0;
};

KernelResult cpu(const KernelContext& ctx) {
  Parser(ctx).run();
  return KernelResult::ok();
}

// Serialized messages for samples.
std::string field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}
std::string entry(const std::string& key, int list, const std::string& values) {
  return field(1, field(1, key) + field(2, field(list, values)));
}
std::string example(const std::string& entries) { return field(1, entries); }
std::string ints_of(const std::string& varints) { return field(1, varints); }
std::string floats_of(std::vector<float> values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return field(1, bytes);
}

std::vector<Sample> samples() {
  const std::string first =
      example(entry("n", 3, ints_of("\x05")) + entry("x", 2, floats_of({0.5f, 1.5f})) +
              entry("s", 1, field(1, "word")));
  const std::string second =
      example(entry("s", 1, field(1, "")) +
              entry("n", 3, ints_of("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")) +
              entry("x", 2, floats_of({-1, 2})));
  const SampleInput both = words({2}, {first, second});
  const SampleInput none = of(DType::kInt64, {0});
  return {
      {{both, words({1}, {"n"}), none}, {{"dense_shapes", {0}}}},
      {{words({}, {first}), words({1}, {"n"}), none}, {{"dense_shapes", {0}}}},
      {{both, words({3}, {"n", "s", "x"}), none, of(DType::kString, {0}), f32({0})},
       {{"dense_shapes", {0, 0, 1, 2}}}},
      {{both, words({2}, {"x", "n"}), f32({0}), none}, {{"dense_shapes", {2, 2, 1, 1, 1}}}},
      {{both, words({2}, {"other", "n"}), f32({3}), none}, {{"dense_shapes", {1, 3, 0}}}},
      {{words({}, {first}), words({2}, {"t", "s"}), words({2}, {"u", "v"}),
        of(DType::kString, {0})},
       {{"dense_shapes", {1, 2, 0}}}},
      {{of(DType::kString, {0}), words({1}, {"n"}), none}, {{"dense_shapes", {1, 4}}}},
      // Numbers that are not packed, and the last of two features with one key.
      {{words({}, {example(entry("n", 3, "\x08\x07\x08\x01") + entry("n", 3, "\x08\x02\x08\x03"))}),
        words({1}, {"n"}), none},
       {{"dense_shapes", {1, 2}}}},
      {{words({}, {""}), words({1}, {"n"}), given(DType::kInt64, {}, {4})},
       {{"dense_shapes", {0}}}},
      // A feature without values, for a default.
      {{words({}, {example(field(1, field(1, "n") + field(2, "")))}), words({1}, {"n"}),
        given(DType::kInt64, {}, {4})},
       {{"dense_shapes", {0}}}},
      {{words({1000}, std::vector<std::string>(1000, first)), words({3}, {"n", "s", "x"}), none,
        of(DType::kString, {0}), f32({0})},
       {{"dense_shapes", {0, 0, 1, 2}}},
       0,
       true,
       true},
  };
}

}  // namespace

PEN_OP_DEF(parse_example_v2) = {
    .name = "ParseExampleV2",
    .doc =
        "The features of serialized tf.train.Examples, by key. A default without elements means "
        "that the feature must be there.",
    .inputs = {in("serialized", DType::kString), in("dense_keys", DType::kString),
               many("dense_defaults", kAnyType, kMixed)},
    .attrs = {ints_attr("dense_shapes")},
    .outputs = {"dense_values"},
    .traits = {Trait::kManyOutputs, Trait::kMakesStrings},
    .infer = infer,
    .cpu = cpu,
    .grad = no_gradient,
    .samples = samples,
};

}  // namespace penstock
