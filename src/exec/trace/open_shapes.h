// OpenShapes: what a trace knows of values with open shapes, beyond its graph. shape_probes.h
// implements it.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "exec/trace/some_ints.h"
#include "graph/graph.h"

namespace penstock::exec {

class OpenShapes {
 public:
  // The number of sizes tried for unknown dimensions.
  static constexpr size_t kCount = 5;

  // A call's outputs, as far as they are known, and for each of the sizes tried (none if the call
  // fails for that size).
  struct Outcome {
    std::vector<OutputSpec> outputs;
    std::array<Tensors, kCount> tensors;
  };

  virtual ~OpenShapes() = default;

  // A value that depends on nothing known: its unknown dimensions may have any size.
  virtual void add(ValueId value, DType dtype, const Shape& shape, bool is_input = false) = 0;
  // A value like another one.
  virtual void add_like(ValueId value, ValueId other) = 0;
  // The outputs of a call, one value after the other.
  virtual void add(ValueId first, const Outcome& outcome) = 0;
  virtual bool knows(ValueId value) const = 0;

  // `elements` has the known elements of host inputs (known_elements.h), one entry per input.
  // Throws the op's error if the call fails for all sizes.
  virtual Outcome call(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
                       std::span<const std::optional<SomeInts>> elements = {}) = 0;
};

}  // namespace penstock::exec
