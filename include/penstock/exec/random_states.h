// Who keeps count of what random ops have drawn, where it is not a function itself.
#pragma once

#include <memory>

#include <penstock/base/export.h>

namespace penstock {

namespace exec {
struct StateMap;
struct DrawNotes;
}  // namespace exec

// The random states of a session: one for each random op of a graph, whatever runs are made of it.
class PEN_API RandomStates {
 public:
  RandomStates();
  exec::StateMap& map() const { return *map_; }

 private:
  std::shared_ptr<exec::StateMap> map_;
};

// What random ops draw while it is entered, so that the same code can draw it again: the first time
// notes are taken; from then on the same calls, in the same order, get what the first ones got. For
// one thread.
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

// Random ops of all functions start their streams anew, as after a new global seed.
PEN_API void restart_random_streams();

}  // namespace penstock
