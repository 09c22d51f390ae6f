#include "exec/run/control/loop_gradient.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "exec/interrupts.h"
#include "exec/run/control/checkpoint_store.h"
#include "exec/run/control/control_memory.h"
#include "exec/run/control/loop_counters.h"
#include "exec/run/control/region.h"
#include "graph/loop_states.h"
#include "memory/alignment.h"
#include "plan/checkpoints.h"

namespace penstock::exec {
namespace {

// A small state is copied to where the steps run; rebinding the steps would cost more.
constexpr int64_t kSmallState = 4096;

struct GradientFrame : ControlFrame {
  std::unique_ptr<Executable::Frame> condition, advance, backward;
  Addresses start, now, invariants, slots, inputs;
};

class LoopGradient final : public ControlExecutable {
 public:
  LoopGradient(const Control& control, MakeControlFn make_control)
      : form_(control.region(Control::kBody), all_states(control)),
        num_invariants_(control.region(Control::kBody).num_inputs() - form_.size()),
        num_given_(control.states.size()),
        num_gradients_(num_given_ + control.invariants.size()),
        trips_(control.trips),
        swaps_(control.swaps),
        shares_checkpoints_(control.shares_checkpoints),
        most_(trips_ >= 0 ? num_checkpoints(control) : control.checkpoints) {
    const Graph& condition = control.region(Control::kCondition);
    const Graph& body = control.region(Control::kBody);
    const Graph& backward = control.region(Control::kBackward);
    if (trips_ < 0) condition_.emplace(with_slots(condition, 0), make_control);
    advance_.emplace(trips_ < 0 ? with_slots(with_condition(body, condition), form_.size())
                                : with_slots(body, form_.size()),
                     make_control);
    backward_.emplace(
        with_slots(with_last_first(backward, body.num_inputs()), backward.outputs().size()),
        make_control);
  }

  int64_t scratch_bytes() const override {
    return aligned(1) + form_.total() + region_bytes() + planned_store_bytes();
  }

  std::unique_ptr<ControlFrame> make_frame() const override {
    auto frame = std::make_unique<GradientFrame>();
    if (condition_) frame->condition = condition_->make_frame();
    frame->advance = advance_->make_frame();
    frame->backward = backward_->make_frame();
    frame->start.reserve(form_.size());
    frame->now.reserve(form_.size());
    frame->invariants.reserve(num_invariants_);
    frame->slots.reserve(num_gradients_);
    frame->inputs.reserve(form_.size() + num_invariants_);
    return frame;
  }

  void run(const KernelContext& context, ControlFrame& frame) const override;

  int64_t bytes() const override {
    return advance_->bytes() + backward_->bytes() + (condition_ ? condition_->bytes() : 0);
  }

  void add_loops(const std::string& line, std::vector<PlannedLoop>& loops) const override {
    const bool is_known = trips_ >= 0;
    loops.push_back({.kind = PlannedLoop::Kind::kGradient,
                     .line = line,
                     .trips = trips_,
                     .state_bytes = form_.total(),
                     .checkpoints = is_known || most_ > 0 ? most_ : -1,
                     .forward_steps = is_known ? plan::num_advances(trips_, most_ + 1) : -1,
                     .is_in_file = swaps_});
    advance_->add_inner_loops(loops);
    backward_->add_inner_loops(loops);
  }

 private:
  class Run;

  int64_t region_bytes() const {
    return aligned(std::max({condition_ ? condition_->scratch_bytes() : 0,
                             advance_->scratch_bytes(), backward_->scratch_bytes()}));
  }
  int64_t planned_store_bytes() const {
    return trips_ >= 0 && !swaps_ && !shares_checkpoints_ ? most_ * form_.total() : 0;
  }

