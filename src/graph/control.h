// Control: what a control node of a graph does. Its regions are graphs with inputs and outputs, but
// without slots and writes.
//
//   branch         inputs: the number of the region, then the inputs of all regions. Outputs: the
//                  outputs of that region, or of the last one if the number is out of range.
//   loop           inputs: states, then invariants. Regions: the condition and the body, both with
//                  states and invariants as inputs. Outputs: the states when the condition fails.
//   loop gradient  inputs: the states before the loop, invariants, and the gradients that arrive at
//                  `states`. Regions: the condition, the body, and one backward step. The
//                  backward step maps states and invariants at a step, the gradients after it and
//                  the sums for `invariants` so far to the gradients before it and the new sums.
//                  Outputs: these after all steps.
//
// A loop and its gradient may share checkpoints: the loop then has one more output, the states it
// kept, which is the gradient's last input.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "graph/ids.h"

namespace penstock {

class Graph;

struct Control {
  enum class Kind : uint8_t { kBranch, kLoop, kLoopGradient };
  enum LoopRegion : size_t { kCondition, kBody, kBackward };

  Kind kind = Kind::kBranch;
  std::vector<std::shared_ptr<const Graph>> regions;

  bool has_custom_gradients = false;  // of the host, in regions: not part of the graph

  // For loops and their gradients.
  int32_t num_states = 0;
  int64_t trips = -1;       // the number of steps, if known
  int64_t checkpoints = 0;  // the most states that a gradient keeps; 0: automatic
  bool swaps = false;       // keep them in a file
  bool shares_checkpoints = false;
  uint64_t loop = 0;                        // the same for a loop and its gradients
  std::vector<int32_t> numbers;             // of its states, among those of the original loop
  std::vector<int32_t> states, invariants;  // of a gradient: those that have one

  const Graph& region(size_t i) const { return *regions[i]; }

  // Cached by code that calls the regions one by one; copies start without it.
  struct Prepared {
    Prepared() = default;
    Prepared(const Prepared&) {}
    std::mutex mutex;
    std::shared_ptr<void> made;
  };
  mutable Prepared prepared;
};

// The name of a kind ("while"), and of its region number `i` ("body").
const char* name_of(Control::Kind kind);
std::string region_name(Control::Kind kind, size_t i);

// The input whose memory an output of the node may take over, its initial value; kNoIndex if there
// is none.
int32_t forwarded_input(const Control& control, size_t output, size_t num_inputs);

}  // namespace penstock
