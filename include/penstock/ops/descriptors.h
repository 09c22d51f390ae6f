// Descriptors: fields of an OpDef that say what passes, graphs and the Python front know of the op.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <penstock/base/export.h>
#include <penstock/core/attr.h>
#include <penstock/core/dtype.h>

namespace penstock {

struct OpDef;
class Shape;
class Tensor;

// What an op of two integers works out, for passes that count.
enum class Arithmetic : uint8_t {
  kNone,
  kAdd,
  kSubtract,
  kAnd,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
};

// An operator of Python that calls the op: "add" is that of __add__. Another op may be there for
// dtypes that the first one does not take.
struct OperatorDef {
  std::string_view name;
  bool for_other_dtypes = false;
};

// A call that becomes a node of a graph.
struct PEN_API GraphCall {
  const OpDef& op;
  std::span<const Tensor* const> inputs;
  Attrs attrs;

  // Pre: the op has an attribute of that name.
  const Attr& attr(std::string_view name) const;
  // Of the first input.
  DType dtype() const;
  const Shape& shape() const;
  // The size of the first input's last dimension, or kUnknownDim.
  int64_t last_size() const;
  // Whether an axis of the first input is known to be the last one.
  bool is_last(int64_t axis) const;
  // Whether the attribute `dilations` sets a filter's elements apart: TensorFlow then convolves
  // parts of the input, which it puts together again.
  bool is_dilated() const;
};

// The nodes that work out all axes of an input in TensorFlow, where its rank is not known.
inline constexpr std::string_view kAllAxesNodes = "Rank range";

// A name that depends on the call: which nodes there are may depend on attributes and on inputs.
struct LateName {
  // What the result is called within the call's name; empty: that name itself.
  std::string_view result = {};
  // Names that are taken next to the call's, separated by spaces.
  std::string_view beside = {};
  // What the result is called next to the call's name, unless it was given one.
  std::string_view usual = {};
};
using LateNameFn = LateName (*)(const GraphCall& call);

// What TensorFlow calls the nodes that its function makes of one call, where that is not just the
// op's name: the call's name, and where there are several nodes, what the last of them is called
// within ("*": as the caller asked, or else as the op). An empty result is the call's name itself.
// Where it depends on the call, `late` says more.
struct GraphName {
  std::string_view scope = {};  // empty: the op's name
  std::string_view result = {};
  LateNameFn late = nullptr;
  // What constants at the inputs after the first one are called, where not as the inputs.
  std::string_view constants = {};
  // Attributes that TensorFlow has as inputs, and what it calls those.
  struct AttrInput {
    std::string_view attr, input;
  };
  AttrInput attr_inputs[2] = {};
};

}  // namespace penstock
