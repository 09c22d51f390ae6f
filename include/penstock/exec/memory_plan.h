// MemoryPlan: the memory of a function call, known before it runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <penstock/base/export.h>
#include <penstock/core/dtype.h>
#include <penstock/core/shape.h>

namespace penstock {

// A value that is live at some moment of a plan.
struct PlannedValue {
  std::string name;  // the op that produces it
  std::string line;  // "model.py:12"; empty when not known
  std::string kind;  // "activation", "scratch", "output"
  DType dtype = DType::kInvalid;
  Shape shape;
  int64_t bytes = 0;
  int64_t offset = -1;      // in the arena; -1: its own buffer
  int first = 0, last = 0;  // instructions, both included
};

// A loop in a plan, or the gradient of one, which keeps some of the loop's states.
struct PlannedLoop {
  enum class Kind : uint8_t { kLoop, kGradient };
  Kind kind = Kind::kLoop;
  std::string line;
  int64_t trips = -1;         // its steps; -1: known at run time
  int64_t state_bytes = 0;    // of one state
  int64_t checkpoints = 0;    // states kept; -1: checkpoints_after() says how many
  int64_t forward_steps = 0;  // that a gradient takes to recompute states
  bool is_in_file = false;    // the kept states are in a file
  int depth = 0;              // the number of loops around it

  bool is_gradient() const { return kind == Kind::kGradient; }
  // Whether the states it keeps in memory grow with the number of steps.
  bool grows() const { return is_gradient() && trips < 0 && !is_in_file; }
  // The number of states kept after that many steps, if `trips` is unknown.
  PEN_API int64_t checkpoints_after(int64_t steps) const;
  // The most states kept: a number, or a formula in the number n of steps.
  PEN_API std::string most_checkpoints() const;
  // "while", "while gradient"
  PEN_API std::string name() const;
};

// The memory of a function call in addition to its inputs, variables and constants. If the plan is
// exact, the ledger's peak during a call is the bytes held before plus peak_bytes.
struct MemoryPlan {
  int64_t peak_bytes = 0;    // arena and outputs; a lower bound if not exact
  int64_t arena_bytes = 0;   // activations and scratch, placed in one block
  int64_t output_bytes = 0;  // results with their own buffers
  int64_t lower_bound = 0;   // of the arena: no placement needs less
  int64_t constant_bytes = 0;
  std::vector<std::string> instructions;
  std::vector<int64_t> timeline;  // bytes in use while each instruction runs
  std::vector<PlannedValue> values;
  int peak_instruction = -1;
  // What could not be planned, with its line: ops whose sizes depend on data, strings, host calls.
  // Their memory is counted when they run. The plan is exact if the list is empty.
  std::vector<std::string> unknown;
  std::vector<std::string> causes;  // the entries of `unknown` that made the others so
  std::vector<PlannedLoop> loops;
  // The peak if loops with gradients take that many steps, where this is all that the plan does not
  // know.
  PEN_API int64_t peak_bytes_after(int64_t steps) const;
  bool is_exact() const { return unknown.empty(); }
};
// The peak, the values live at it, loops and unknowns, one per line.
PEN_API std::string to_string(const MemoryPlan& plan);

// Calls visit(name, field) for each field of a plan and its parts, for language bindings.
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
