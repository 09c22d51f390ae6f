// Tape: records what happens to watched tensors and runs it backwards.
//
//   Tape tape;
//   tape.watch(x);
//   Tensor y = x * x;
//   Tensor dx = tape.gradient(y, x);
//
// A tape records on the thread that created it, from its construction until gradient() is called or
// it is destroyed (a persistent one: until stop()). It keeps alive only what gradients need. A
// non-persistent tape releases that during the backward pass. Gradients are ordinary op calls that
// an outer tape records, so nested tapes give derivatives of any order.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include <penstock/base/export.h>
#include <penstock/ops/dispatch.h>
#include <penstock/ops/gradient.h>

namespace penstock {

namespace autodiff {
struct TapeState;
}

// The source of a gradient: a tensor or a variable (exec/variable.h converts).
struct Source {
  Source(const Tensor& tensor)
      : id(tensor.id()),
        dtype(tensor.dtype()),
        shape(tensor.shape()),
        graph(tensor.graph()),
        value(tensor.is_symbolic() ? tensor.value() : 0) {}
  // A variable, by its id.
  Source(uint64_t an_id, DType a_dtype, const Shape& a_shape)
      : id(an_id), dtype(a_dtype), shape(a_shape), is_variable(true) {}
  uint64_t id;
  DType dtype;
  Shape shape;
  bool is_variable = false;
  uint32_t graph = 0;  // of a symbolic tensor
  int32_t value = 0;   // of a symbolic tensor
};

enum class Unconnected { kNone, kZero };  // the gradient if there is no path

class PEN_API Tape {
 public:
  struct Options {
    bool persistent = false;
    bool watch_variables = true;  // every trainable variable that is read
    bool watch_only = false;      // records no calls; only watched_variables() is used
  };

  Tape();
  explicit Tape(Options options);
  ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  // Throws TypeError for a dtype without gradients.
  void watch(const Source& source);
  // Forgets everything recorded so far.
  void reset();
  // Ends recording; gradient() may still be called.
  void stop();
  // Resumes recording after stop(), on the thread that created the tape.
  void resume();
  // Whether gradient() may be called more than once, from now on.
  void set_persistent(bool persistent);

  // The gradients of the targets' sum. `dys`, if given, are the gradients that arrive at the
  // targets. Throws FailedPreconditionError on a second call for a non-persistent tape.
  std::vector<Gradient> gradient(std::span<const Tensor> targets, std::span<const Source> sources,
                                 std::span<const Tensor> dys = {},
                                 Unconnected unconnected = Unconnected::kNone);
  std::vector<Gradient> gradient(const Tensor& target, std::initializer_list<Source> sources) {
    return gradient({&target, 1}, {sources.begin(), sources.size()});
  }
  Gradient gradient(const Tensor& target, const Source& source) {
    return gradient({&target, 1}, {&source, 1})[0];
  }
  // d target / d source: a tensor of target's shape followed by source's; zeros where unconnected.
  // Needs a persistent tape unless the target has at most one element.
  Tensor jacobian(const Tensor& target, const Source& source);

  // The ids of the variables watched since the last reset(), in creation order.
  std::vector<uint64_t> watched_variables() const;

  // The number of recorded op calls.
  size_t num_records() const;

  // For the layers below the API.
  autodiff::TapeState& state() const { return *state_; }

 private:
  autodiff::TapeState* state_;
};

// While it exists, no tape of this thread records.
class PEN_API PauseRecording {
 public:
  PauseRecording();
  ~PauseRecording();
  PauseRecording(const PauseRecording&) = delete;
  PauseRecording& operator=(const PauseRecording&) = delete;

 private:
  bool before_;
};

// While it exists, the tapes already open on this thread do not record; new ones do.
class PEN_API HideTapes {
 public:
  HideTapes();
  ~HideTapes();
  HideTapes(const HideTapes&) = delete;
  HideTapes& operator=(const HideTapes&) = delete;
  // Whether one of the hidden tapes follows the tensor.
  bool knows(const Tensor& tensor) const;

 private:
  autodiff::TapeState* hidden_;
};

// Maps the gradients of the outputs to those of the inputs.
using Backward = std::function<std::vector<Gradient>(std::span<const Tensor> dys)>;
// Records on this thread's tapes that `outputs` came from `inputs`, with their backward function.
PEN_API void record_custom(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                           Backward backward);

struct CustomResult {
  Tensors outputs;
  Backward backward;
};
// Runs `forward` unrecorded, and gives its outputs the gradient function that it returns.
PEN_API Tensors custom_gradient(const std::function<CustomResult(std::span<const Tensor>)>& forward,
                                std::span<const Tensor> inputs);

}  // namespace penstock
