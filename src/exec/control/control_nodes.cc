#include "exec/control/control_nodes.h"

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>

namespace penstock::exec {

using Kind = Control::Kind;

std::vector<OutputSpec> outputs_of(const Control& control) {
  std::vector<OutputSpec> specs;
  const auto add_all = [&](const Graph& graph, std::span<const ValueId> values) {
    for (ValueId value : values) specs.push_back({graph.dtype(value), graph.shape(value)});
  };
  switch (control.kind) {
    case Kind::kBranch:
      add_all(control.region(0), control.region(0).outputs());
      for (const auto& region : control.regions) {
        if (region->outputs().size() != specs.size())
          throw InvalidArgumentError("[cond] the branches give different numbers of tensors");
        for (size_t i = 0; i < specs.size(); ++i) {
          const ValueId value = region->outputs()[i];
          if (region->dtype(value) != specs[i].dtype) {
            throw InvalidArgumentError(cat("[cond] output ", i, " is ", specs[i].dtype,
                                           " in one branch and ", region->dtype(value),
                                           " in another"));
          }
          specs[i].shape = common_shape(specs[i].shape, region->shape(value));
        }
      }
      break;
    case Kind::kLoop: {
      const Graph& body = control.region(Control::kBody);
      const auto count = static_cast<size_t>(control.num_states);
      add_all(body, body.inputs().first(count));
      for (size_t i = 0; i < count; ++i) {
        const ValueId value = body.outputs()[i];
        if (body.dtype(value) == specs[i].dtype && fits(body.shape(value), specs[i].shape))
          continue;
        throw InvalidArgumentError(cat("[while] state ", i, " is ", specs[i].dtype, specs[i].shape,
                                       " before a step and ", body.dtype(value), body.shape(value),
                                       " after it"));
      }
      break;
    }
    case Kind::kLoopGradient: {
      const Graph& backward = control.region(Control::kBackward);
      add_all(backward, backward.outputs());
      break;
    }
  }
  return specs;
}

Shape common_shape(const Shape& a, const Shape& b) {
  if (a == b) return a;
  if (!a.has_rank() || !b.has_rank() || a.rank() != b.rank()) return Shape::unknown_rank();
  Shape both = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a[i] != b[i]) both.set(i, kUnknownDim);
  }
  return both;
}

}  // namespace penstock::exec
