// Function: op calls recorded once, planned, and run as a whole.
//
//   Trace trace("f");
//   Tensor x = trace.input(DType::kFloat32, {2, 3});
//   Function f = trace.finish({x * x});
//   Tensor y = f({a})[0];
//
// While a Trace is open, ops called on its thread are not run but become part of the function.
// Variables keep their places: the function reads what they hold when it is called, and its
// updates happen when it runs. Memory is laid out before anything runs, and plan() says how.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/base/error.h>
#include <penstock/base/export.h>
#include <penstock/exec/variable.h>
#include <penstock/tensor/tensor.h>

namespace penstock {

namespace exec {
struct TraceState;
struct FunctionState;
}  // namespace exec

// A symbolic tensor was used outside of the function that it belongs to.
class PEN_API OutOfScopeError : public TypeError {
 public:
  using TypeError::TypeError;
};

// A value at one moment of a plan.
struct PlannedValue {
  std::string name;  // the op that makes it
  std::string line;  // "model.py:12"; empty when not known
  std::string kind;  // "activation", "scratch", "output"
  DType dtype = DType::kInvalid;
  Shape shape;
  int64_t bytes = 0;
  int64_t offset = -1;      // in the arena; -1: a buffer of its own
  int first = 0, last = 0;  // instructions, both included
};

// A loop of a plan, or the gradient of one, which keeps some of the loop's states.
struct PlannedLoop {
  std::string name;  // "while", "while gradient"
  std::string line;
  int64_t trips = -1;         // its steps; -1: known when it runs
  int64_t state_bytes = 0;    // of one state
  int64_t checkpoints = 0;    // states that are kept; -1: as many as checkpoints_after() says
  int64_t forward_steps = 0;  // that a gradient takes to have the others again
  bool is_in_file = false;    // the kept ones are
  int depth = 0;              // how many loops it is inside of

  // How many are kept after so many steps, where these are not known before.
  PEN_API int64_t checkpoints_after(int64_t steps) const;
};

// What a call of a function will hold besides its inputs, variables and constants. The ledger's
// peak during a call is the bytes held before plus peak_bytes, to the byte, when the plan is exact.
struct MemoryPlan {
  int64_t peak_bytes = 0;    // arena and outputs; the least that it can be where not exact
  int64_t arena_bytes = 0;   // activations and scratch, placed in one block
  int64_t output_bytes = 0;  // results that are buffers of their own
  int64_t lower_bound = 0;   // of the arena: no placement needs less
  int64_t constant_bytes = 0;
  std::vector<std::string> instructions;
  std::vector<int64_t> timeline;  // bytes in use while each instruction runs
  std::vector<PlannedValue> values;
  int peak_instruction = -1;
  // What could not be planned, with its line: ops whose sizes depend on data, strings, calls of the
  // host's. Their memory is counted when they run, and the plan is exact without any.
  std::vector<std::string> unknown;
  std::vector<std::string> causes;  // of these, the ones that could not be planned anywhere
  std::vector<PlannedLoop> loops;
  // The peak when loops whose gradients are asked for take so many steps, where that is what the
  // plan does not know.
  PEN_API int64_t peak_bytes_after(int64_t steps) const;
  bool is_exact() const { return unknown.empty(); }
};
// The peak, what holds it, loops and what is not known, a line each.
PEN_API std::string to_string(const MemoryPlan& plan);

class PEN_API Function {
 public:
  Function() = default;
  bool defined() const { return state_ != nullptr; }

  // Throws InvalidArgumentError for other dtypes or shapes than those traced; dimensions that were
  // traced as unknown may be any. Tapes of this thread
  // record the call; inside another trace it becomes part of that.
  Tensors operator()(std::span<const Tensor* const> inputs) const;
  Tensors operator()(std::span<const Tensor> inputs) const;
  Tensors operator()(std::initializer_list<Tensor> inputs) const {
    return (*this)(std::span<const Tensor>(inputs.begin(), inputs.size()));
  }

