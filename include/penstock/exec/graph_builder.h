// GraphBuilder: a TensorFlow 1 graph, built node by node and run in parts. While it is entered, ops
// called on the thread become its nodes: nothing runs, and nothing is evaluated early. A part of it
// is compiled for its feeds and fetches, with the variables of a session. The needed nodes take
// effect in creation order.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/base/export.h>
#include <penstock/exec/function.h>
#include <penstock/exec/random_states.h>
#include <penstock/exec/source_line.h>
#include <penstock/tensor/tensor.h>

namespace penstock {

struct OpDef;
namespace exec {
struct BuilderState;
struct TraceState;
}  // namespace exec

class PEN_API GraphBuilder {
 public:
  GraphBuilder();
  ~GraphBuilder();
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  // While it exists, calls on this thread become nodes.
  class PEN_API Entered {
   public:
    explicit Entered(GraphBuilder& builder);
    ~Entered();
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;

   private:
    exec::TraceState* before_;
  };

  // Whether calls on this thread currently become nodes of such a graph.
  static bool is_entered();
  // The value of a tensor of the entered graph, if it can never change.
  static std::optional<Tensor> value_now(const Tensor& tensor);
  // Whether a tensor belongs to such a graph.
  static bool owns(const Tensor& tensor);

  // A call that is about to become a node of the entered graph, if there is one. Its name (by
  // default the op's) is reserved now, and nodes created during its lifetime are named within it.
  class PEN_API Call {
   public:
    Call(const OpDef& op, std::string_view name);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    // The next node is the call's own node.
    void set_next();
    // What is wrong with a call's name in the entered graph; empty if nothing.
    static std::string problem_with(std::string_view name);

   private:
    exec::BuilderState* state_;
    std::string outer_;
    int32_t text_ = 0, number_ = 0;
    bool is_given_ = false;
  };

  // The number by which its tensors identify it.
  uint32_t number() const;

  Tensor placeholder(DType dtype, const Shape& shape, std::string_view name);
  Tensor constant(const Tensor& tensor, std::string_view name);
  // A node without outputs or effect, for control dependencies.
  int32_t no_op(std::string_view name);
  // The new variable's number. Its value belongs to a session.
  int32_t add_variable(DType dtype, const Shape& shape);
  Tensor read(int32_t variable, std::string_view name);
  // The value, once it has been assigned to the variable.
  Tensor assign(int32_t variable, const Tensor& value, std::string_view name);
  // The gradients of the sum of `ys` at `xs`; undefined if there is no path. `grad_ys` has one
  // entry per `ys`, or none. Nothing flows through the values of `stops`.
  std::vector<Tensor> gradients(std::span<const Tensor> ys, std::span<const Tensor> xs,
                                std::span<const Tensor> grad_ys, std::span<const Tensor> stops);
  // The tensors, with control dependencies on all effects of nodes from `first` on.
  std::vector<Tensor> after_effects(int32_t first, std::span<const Tensor> tensors);
  // All tensors read from a variable.
  std::vector<Tensor> reads_of(int32_t variable) const;

  // The name prefix of new nodes: "" or "layer_1/".
  void set_scope(std::string_view scope);
  std::string scope() const;
  // The tensor as an output of a node of that name within the scope ("a/" is "a" as it is). A node
  // from `first` on whose first output it is gets renamed; for others a new node is created.
  Tensor named(const Tensor& tensor, int32_t first, std::string_view name);
  void rename(int32_t node, std::string_view name);
  // The name that the graph would give to a new node; it is then reserved.
  std::string unique_name(std::string_view name);
  // The same, without reserving it.
  std::string next_name(std::string_view name) const;
  // New nodes run after these.
  void set_control_inputs(std::span<const int32_t> nodes);
  // Forbids new nodes: calls throw FailedPreconditionError.
  void set_finalized(bool finalized);

  // Nodes, by their number.
  size_t num_nodes() const;
  int32_t node_of(const Tensor& tensor) const;
  std::string name(int32_t node) const;
  std::string_view type(int32_t node) const;
  std::vector<Tensor> inputs(int32_t node) const;
  std::vector<Tensor> outputs(int32_t node) const;
  std::vector<int32_t> control_inputs(int32_t node) const;
  SourceLine line(int32_t node) const;
  // -1 if there is none.
  int32_t find(std::string_view name) const;
  // The value, if it can never change.
  std::optional<Tensor> constant_value(const Tensor& tensor);
  // Whether running it has no other effect: no control dependency has one.
  bool runs_alone(const Tensor& tensor) const;
  int64_t bytes() const;

  // What a run of these fetches needs, beyond the feeds.
  struct Part {
    std::vector<int32_t> variables;  // in order of first use
    std::vector<bool> reads_first;   // whether each is read before it is assigned
    std::vector<bool> is_assigned;
    int32_t unfed = -1;  // a placeholder's node
  };
  Part part(std::span<const Tensor> feeds, std::span<const Tensor> fetches,
            std::span<const int32_t> targets) const;
  // A function of the feeds with these shapes. `variables` are indexed by number. Random ops
  // continue the streams of other functions with the same `random`. The results are the fetches,
  // followed by random values that were drawn but not read.
  Function compile(std::span<const Tensor> feeds, std::span<const Shape> shapes,
                   std::span<const Tensor> fetches, std::span<const int32_t> targets,
                   std::span<const Variable> variables, const RandomStates& random = {});

 private:
  std::shared_ptr<exec::BuilderState> state_;
};

}  // namespace penstock
