// Descriptors: the fields of an OpDef for passes, graphs and the Python front.
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

// The integer operation that an op computes, for passes that count loop steps.
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

// A Python operator that calls the op: "add" is that of __add__. A second op may handle the dtypes
// that the first does not accept.
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
  // Whether the filter is dilated: TensorFlow then convolves parts of the input and reassembles
  // them.
  bool is_dilated() const;
};

// The nodes with which TensorFlow computes all axes of an input of unknown rank.
inline constexpr std::string_view kAllAxesNodes = "Rank range";

// A name that depends on the attributes and inputs of the call.
struct LateName {
  // The result's name within the call's; empty: the call's name itself.
  std::string_view result = {};
  // Names reserved beside the call's, separated by spaces.
  std::string_view beside = {};
  // The result's name beside the call's, if the user gave none.
  std::string_view usual = {};
};
using LateNameFn = LateName (*)(const GraphCall& call);

// The node names of one call in a TensorFlow graph, if they are not just the op's name: the call's
// name and, for several nodes, the name of the last one within it ("*": the requested name, or else
// the op's). An empty result is the call's name itself. `late` decides what depends on the call.
struct GraphName {
  std::string_view scope = {};  // empty: the op's name
  std::string_view result = {};
  LateNameFn late = nullptr;
  // The name of constants at the inputs after the first, if it is not the input's.
  std::string_view constants = {};
  // Attributes that are inputs in TensorFlow, and their names there.
  struct AttrInput {
    std::string_view attr, input;
  };
  AttrInput attr_inputs[2] = {};
};

}  // namespace penstock
