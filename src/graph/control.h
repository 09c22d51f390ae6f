// Control: what a control node of a graph does. Its regions are graphs of their own: they have
// inputs and outputs, and neither slots nor writes.
//
//   branch         inputs: the number of the region, then what all regions take. Outputs: what the
//                  region that the number picks gives; the last one where it is out of range.
//   loop           inputs: states, then invariants. Regions: the condition and the body, both of
//                  states and invariants. Outputs: the states once the condition does not hold.
//   loop gradient  inputs: the states before the loop, invariants, and the gradients that arrive at
//                  `states`. Regions: the condition, the body, and one step backwards: of states
//                  and invariants at a step, the gradients after it, and the sums for `invariants`
//                  so far, to the gradients before it and the sums. Outputs: these after all steps.
//
// A loop and its gradient may be tied: the loop then has one output more, the states that it kept
// on its way, which is the gradient's last input.
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

  bool has_custom_gradients = false;  // of the host's, in regions: they are not in the graph

  // Of loops and their gradients.
  int32_t num_states = 0;
  int64_t trips = -1;       // how many steps it takes, where that is known
  int64_t checkpoints = 0;  // states that a gradient keeps at most; 0: as many as seem best
  bool swaps = false;       // these are kept in a file
  bool shares_checkpoints = false;
  uint64_t loop = 0;                        // the same for a loop and its gradients
  std::vector<int32_t> numbers;             // of its states, among those that the loop once had
  std::vector<int32_t> states, invariants;  // of a gradient: those that have one

  const Graph& region(size_t i) const { return *regions[i]; }

  // What those have made of it who call its regions one by one; a copy begins without.
  struct Prepared {
    Prepared() = default;
    Prepared(const Prepared&) {}
    std::mutex mutex;
    std::shared_ptr<void> made;
  };
  mutable Prepared prepared;
};

// The name of a kind, "while", and of its region number `i`, "body".
const char* name_of(Control::Kind kind);
std::string region_name(Control::Kind kind, size_t i);

// The input whose memory an output of the node may take over: what it starts from; kNoIndex when
// there is none.
int32_t forwarded_input(const Control& control, size_t output, size_t num_inputs);

}  // namespace penstock