  const PackedStates form_;
  const size_t num_invariants_;
  const size_t num_given_;      // gradients that arrive
  const size_t num_gradients_;  // including the sums
  const int64_t trips_;
  const bool swaps_, shares_checkpoints_;
  int64_t most_;  // states kept besides the first; 0: depends on the steps
  std::optional<RegionExecutable> condition_, advance_, backward_;
};

// One run.
class LoopGradient::Run {
 public:
  Run(const LoopGradient& loop, const KernelContext& context, GradientFrame& frame)
      : loop_(loop), form_(loop.form_), context_(context), frame_(frame) {
    flag_ = static_cast<char*>(context.scratch);
    char* const state = flag_ + aligned(1);
    scratch_ = state + form_.total();
    state_ = state;
    place_all();
    make_store(scratch_ + loop.region_bytes());
  }

  void go() {
    start_gradients();
    int64_t left = loop_.trips_;
    if (loop_.shares_checkpoints_) {
      take_over_store();
    } else if (left < 0) {
      left = find_trips();
    }
    reverse(left);
  }

 private:
  struct Kept {
    int64_t step;
    int32_t place;  // in the store; kNoIndex: the initial state
  };

  void place_all() {
    frame_.start.clear();
    frame_.now.clear();
    for (size_t k = 0; k < form_.size(); ++k) {
      frame_.start.push_back(context_.inputs[k].data);
      frame_.now.push_back(state_ + form_.offset(k));
    }
    frame_.invariants.assign(context_.inputs.subspan(form_.size(), loop_.num_invariants_));
    frame_.slots.assign(context_.outputs);
    loop_.advance_->place(*frame_.advance, advance_memory());
  }

  RegionExecutable::Memory advance_memory() const {
    return {frame_.invariants, {&flag_, 1}, frame_.now, scratch_};
  }

  void make_store(char* planned) {
    const int64_t bytes = form_.total();
    if (loop_.shares_checkpoints_) {
      store_.emplace(static_cast<char*>(context_.inputs.back().data), loop_.most_, bytes);
    } else if (loop_.trips_ >= 0 && !loop_.swaps_) {
      store_.emplace(planned, loop_.most_, bytes);
    } else {
      store_.emplace(loop_.swaps_, loop_.most_, bytes);
    }
    kept_.push_back({0, kNoIndex});
  }

  // Sets the arriving gradients, and zeroes the sums.
  void start_gradients() {
    const size_t first = form_.size() + loop_.num_invariants_;
    for (size_t i = 0; i < context_.outputs.size(); ++i) {
      const View& to = context_.outputs[i];
      const auto bytes = static_cast<size_t>(to.shape.num_bytes(dtype_size(to.dtype)));
      if (i >= loop_.num_given_) {
        std::memset(to.data, 0, bytes);
      } else if (context_.inputs[first + i].data != to.data) {
        std::memcpy(to.data, context_.inputs[first + i].data, bytes);
      }
    }
  }

  // Takes over the states that the loop kept.
  void take_over_store() {
    int32_t place = 0;
    for (int64_t step : plan::kept_on_way(loop_.trips_, loop_.most_)) {
      store_->mark_taken(place);
      kept_.push_back({step, place++});
    }
  }

  // If the number of steps is unknown, states are kept at equal distances. When there are too many,
  // every other one is dropped and the distance doubles.
  int64_t find_trips() {
    frame_.inputs.clear();
    for (size_t k = 0; k < frame_.start.size(); ++k) frame_.inputs.push_back(frame_.start[k]);
    for (size_t k = 0; k < frame_.invariants.size(); ++k)
      frame_.inputs.push_back(frame_.invariants[k]);
    char* const flag = flag_;
    const RegionExecutable::Memory before{frame_.inputs, {&flag, 1}, {}, scratch_};
    loop_.condition_->place(*frame_.condition, before);
    loop_.condition_->run(*frame_.condition, before);
    int64_t step = 0, distance = 1;
    load(kept_[0]);
    while (*flag_ != 0) {
      if (step > 0 && step % distance == 0) {
        store_->set_most(loop_.most_ > 0 ? loop_.most_ : plan::online_checkpoints(step));
        if (store_->num_free() <= 0) {
          distance *= 2;
          drop_between(distance);
        }
        if (step % distance == 0 && !keep(step)) {
          distance *= 2;
          drop_between(distance);
        }
      }
      advance(1);
      ++step;
    }
    store_->set_most(loop_.most_ > 0 ? loop_.most_ : plan::online_checkpoints(step));
    return step;
  }

