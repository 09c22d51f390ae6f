// OpenShapes: what a trace knows of values whose shapes are not all known, beyond what its graph
// says. How that is found out is in shape_probes.h.
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
  // How many sizes unknown dimensions are tried with.
  static constexpr size_t kCount = 5;

  // A call's outputs, as far as they are known, and as they are for each of the sizes (none where
  // the call is no good).
  struct Outcome {
    std::vector<OutputSpec> outputs;
    std::array<Tensors, kCount> tensors;
  };

  virtual ~OpenShapes() = default;

  // A value that comes from nothing that is known: its unknown dimensions may be of any size.
  virtual void add(ValueId value, DType dtype, const Shape& shape, bool is_input = false) = 0;
  // As another value.
  virtual void add_like(ValueId value, ValueId other) = 0;
  // The outputs of a call, one value after the other.
  virtual void add(ValueId first, const Outcome& outcome) = 0;
  virtual bool knows(ValueId value) const = 0;

  // `elements` says what is known of those of host inputs (known_elements.h), one entry for each
  // input. Throws what the op throws when the call is good nowhere.
  virtual Outcome call(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
                       std::span<const std::optional<SomeInts>> elements = {}) = 0;
};

}  // namespace penstock::exec
