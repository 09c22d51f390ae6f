// PartlyPlanned: a graph that cannot be planned as a whole, made ready to run. What can be planned
// runs as functions of their own, stage by stage; after each, one by one, come the calls whose
// sizes only their data tell, those that handle strings, and those of the host.
#pragma once

#include <string>
#include <vector>

#include <penstock/exec/function.h>

#include "exec/compiled_function.h"
#include "graph/graph.h"

namespace penstock::exec {

class PartlyPlanned final : public CompiledFunction {
 public:
  // Keeps references to the graph and the variables: they live as long as the stages.
  PartlyPlanned(const Graph& graph, std::span<const Variable> variables, std::string_view name);

  Tensors run(std::span<const Tensor* const> inputs) override;
  // Of the planned pieces, one after the other: a call holds that much at least.
  MemoryPlan plan() const override;
  int64_t peak_bytes() const override;
  size_t num_instructions() const override;
  int64_t bytes() const override;

 private:
  struct Stage {
    Function planned;                      // undefined where there is nothing to plan
    std::vector<ValueId> inputs, outputs;  // of the planned piece
    std::vector<ValueId> uses;             // of values from outside by the piece's nodes, each one
    std::vector<NodeId> calls;
  };

  void choose_stages();
  void make_piece(size_t stage);
  bool is_in_piece(NodeId id, size_t stage) const;
  bool stays_in_piece(const Write& write, size_t stage) const;
  // Whether a call cannot be planned by itself, rather than for what it is called with.
  bool is_cause(NodeId id) const;

  const Graph& graph_;
  std::span<const Variable> variables_;
  std::string name_;
  std::vector<bool> needed_;
  std::vector<bool> is_planned_;            // of nodes
  std::vector<int32_t> stage_of_;           // of nodes
  std::vector<std::vector<NodeId>> users_;  // of values
  std::vector<Stage> stages_;
  std::vector<NodeId> leaves_;
  std::vector<Write> writes_;  // those that no piece does itself
};

}  // namespace penstock::exec