  void drop_between(int64_t distance) {
    std::erase_if(kept_, [&](const Kept& kept) {
      const bool goes = kept.step % distance != 0;
      if (goes) store_->give_back(kept.place);
      return goes;
    });
  }

  void reverse(int64_t left) {
    while (left > 0) {
      const Kept top = kept_.back();
      const int64_t behind = left - top.step;
      if (behind == 0) {
        drop_top();
      } else if (behind == 1) {
        step_back(top);
        --left;
      } else {
        const int64_t states = std::max<int64_t>(store_->num_free(), 0) + 1;
        const int64_t far = states > 1 ? plan::next_kept(behind, states) : behind - 1;
        load(top);
        advance(far);
        if (states > 1 && keep(top.step + far)) continue;
        if (far == behind - 1) {
          backward(state_);
          --left;
        }
      }
    }
  }

  void drop_top() {
    store_->give_back(kept_.back().place);
    kept_.pop_back();
  }

  void load(const Kept& from) {
    if (at_ == from.step) return;
    if (from.place == kNoIndex) {
      for (size_t k = 0; k < frame_.start.size(); ++k)
        std::memcpy(frame_.now[k], frame_.start[k], form_.bytes(k));
    } else {
      std::memcpy(state_, store_->at(from.place), static_cast<size_t>(form_.total()));
      store_->put_away(from.place);
    }
    at_ = from.step;
  }

  // False if there is no memory for one more.
  bool keep(int64_t step) {
    const int32_t place = store_->take();
    if (place == CheckpointStore::kNoPlace) return false;
    std::memcpy(store_->at(place), state_, static_cast<size_t>(form_.total()));
    store_->put_away(place);
    kept_.push_back({step, place});
    return true;
  }

  void advance(int64_t steps) {
    const RegionExecutable::Memory memory = advance_memory();
    for (int64_t i = 0; i < steps; ++i) {
      loop_.advance_->run(*frame_.advance, memory);
      interrupts_.step();
    }
    at_ += steps;
    count_loop_steps(steps, 0);
  }

  void step_back(const Kept& from) {
    if (at_ == from.step || form_.total() <= kSmallState || from.place == kNoIndex) {
      load(from);
      backward(state_);
    } else {
      backward(store_->at(from.place));
      store_->put_away(from.place);
    }
  }

  // One step, from the state at `state`.
  void backward(char* state) {
    const auto memory = [&] {
      return RegionExecutable::Memory{frame_.inputs, {}, frame_.slots, scratch_};
    };
    if (placed_at_ != state) {
      frame_.inputs.clear();
      for (size_t k = 0; k < form_.size(); ++k) frame_.inputs.push_back(state + form_.offset(k));
      for (size_t k = 0; k < frame_.invariants.size(); ++k)
        frame_.inputs.push_back(frame_.invariants[k]);
      loop_.backward_->place(*frame_.backward, memory());
      placed_at_ = state;
    }
    loop_.backward_->run(*frame_.backward, memory());
    interrupts_.step();
    count_loop_steps(0, 1);
  }

  const LoopGradient& loop_;
  const PackedStates& form_;
  const KernelContext& context_;
  GradientFrame& frame_;
  char* flag_;
  char* state_;
  char* scratch_;
  const char* placed_at_ = nullptr;
  int64_t at_ = -1;  // the step whose state is current
  std::optional<CheckpointStore> store_;
  std::vector<Kept> kept_;  // in the order of their steps
  Interrupts interrupts_;
};

void LoopGradient::run(const KernelContext& context, ControlFrame& frame) const {
  Run(*this, context, static_cast<GradientFrame&>(frame)).go();
}

}  // namespace

std::unique_ptr<ControlExecutable> make_loop_gradient(const Control& control,
                                                      MakeControlFn make_control) {
  return std::make_unique<LoopGradient>(control, make_control);
}

}  // namespace penstock::exec
