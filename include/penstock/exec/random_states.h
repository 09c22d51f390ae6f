// State of random ops that outlives a single function.
#pragma once

#include <memory>

#include <penstock/base/export.h>

namespace penstock {

namespace exec {
struct StateMap;
struct DrawNotes;
}  // namespace exec

// The random states of a session: one per random op of a graph, shared by all its runs.
class PEN_API RandomStates {
 public:
  RandomStates();
  exec::StateMap& map() const { return *map_; }

 private:
  std::shared_ptr<exec::StateMap> map_;
};

// Replays random draws: the first time it is entered, it notes what random ops draw; from then on
// the same calls, in the same order, draw the same. For one thread.
class PEN_API RepeatedDraws {
 public:
  RepeatedDraws();
  ~RepeatedDraws();
  RepeatedDraws(const RepeatedDraws&) = delete;
  RepeatedDraws& operator=(const RepeatedDraws&) = delete;

  void enter();
  void exit();

 private:
  std::unique_ptr<exec::DrawNotes> notes_;
};

// Restarts the random streams of all functions, as a new global seed does.
PEN_API void restart_random_streams();

}  // namespace penstock
