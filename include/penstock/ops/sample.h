// Sample: one op call for the derived checks, as data: inputs that are regenerated from a seed, and
// named attributes.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <penstock/core/dtype.h>
#include <penstock/core/shape.h>
#include <penstock/ops/op_def.h>

namespace penstock {

struct SampleInput {
  DType dtype;
  Shape shape;
  double low = -2, high = 2;        // values drawn from [low, high); integers for integer dtypes
  std::vector<double> values = {};  // or these, in row-major order
  bool distinct = false;            // no two values closer than 0.01: for max, sort and top_k
  std::vector<std::string> strings = {};  // for DType::kString
  bool hermitian = false;  // of its matrices; gradients are checked along directions that keep it
};

inline SampleInput f32(Shape shape, double low = -2, double high = 2) {
  return {DType::kFloat32, shape, low, high};
}
inline SampleInput of(DType dtype, Shape shape, double low = -2, double high = 2) {
  return {dtype, shape, low, high};
}
// All values are distinct.
inline SampleInput distinct(DType dtype, Shape shape, double low = -2, double high = 2) {
  SampleInput input = of(dtype, shape, low, high);
  input.distinct = true;
  return input;
}
inline SampleInput i32(Shape shape, double low = -5, double high = 6) {
  return {DType::kInt32, shape, low, high};
}
// Given values: of rank 1, or of `shape`.
inline SampleInput ints(std::vector<double> values) {
  const auto count = static_cast<int64_t>(values.size());
  return {DType::kInt32, Shape{count}, 0, 0, std::move(values)};
}
inline SampleInput given(DType dtype, Shape shape, std::vector<double> values) {
  return {dtype, shape, 0, 0, std::move(values)};
}

// std::monostate: an absent list.
using AttrLiteral =
    std::variant<int64_t, double, bool, DType, std::string, std::vector<int64_t>, std::monostate>;
struct SampleAttr {
  std::string_view name;
  AttrLiteral value;
  SampleAttr(std::string_view n, int v) : name(n), value(int64_t{v}) {}
  SampleAttr(std::string_view n, double v) : name(n), value(v) {}
  SampleAttr(std::string_view n, bool v) : name(n), value(v) {}
  SampleAttr(std::string_view n, DType v) : name(n), value(v) {}
  SampleAttr(std::string_view n, const char* v) : name(n), value(std::string(v)) {}
  // Chosen for every braced list, {1} included.
  SampleAttr(std::string_view n, std::initializer_list<int64_t> v)
      : name(n), value(std::vector<int64_t>(v)) {}
  SampleAttr(std::string_view n, std::vector<int64_t> v) : name(n), value(std::move(v)) {}
  SampleAttr(const SampleAttr&) = default;
  SampleAttr& operator=(const SampleAttr&) = default;
  // Not inlined: otherwise GCC 12 reports the variant's other members as uninitialised.
  [[gnu::noinline]] ~SampleAttr() {}
};

struct Sample {
  std::vector<SampleInput> inputs;
  std::vector<SampleAttr> attrs = {};
  double tolerance = 0;    // relative, for the comparison of values; 0: the dtype's usual
  bool check_grad = true;  // false if the gradient does not exist at some of the values
  bool for_speed = false;  // a larger one, timed by op-check's perf mode only
};

}  // namespace penstock
