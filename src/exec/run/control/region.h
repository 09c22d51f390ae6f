// RegionExecutable: runs a region in memory that a control instruction provides.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "exec/run/executable.h"

namespace penstock::exec {

class RegionExecutable {
 public:
  RegionExecutable(Graph graph, MakeControlFn make_control);

  // The scratch it needs besides its inputs, outputs and slots.
  int64_t scratch_bytes() const { return scratch_bytes_; }
  std::unique_ptr<Executable::Frame> make_frame() const { return executable_.make_frame(); }

  // The addresses of everything, for all runs until the next call.
  struct Memory {
    std::span<char* const> inputs;
    std::span<char* const> outputs;
    std::span<char* const> slots;
    char* scratch;
  };
  void place(Executable::Frame& frame, const Memory& memory) const;
  // Runs it once; outputs and slots then hold the results. `memory` is the one passed to place().
  void run(Executable::Frame& frame, const Memory& memory) const;
  int64_t bytes() const { return graph_.memory_bytes() + executable_.bytes(); }
  const Graph& graph() const { return graph_; }
  void add_loops(std::vector<PlannedLoop>& loops) const { executable_.add_loops(loops); }
  // Adds the loops of a loop's region: they are nested one level deeper.
  void add_inner_loops(std::vector<PlannedLoop>& loops) const;

 private:
  struct Copy {
    size_t output;
    Place from;
    int64_t bytes;
  };

  Graph graph_;
  Executable executable_;
  int64_t scratch_bytes_ = 0;
  std::vector<int32_t> output_of_;  // of the layout's output buffers: the output it holds
  std::vector<int64_t> place_of_;   // likewise: its offset in the scratch if it holds none
  std::vector<Copy> copies_;        // outputs that are computed elsewhere
  bool has_writes_ = false;
};

// The graph of a region whose first `num_slots` inputs become slots, to which its first outputs are
// written. Only what the `wanted` outputs need (by default all) is kept.
Graph with_slots(const Graph& region, size_t num_slots);

}  // namespace penstock::exec
