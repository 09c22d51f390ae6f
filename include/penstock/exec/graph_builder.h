// GraphBuilder: a graph that a program builds node by node and runs parts of, as TensorFlow 1 has
// it. While it is entered, ops called on the thread become its nodes: nothing runs, and nothing is
// worked out early. A part of it is compiled for what is fed and fetched, with the variables of a
// session; the nodes that are needed take effect in the order in which they were made.
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

  // While it lasts, calls on this thread become nodes.
  class PEN_API Entered {
   public:
    explicit Entered(GraphBuilder& builder);
    ~Entered();
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;

   private:
    exec::TraceState* before_;
  };

  // Whether the calls of this thread become nodes of such a graph now.
  static bool is_entered();
  // The value of a tensor of the graph that is entered, when it depends on nothing that could
  // change.
  static std::optional<Tensor> value_now(const Tensor& tensor);
  // Whether a tensor is one of such a graph.
  static bool owns(const Tensor& tensor);

  // A call that is about to become a node of the graph that is entered, if one is: its name (that
  // of the op where there is none) is taken now, and nodes made until it ends are named within.
  class PEN_API Call {
   public:
    Call(const OpDef& op, std::string_view name);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    // The next node is the call's.
    void set_next();
    // What is wrong with the name of a call in the graph that is entered; empty: nothing.
    static std::string problem_with(std::string_view name);

   private:
    exec::BuilderState* state_;
    std::string outer_;
    int32_t text_ = 0, number_ = 0;
    bool is_given_ = false;
  };

  // The number that its tensors know it by.
  uint32_t number() const;

  Tensor placeholder(DType dtype, const Shape& shape, std::string_view name);
  Tensor constant(const Tensor& tensor, std::string_view name);
  // A node without outputs or effect: something to depend on.
  int32_t no_op(std::string_view name);
  // A variable's number. Its value is a session's.
  int32_t add_variable(DType dtype, const Shape& shape);
  Tensor read(int32_t variable, std::string_view name);
  // The value, once it is the variable's.
  Tensor assign(int32_t variable, const Tensor& value, std::string_view name);
  // The gradients of `ys` (their sum) at `xs`; undefined where there is no way. `grad_ys` are as
  // many as `ys`, or none. Nothing flows through the values of `stops`.
  std::vector<Tensor> gradients(std::span<const Tensor> ys, std::span<const Tensor> xs,
                                std::span<const Tensor> grad_ys, std::span<const Tensor> stops);
  // The tensors once all that nodes from `first` on do, beyond giving values, is done.
  std::vector<Tensor> after_effects(int32_t first, std::span<const Tensor> tensors);
  // All tensors that were read from a variable.
  std::vector<Tensor> reads_of(int32_t variable) const;

  // Where the names of new nodes begin: "" or "layer_1/".
  void set_scope(std::string_view scope);
  std::string scope() const;
  // The tensor as one of a node of that name within the scope ("a/" is "a" as it is). A node from
  // `first` on whose first output it is gets another name; for others there is a new one.
  Tensor named(const Tensor& tensor, int32_t first, std::string_view name);
  void rename(int32_t node, std::string_view name);
  // As the graph would call a new node, which then is taken.
  std::string unique_name(std::string_view name);
  // The same, and it is not taken.
  std::string next_name(std::string_view name) const;
  // New nodes run after these.
  void set_control_inputs(std::span<const int32_t> nodes);
  // No new nodes: calls throw FailedPreconditionError.
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
  // -1 when there is none.
  int32_t find(std::string_view name) const;
  // The value, when it depends on nothing that could change.
  std::optional<Tensor> constant_value(const Tensor& tensor);
  // Whether a run for it would do nothing else: no control dependency has an effect.
  bool runs_alone(const Tensor& tensor) const;
  int64_t bytes() const;

  // What a run of these needs, beyond what is fed.
  struct Part {
    std::vector<int32_t> variables;  // in order of first use
    std::vector<bool> reads_first;   // whether each is read before it is assigned
    std::vector<bool> is_assigned;
    int32_t unfed = -1;  // a placeholder's node
  };
  Part part(std::span<const Tensor> feeds, std::span<const Tensor> fetches,
            std::span<const int32_t> targets) const;
  // A function of the feeds, which have these shapes. `variables` are by number. Random ops go on
  // where other functions with the same `random` are. Its results are the fetches, and then what is
  // drawn without being read.
  Function compile(std::span<const Tensor> feeds, std::span<const Shape> shapes,
                   std::span<const Tensor> fetches, std::span<const int32_t> targets,
                   std::span<const Variable> variables, const RandomStates& random = {});

 private:
  std::shared_ptr<exec::BuilderState> state_;
};

}  // namespace penstock
