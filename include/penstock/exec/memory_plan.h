// MemoryPlan: the memory of a function call, known before it runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <penstock/base/export.h>
#include <penstock/core/dtype.h>
#include <penstock/core/shape.h>

namespace penstock {

// The fields of a plan and its parts, X(type, name, initial value): the structs and visit_fields
// follow from these lists.
#define PEN_PLANNED_VALUE_FIELDS(X)                                  \
  X(std::string, name, {}) /* the op that produces it */             \
  X(std::string, line, {}) /* "model.py:12"; empty when not known */ \
  X(std::string, kind, {}) /* "activation", "scratch", "output" */   \
  X(DType, dtype, DType::kInvalid)                                   \
  X(Shape, shape, {})                                                \
  X(int64_t, bytes, 0)                                               \
  X(int64_t, offset, -1) /* in the arena; -1: its own buffer */      \
  X(int, first, 0)       /* the instruction that makes it */         \
  X(int, last, 0)        /* the last one that needs it */

#define PEN_PLANNED_LOOP_FIELDS(X)                                             \
  X(std::string, line, {})                                                     \
  X(int64_t, trips, -1)        /* its steps; -1: known at run time */          \
  X(int64_t, state_bytes, 0)   /* of one state */                              \
  X(int64_t, checkpoints, 0)   /* states kept; -1: see checkpoints_after() */  \
  X(int64_t, forward_steps, 0) /* that a gradient takes to recompute states */ \
  X(bool, is_in_file, false)   /* the kept states are in a file */             \
  X(int, depth, 0)             /* the number of loops around it */

// `unknown` lists what could not be planned, with its line: ops whose sizes depend on data, strings,
// host calls. Their memory is counted when they run. `causes` are the entries that made the others
// unknown.
#define PEN_MEMORY_PLAN_FIELDS(X)                                                      \
  X(int64_t, peak_bytes, 0)   /* arena and outputs; a lower bound if not exact */      \
  X(int64_t, arena_bytes, 0)  /* activations and scratch, placed in one block */       \
  X(int64_t, output_bytes, 0) /* results with their own buffers */                     \
  X(int64_t, lower_bound, 0)  /* of the arena: no placement needs less */              \
  X(int64_t, constant_bytes, 0)                                                        \
  X(std::vector<std::string>, instructions, {})                                        \
  X(std::vector<int64_t>, timeline, {}) /* bytes in use while each instruction runs */ \
  X(std::vector<PlannedValue>, values, {})                                             \
  X(int, peak_instruction, -1)                                                         \
  X(std::vector<std::string>, unknown, {})                                             \
  X(std::vector<std::string>, causes, {})                                              \
  X(std::vector<PlannedLoop>, loops, {})

#define PEN_FIELD(type, name, initial) type name = initial;

// A value that is live at some moment of a plan.
struct PlannedValue {
  PEN_PLANNED_VALUE_FIELDS(PEN_FIELD)
};

// A loop in a plan, or the gradient of one, which keeps some of the loop's states.
struct PlannedLoop {
  enum class Kind : uint8_t { kLoop, kGradient };
  Kind kind = Kind::kLoop;
  PEN_PLANNED_LOOP_FIELDS(PEN_FIELD)

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
  PEN_MEMORY_PLAN_FIELDS(PEN_FIELD)

  // The peak if loops with gradients take that many steps, where this is all that the plan does not
  // know.
  PEN_API int64_t peak_bytes_after(int64_t steps) const;
  bool is_exact() const { return unknown.empty(); }
};
#undef PEN_FIELD

// The peak, the values live at it, loops and unknowns, one per line.
PEN_API std::string to_string(const MemoryPlan& plan);

// Calls visit(name, field) for each field of a plan and its parts, for language bindings.
#define PEN_VISIT(type, name, initial) visit(#name, part.name);
template <typename Visit>
void visit_fields(const PlannedValue& part, Visit&& visit) {
  PEN_PLANNED_VALUE_FIELDS(PEN_VISIT)
}
template <typename Visit>
void visit_fields(const PlannedLoop& part, Visit&& visit) {
  PEN_PLANNED_LOOP_FIELDS(PEN_VISIT)
  visit("name", part.name());
  visit("is_gradient", part.is_gradient());
  visit("most_checkpoints", part.most_checkpoints());
}
template <typename Visit>
void visit_fields(const MemoryPlan& part, Visit&& visit) {
  PEN_MEMORY_PLAN_FIELDS(PEN_VISIT)
}
#undef PEN_VISIT
#undef PEN_PLANNED_VALUE_FIELDS
#undef PEN_PLANNED_LOOP_FIELDS
#undef PEN_MEMORY_PLAN_FIELDS

}  // namespace penstock