  // For inputs of these shapes, where some of those traced are not known: worked out once more with
  // all sizes that there are. Calls do this themselves, and remember the last few.
  Function at(std::span<const Shape> shapes) const;
  // Whether the shapes of inputs are known.
  bool has_known_inputs() const;
  // Whether it is planned as a whole: no sizes depend on data, and nothing calls the host.
  bool is_planned() const;

  const std::string& name() const;
  size_t num_inputs() const;
  size_t num_outputs() const;
  std::vector<Variable> variables() const;
  // Whether a call assigns to any of them.
  bool assigns() const;
  MemoryPlan plan() const;
  // Of the plan, without the rest of it.
  int64_t peak_bytes() const;
  // Makes the plan one of at most so many bytes, where keeping fewer states of loops for their
  // gradients does that; false where it does not, and then nothing changes.
  bool fit(int64_t bytes) const;
  // The least that fit() can do.
  int64_t least_peak_bytes() const;
  size_t num_instructions() const;
  // The graph, one line a node.
  std::string text() const;
  // Bytes that the function itself takes: its graph, constants and instructions.
  int64_t bytes() const;
  // True when it uses tensors of a function that is being traced: it is a part of that one only.
  bool has_captures() const;

  // For the layers below the API.
  explicit Function(std::shared_ptr<exec::FunctionState> state) : state_(std::move(state)) {}
  exec::FunctionState& state() const { return *state_; }

 private:
  std::shared_ptr<exec::FunctionState> state_;
};

class PEN_API Trace {
 public:
  // A region is a part of the function that is being traced: a branch, or the body of a loop
  // (exec/control.h). Variables are then those of the function around it.
  enum class Kind : uint8_t { kFunction, kRegion };
  explicit Trace(std::string_view name, Kind kind = Kind::kFunction);
  ~Trace();  // gives up what was not finished
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // Dimensions, and the rank, may be unknown.
  Tensor input(DType dtype, const Shape& shape);
  // Ends the trace: a function of the inputs, in their order, with these outputs.
  Function finish(std::span<const Tensor> outputs);
  Function finish(std::initializer_list<Tensor> outputs) {
    return finish(std::span<const Tensor>(outputs.begin(), outputs.size()));
  }
  // Whether ops of this thread are being traced now.
  static bool is_open();

 private:
  void close();
  std::unique_ptr<exec::TraceState> state_;
};

// No trace of this thread is open while it lasts: ops run, and are not recorded.
class PEN_API LeaveTraces {
 public:
  LeaveTraces();
  ~LeaveTraces();
  LeaveTraces(const LeaveTraces&) = delete;
  LeaveTraces& operator=(const LeaveTraces&) = delete;

 private:
  PauseRecording pause_;
  exec::TraceState* before_;
};

// The value of a symbolic tensor that depends on no input of the function being traced: what a
// variable made inside it starts with. Throws InvalidArgumentError when it does depend on one.
PEN_API Tensor evaluate_now(const Tensor& tensor);

// The symbolic tensor with what `shape` says besides. Throws InvalidArgumentError when the two do
// not go together.
PEN_API Tensor narrowed(const Tensor& tensor, const Shape& shape);

// What a function of the host's (a print, a callback) gives; dimensions may be unknown.
struct HostOutput {
  DType dtype = DType::kInvalid;
  Shape shape;
};
using HostFunction = std::function<Tensors(std::span<const Tensor* const> inputs)>;
// Calls `run` now; inside a trace, whenever the function runs: such calls happen one after the
// other, needed or not. It may throw. Throws InvalidArgumentError when it gives other outputs. With
// `passes_gradients` tapes see the ops that it calls.
PEN_API Tensors call_host(std::string_view name, HostFunction run,
                          std::span<const Tensor* const> inputs,
                          std::span<const HostOutput> outputs, bool passes_gradients = false);

// Random ops of all functions start their streams anew, as after a new global seed.
PEN_API void restart_random_streams();

// Who knows the user's line that is running, for plans and messages; null for nobody.
struct SourceLine {
  std::string_view file;
  int line = 0;
};
using LocateFn = SourceLine (*)();
PEN_API void set_locator(LocateFn locate);

}  // namespace penstock
