// MemoryLayout: where every value of a graph lives while it runs.
//
//   storage  a piece of memory: a range of the arena, or a buffer that comes from or goes outside
//   place    a value's storage, and the byte at which it starts
//
// A value that aliases another (a reshape, a slice) shares its storage. A value may take over the
// storage of an input that its op may overwrite and nothing needs any more. Values used only inside
// one tiled instruction have no place.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exec/compile/fusion/place.h"
#include "exec/compile/fusion/step.h"
#include "graph/graph.h"

namespace penstock::exec {

struct Storage {
  enum class Kind : uint8_t { kArena, kOutput, kInput, kConstant, kVariable };
  Kind kind = Kind::kArena;
  bool is_scratch = false;
  int32_t index = kNoIndex;  // of the input, constant, slot or output buffer
  int64_t bytes = 0;
  int32_t first = 0;  // instructions; both included
  int32_t last = 0;
  int64_t offset = 0;        // in the arena
  ValueId value = kNoIndex;  // the first value that lived here
};

struct MemoryLayout {
  std::vector<Step> steps;  // the instructions, with their places filled in
  std::vector<Storage> storages;
  std::vector<Place> places;       // of values; kNoIndex for those without one
  std::vector<int32_t> temporary;  // of writes: a storage to copy through, or kNoIndex
  int32_t num_outputs = 0;         // buffers of kind kOutput
  int64_t arena_bytes = 0;
  int64_t output_bytes = 0;
  int64_t lower_bound = 0;  // of the arena
};

// `control_scratch` has the scratch bytes of each control of the graph.
MemoryLayout make_layout(const Graph& graph, std::vector<Step> steps,
                         std::span<const int64_t> control_scratch);

}  // namespace penstock::exec
