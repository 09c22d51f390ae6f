// Step: the unit that runs as one instruction: an op, a branch or a loop, or fused ops. Fusion
// decides its kind once (find_steps.h), step_order.h orders the steps, memory_layout.h places their
// values, and an Executable runs them.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>

#include <penstock/base/small_vector.h>

#include "exec/compile/fusion/direct_loops.h"
#include "exec/compile/fusion/product_epilogues.h"
#include "exec/compile/fusion/scalar_groups.h"
#include "exec/compile/fusion/tile_program.h"
#include "graph/graph.h"

namespace penstock::exec {

// A branch or a loop.
struct ControlStep {
  int32_t control;  // the graph's
};

struct Step {
  enum class Kind : uint8_t {
    kShared,      // nothing to do: its outputs alias its inputs
    kKernel,      // a call of an op's kernel
    kDirectLoop,  // an elementwise op on few elements
    kScalars,     // ops on single elements
    kTiles,       // elementwise ops and reductions, tile by tile
    kProduct,     // a product with its epilogue
    kControl,
  };
  // The payload of each kind of step, in the order of the kinds.
  struct Nothing {};
  struct Kernel {};
  using Payload =
      std::variant<Nothing, Kernel, std::unique_ptr<DirectLoop>, std::unique_ptr<Scalars>,
                   std::unique_ptr<Tiles>, std::unique_ptr<ProductStep>, ControlStep>;
  static_assert(std::variant_size_v<Payload> == static_cast<size_t>(Kind::kControl) + 1);

  SmallVector<NodeId, 2> nodes;  // in a valid order
  Payload payload;
  int32_t scratch = kNoIndex;  // the layout's storage, if the step needs one

  Kind kind() const { return static_cast<Kind>(payload.index()); }
  const DirectLoop& loop() const { return *std::get<std::unique_ptr<DirectLoop>>(payload); }
  const Scalars& scalars() const { return *std::get<std::unique_ptr<Scalars>>(payload); }
  const Tiles& tiles() const { return *std::get<std::unique_ptr<Tiles>>(payload); }
  const ProductStep& product() const { return *std::get<std::unique_ptr<ProductStep>>(payload); }
  int32_t control() const { return std::get<ControlStep>(payload).control; }
  DirectLoop& loop() { return *std::get<std::unique_ptr<DirectLoop>>(payload); }
  Scalars& scalars() { return *std::get<std::unique_ptr<Scalars>>(payload); }
  Tiles& tiles() { return *std::get<std::unique_ptr<Tiles>>(payload); }
};

}  // namespace penstock::exec
