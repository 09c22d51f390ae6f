#include "exec/run/control/loop.h"

#include <algorithm>
#include <cstring>

#include "exec/interrupts.h"
#include "exec/run/control/control_memory.h"
#include "exec/run/control/loop_counters.h"
#include "exec/run/control/region.h"
#include "graph/loop_states.h"
#include "memory/alignment.h"
#include "plan/checkpoints.h"

namespace penstock::exec {
namespace {

struct LoopFrame : ControlFrame {
  std::unique_ptr<Executable::Frame> condition, step;
  Addresses start, states, invariants;
};

class Loop final : public ControlExecutable {
 public:
  Loop(const Control& control, MakeControlFn make_control)
      : num_states_(static_cast<size_t>(control.num_states)),
        condition_(with_slots(control.region(Control::kCondition), 0), make_control),
        step_(with_slots(with_condition(control.region(Control::kBody),
                                        control.region(Control::kCondition)),
                         num_states_),
              make_control),
        trips_(control.trips),
        form_(control.region(Control::kBody), all_states(control)),
        kept_(control.shares_checkpoints ? control.states : std::vector<int32_t>()),
        kept_form_(control.region(Control::kBody), kept_) {
    if (control.shares_checkpoints)
      kept_steps_ = plan::kept_on_way(control.trips, control.checkpoints);
  }

  // One byte holds the condition.
  int64_t scratch_bytes() const override {
    return aligned(1) + std::max(condition_.scratch_bytes(), step_.scratch_bytes());
  }

  std::unique_ptr<ControlFrame> make_frame() const override {
    auto frame = std::make_unique<LoopFrame>();
    frame->condition = condition_.make_frame();
    frame->step = step_.make_frame();
    frame->start.reserve(condition_.graph().num_inputs());
    frame->states.reserve(num_states_);
    frame->invariants.reserve(condition_.graph().num_inputs());
    return frame;
  }

  void run(const KernelContext& context, ControlFrame& any_frame) const override {
    auto& frame = static_cast<LoopFrame&>(any_frame);
    char* goes_on = static_cast<char*>(context.scratch);
    char* scratch = goes_on + aligned(1);
    frame.start.assign(context.inputs);
    frame.states.assign(context.outputs);
    frame.invariants.assign(context.inputs.subspan(num_states_));
    const std::span<char* const> flag(&goes_on, 1);
    const RegionExecutable::Memory before{frame.start, flag, {}, scratch};
    condition_.place(*frame.condition, before);
    condition_.run(*frame.condition, before);
    for (size_t i = 0; i < num_states_; ++i) {
      if (frame.start[i] != frame.states[i])
        std::memcpy(frame.states[i], frame.start[i], form_.bytes(i));
    }
    const RegionExecutable::Memory memory{frame.invariants, flag, frame.states, scratch};
    step_.place(*frame.step, memory);
    Interrupts interrupts;
    int64_t step = 0;
    char* store = kept_steps_.empty() ? nullptr : static_cast<char*>(context.outputs.back().data);
    for (int64_t kept : kept_steps_) {
      for (; step < kept; ++step) {
        step_.run(*frame.step, memory);
        interrupts.step();
      }
      keep(frame.states, store);
      store += kept_form_.total();
    }
    while (*goes_on != 0) {
      step_.run(*frame.step, memory);
      interrupts.step();
      ++step;
    }
    if (!kept_steps_.empty()) count_loop_steps(step, 0);
  }

  int64_t bytes() const override { return condition_.bytes() + step_.bytes(); }

  void add_loops(const std::string& line, std::vector<PlannedLoop>& loops) const override {
    loops.push_back({.kind = PlannedLoop::Kind::kLoop,
                     .line = line,
                     .trips = trips_,
                     .state_bytes = form_.total()});
    step_.add_inner_loops(loops);
  }

 private:
  void keep(const Addresses& states, char* to) const {
    for (size_t i = 0; i < kept_.size(); ++i) {
      std::memcpy(to + kept_form_.offset(i), states[static_cast<size_t>(kept_[i])],
                  kept_form_.bytes(i));
    }
  }

  size_t num_states_;
  RegionExecutable condition_, step_;
  int64_t trips_;
  PackedStates form_;
  std::vector<int32_t> kept_;  // states that a gradient needs, at these steps
  PackedStates kept_form_;
  std::vector<int64_t> kept_steps_;
};

}  // namespace

std::unique_ptr<ControlExecutable> make_loop(const Control& control, MakeControlFn make_control) {
  return std::make_unique<Loop>(control, make_control);
}

}  // namespace penstock::exec
