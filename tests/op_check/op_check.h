// op_check: one driver for every check that can be derived from an OpDef and its samples.
//
//   dump     writes inputs, attributes and outputs of every sample, for the NumPy references
//   grad     gradients of first and second order against finite differences
//   jvp      forward mode against reverse mode
//   function every sample as a traced function: the same bits, the planned bytes
//   shapes   every sample with open sizes: what is known of its results holds for all sizes
//   graph    every sample in a graph as TensorFlow 1 has it: the same bits
//   perf     time a call, bytes a second
//   support  which dtypes run
//   oom      every allocation fails in turn: clean errors, nothing lost, the next call right
//   lists    a list that was not given differs from an empty one
//   memory   no byte beyond outputs and declared scratch; handed over inputs are overwritten
//   replay   what TensorFlow answered to recorded calls (tests/recorded)
//   fuzz     random calls: each ends in a result or an Error
//
// A mode prints what fails as it goes and one closing line, and returns the exit status.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/ops/op_def.h>

namespace penstock::op_check {

struct Op {
  std::string_view id;  // "add"; def->name is "AddV2"
  const OpDef* def;
};

struct Options {
  std::vector<Op> ops;
  double seconds = 0;      // 0: the mode's own choice
  uint64_t seed = 1;       // fuzz, shapes
  int64_t iteration = -1;  // fuzz: this one only
  std::string out = "op_samples";
  std::string in = "tests/recorded/data";  // replay
};

int run_dump(const Options& options);
int run_function(const Options& options);
int run_graph(const Options& options);
int run_grad(const Options& options);
int run_jvp(const Options& options);
int run_perf(const Options& options);
int run_support(const Options& options);
int run_oom(const Options& options);
int run_lists(const Options& options);
int run_memory(const Options& options);
int run_replay(const Options& options);
int run_shapes(const Options& options);
int run_fuzz(const Options& options);

}  // namespace penstock::op_check
