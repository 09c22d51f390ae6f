// The stream positions of random ops. A graph node has a RandomState. An eager call continues where
// the last one with the same seeds, dtypes and attributes stopped.
#pragma once

#include <mutex>
#include <unordered_map>

#include <penstock/exec/random_states.h>
#include <penstock/ops/context.h>

#include "graph/graph.h"
#include "graph/random_state.h"

namespace penstock::exec {

struct TraceState;

// Separate states for the nodes of a graph derived from another: each stands for a state of the
// original graph.
struct StateMap {
  explicit StateMap(RandomState::Restarts when = RandomState::Restarts::kWithSeed)
      : restarts(when) {}
  RandomStateRef of(const RandomStateRef& original);

  const RandomState::Restarts restarts;

 private:
  struct Entry {
    RandomStateRef original;  // kept alive: its address is the key
    RandomStateRef own;
  };
  using Item = std::pair<const RandomState* const, Entry>;
  RandomStateRef find(const RandomStateRef& original);

  std::mutex mutex_;
  std::unordered_map<const RandomState*, Entry, std::hash<const RandomState*>, std::equal_to<>,
                     Counted<Item>>
      entries_;
};

// While it exists, a random op uses this state; inside a trace its node gets it.
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

// The state of a new node; null if it needs none.
RandomStateRef state_of_call(const TraceState& trace, const OpDef& op);

// The attributes of a call that runs now, with its stream position; `own` is storage for them.
using OwnAttrs = SmallVector<Attr, 8>;
Attrs placed(const OpDef& op, std::span<const View> inputs, const Shape& output, Attrs attrs,
             OwnAttrs& own);

}  // namespace penstock::exec
