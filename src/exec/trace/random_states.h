// Draws: where a random op's call is in its stream. A node of a graph has a RandomState; a call
// that runs at once goes on where the last one with the same seeds, dtypes and attributes was.
#pragma once

#include <mutex>
#include <unordered_map>

#include <penstock/exec/random_states.h>
#include <penstock/ops/context.h>

#include "graph/graph.h"
#include "graph/random_state.h"

namespace penstock::exec {

struct TraceState;

// Nodes of a graph that is made of another's draw by themselves: each state stands for one of the
// other graph's.
struct StateMap {
  explicit StateMap(RandomState::Restarts when = RandomState::Restarts::kWithSeed)
      : restarts(when) {}
  RandomStateRef of(const RandomStateRef& original);

  const RandomState::Restarts restarts;

 private:
  struct Entry {
    RandomStateRef original;  // which must stay: its address is the key
    RandomStateRef own;
  };
  using Item = std::pair<const RandomState* const, Entry>;
  RandomStateRef find(const RandomStateRef& original);

  std::mutex mutex_;
  std::unordered_map<const RandomState*, Entry, std::hash<const RandomState*>, std::equal_to<>,
                     Counted<Item>>
      entries_;
};

// While it lasts, the call of a random op draws by this state; inside a trace its node has it.
class DrawsBy {
 public:
  explicit DrawsBy(RandomStateRef state);
  ~DrawsBy();
  DrawsBy(const DrawsBy&) = delete;
  DrawsBy& operator=(const DrawsBy&) = delete;

 private:
  RandomStateRef state_;
  const RandomStateRef* before_;
};

// The state of a new node; none where it has none.
RandomStateRef state_of_call(const TraceState& trace, const OpDef& op);

// The attributes of a call that runs now, with its place in the stream; `own` has room for them.
using OwnAttrs = SmallVector<Attr, 8>;
Attrs placed(const OpDef& op, std::span<const View> inputs, const Shape& output, Attrs attrs,
             OwnAttrs& own);

}  // namespace penstock::exec
