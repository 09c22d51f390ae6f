// RegionExecutable: a region made ready to run in memory that a control instruction gives it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "exec/run/executable.h"

namespace penstock::exec {

class RegionExecutable {
 public:
  RegionExecutable(Graph graph, MakeControlFn make_control);

  // What it needs besides its inputs, outputs and slots.
  int64_t scratch_bytes() const { return scratch_bytes_; }
  std::unique_ptr<Executable::Frame> make_frame() const { return executable_.make_frame(); }

  // Where everything is, for all runs to come until the next call.
  struct Memory {
    std::span<char* const> inputs;
    std::span<char* const> outputs;
    std::span<char* const> slots;
    char* scratch;
  };
  void place(Executable::Frame& frame, const Memory& memory) const;
  // Runs it once; outputs and slots then have the results. `memory` is that of place().
  void run(Executable::Frame& frame, const Memory& memory) const;
  int64_t bytes() const { return graph_.memory_bytes() + executable_.bytes(); }
  const Graph& graph() const { return graph_; }
  void add_loops(std::vector<PlannedLoop>& loops) const { executable_.add_loops(loops); }
  // The same of a loop's region: they are inside of one more.
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
  std::vector<int32_t> output_of_;  // of the layout's output buffers: the output that it is
  std::vector<int64_t> place_of_;   // likewise: where in the scratch it is when it is none
  std::vector<Copy> copies_;        // outputs that are made elsewhere
  bool has_writes_ = false;
};

// The graph of a region whose first `num_slots` inputs are slots instead, to which its first
// outputs are written; what is not needed for those `wanted` of them (all without) is left out.
Graph with_slots(const Graph& region, size_t num_slots);

}  // namespace penstock::exec
