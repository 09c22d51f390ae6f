// PartlyPlanned: runs a graph that cannot be planned as a whole. It runs in stages. Each stage is a
// planned function, followed by the calls that cannot be planned, one by one: those whose sizes
// depend on data, those on strings, and host calls.
#pragma once

#include <string>
#include <vector>

#include <penstock/exec/function.h>

#include "exec/compiled_function.h"
#include "graph/graph.h"

namespace penstock::exec {

class PartlyPlanned final : public CompiledFunction {
 public:
  // Keeps references to the graph and the variables, which must outlive it.
  PartlyPlanned(const Graph& graph, std::span<const Variable> variables, std::string_view name);

  Tensors run(std::span<const Tensor* const> inputs) override;
  // The plan of the planned pieces, one after the other: a lower bound for a call.
  MemoryPlan plan() const override;
  int64_t peak_bytes() const override;
  size_t num_instructions() const override;
  int64_t bytes() const override;

 private:
  struct Stage {
    Function planned;                      // undefined if there is nothing to plan
    std::vector<ValueId> inputs, outputs;  // of the planned piece
    std::vector<ValueId> uses;             // of outside values by the piece's nodes, each use
    std::vector<NodeId> calls;
  };

  void choose_stages();
  void make_piece(size_t stage);
  bool is_in_piece(NodeId id, size_t stage) const;
  bool stays_in_piece(const Write& write, size_t stage) const;
  // Whether a call itself cannot be planned, rather than because of its inputs.
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
  std::vector<Write> writes_;  // those that no piece performs
};

}  // namespace penstock::exec
