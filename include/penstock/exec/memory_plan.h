// MemoryPlan: what a call of a function will hold, known before it runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <penstock/base/export.h>
#include <penstock/core/dtype.h>
#include <penstock/core/shape.h>

namespace penstock {

// A value at one moment of a plan.
struct PlannedValue {
  std::string name;  // the op that makes it
  std::string line;  // "model.py:12"; empty when not known
  std::string kind;  // "activation", "scratch", "output"
  DType dtype = DType::kInvalid;
  Shape shape;
  int64_t bytes = 0;
  int64_t offset = -1;      // in the arena; -1: a buffer of its own
  int first = 0, last = 0;  // instructions, both included
};

// A loop of a plan, or the gradient of one, which keeps some of the loop's states.
struct PlannedLoop {
  enum class Kind : uint8_t { kLoop, kGradient };
  Kind kind = Kind::kLoop;
  std::string line;
  int64_t trips = -1;         // its steps; -1: known when it runs
  int64_t state_bytes = 0;    // of one state
  int64_t checkpoints = 0;    // states that are kept; -1: as many as checkpoints_after() says
  int64_t forward_steps = 0;  // that a gradient takes to have the others again
  bool is_in_file = false;    // the kept ones are
  int depth = 0;              // how many loops it is inside of

  bool is_gradient() const { return kind == Kind::kGradient; }
  // Whether it keeps the more states in memory the more steps it takes.
  bool grows() const { return is_gradient() && trips < 0 && !is_in_file; }
  // How many are kept after so many steps, where these are not known before.
  PEN_API int64_t checkpoints_after(int64_t steps) const;
  // The most that are kept: a number, or a formula of the number n of its steps.
  PEN_API std::string most_checkpoints() const;
  // "while", "while gradient"
  PEN_API std::string name() const;
};

// What a call of a function will hold besides its inputs, variables and constants. The ledger's
// peak during a call is the bytes held before plus peak_bytes, to the byte, when the plan is exact.
struct MemoryPlan {
  int64_t peak_bytes = 0;    // arena and outputs; the least that it can be where not exact
  int64_t arena_bytes = 0;   // activations and scratch, placed in one block
  int64_t output_bytes = 0;  // results that are buffers of their own
  int64_t lower_bound = 0;   // of the arena: no placement needs less
  int64_t constant_bytes = 0;
  std::vector<std::string> instructions;
  std::vector<int64_t> timeline;  // bytes in use while each instruction runs
  std::vector<PlannedValue> values;
  int peak_instruction = -1;
  // What could not be planned, with its line: ops whose sizes depend on data, strings, calls of the
  // host's. Their memory is counted when they run, and the plan is exact without any.
  std::vector<std::string> unknown;
  std::vector<std::string> causes;  // of these, the ones that could not be planned anywhere
  std::vector<PlannedLoop> loops;
  // The peak when loops whose gradients are asked for take so many steps, where that is what the
  // plan does not know.
  PEN_API int64_t peak_bytes_after(int64_t steps) const;
  bool is_exact() const { return unknown.empty(); }
};
// The peak, what holds it, loops and what is not known, a line each.
PEN_API std::string to_string(const MemoryPlan& plan);

// Calls visit(name, field) for the fields of a plan and of its parts: for fronts that hand them on.
template <typename Visit>
void visit_fields(const PlannedValue& value, Visit&& visit) {
  visit("name", value.name);
  visit("line", value.line);
  visit("kind", value.kind);
  visit("dtype", value.dtype);
  visit("shape", value.shape);
  visit("bytes", value.bytes);
  visit("offset", value.offset);
  visit("first", value.first);
  visit("last", value.last);
}
template <typename Visit>
void visit_fields(const PlannedLoop& loop, Visit&& visit) {
  visit("name", loop.name());
  visit("is_gradient", loop.is_gradient());
  visit("line", loop.line);
  visit("trips", loop.trips);
  visit("state_bytes", loop.state_bytes);
  visit("checkpoints", loop.checkpoints);
  visit("most_checkpoints", loop.most_checkpoints());
  visit("forward_steps", loop.forward_steps);
  visit("is_in_file", loop.is_in_file);
  visit("depth", loop.depth);
}
template <typename Visit>
void visit_fields(const MemoryPlan& plan, Visit&& visit) {
  visit("peak_bytes", plan.peak_bytes);
  visit("arena_bytes", plan.arena_bytes);
  visit("output_bytes", plan.output_bytes);
  visit("lower_bound", plan.lower_bound);
  visit("constant_bytes", plan.constant_bytes);
  visit("instructions", plan.instructions);
  visit("timeline", plan.timeline);
  visit("values", plan.values);
  visit("peak_instruction", plan.peak_instruction);
  visit("unknown", plan.unknown);
  visit("causes", plan.causes);
  visit("loops", plan.loops);
}

}  // namespace penstock
