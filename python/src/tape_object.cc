// Tapes and custom gradients for Python, through nanobind: nothing here is hot.
#include "tape_object.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <memory>
#include <vector>

#include <penstock/autodiff/forward.h>
#include <penstock/autodiff/tape.h>
#include <penstock/exec/function.h>
#include <penstock/exec/trace.h>

#include "callback.h"
#include "convert.h"
#include "errors.h"
#include "run.h"
#include "tensor_object.h"
#include "variable_object.h"

namespace nb = nanobind;

namespace penstock::python {
namespace {

Source source_of(nb::handle object) {
  if (is_variable(object.ptr())) return variable_of(object.ptr());
  if (has_tensor(object.ptr())) return tensor_of(object.ptr());
  raise(PyExc_ValueError,
        "Passed in object %R of type %R, not tf.Tensor or tf.Variable or "
        "ExtensionType.",
        object.ptr(), reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
}

// None, a tensor, or (values, indices, dense shape) for a sparse gradient.
nb::object to_object(const Gradient& gradient) {
  if (!gradient.defined()) return nb::none();
  const auto wrapped = [](const Tensor& tensor) {
    return nb::steal(checked(wrap(Tensor(tensor))));
  };
  if (!gradient.is_sparse()) return wrapped(gradient.values());
  return nb::make_tuple(wrapped(gradient.values()), wrapped(gradient.indices()),
                        nb::steal(checked(shape_tuple(gradient.dense_shape()))));
}

// A tape belongs to one thread at a time: the GIL is released during the backward pass.
class PyTape {
 public:
  PyTape(bool persistent, bool watch_variables, bool watch_only)
      : tape_({persistent, watch_variables, watch_only}) {}

  void watch(nb::handle object) { tape_.watch(source_of(object)); }
  void stop() { tape_.stop(); }
  void resume() { tape_.resume(); }
  void reset() { tape_.reset(); }
  void set_persistent(bool persistent) { tape_.set_persistent(persistent); }
  size_t num_records() const { return tape_.num_records(); }
  std::vector<uint64_t> watched_variables() const { return tape_.watched_variables(); }

  nb::list gradient(const nb::list& targets, const nb::list& sources, const nb::list& dys,
                    bool zeros) {
    std::vector<Tensor> from, arriving;
    std::vector<Source> to;
    for (nb::handle target : targets) from.push_back(to_tensor(target.ptr()));
    for (nb::handle source : sources) to.push_back(source_of(source));
    for (size_t i = 0; i < dys.size(); ++i)
      arriving.push_back(to_tensor(dys[i].ptr(), from[i].dtype()));
    const std::vector<Gradient> gradients = run_backward(from, to, arriving, zeros);
    nb::list result;
    for (const Gradient& gradient : gradients) result.append(to_object(gradient));
    return result;
  }

 private:
  std::vector<Gradient> run_backward(std::span<const Tensor> from, std::span<const Source> to,
                                     std::span<const Tensor> dys, bool zeros) {
    if (is_busy_.exchange(true))
      raise(PyExc_RuntimeError, "another thread is using this GradientTape");
    struct Done {
      std::atomic<bool>& flag;
      ~Done() { flag = false; }
    } done{is_busy_};
    const WithoutGil released(!Trace::is_open());
    return tape_.gradient(from, to, dys, zeros ? Unconnected::kZero : Unconnected::kNone);
  }

  Tape tape_;
  std::atomic<bool> is_busy_{false};
};

class PyForward {
 public:
  void watch(nb::handle primal, nb::handle tangent) {
    const Tensor moving = to_tensor(tangent.ptr());
    if (is_variable(primal.ptr())) return forward_.watch(source_of(primal), moving);
    forward_.watch(tensor_of(primal.ptr()), moving);
  }
  void start() { forward_.start(); }
  void stop() { forward_.stop(); }
  nb::object jvp(nb::handle primal) {
    Tensor tangent = forward_.jvp(source_of(primal));
    return tangent.defined() ? nb::steal(checked(wrap(std::move(tangent)))) : nb::none();
  }

 private:
  ForwardAccumulator forward_;
};

std::vector<Gradient> call_backward(const Callback& callback, std::span<const Tensor> dys) {
  const WithGil gil;
  nb::list arriving;
  for (const Tensor& dy : dys) arriving.append(nb::steal(checked(wrap(Tensor(dy)))));
  const Ref result(checked(PyObject_CallOneArg(callback.function, arriving.ptr())));
  std::vector<Gradient> gradients;
  for (nb::handle item : nb::borrow<nb::list>(result.get())) {
    gradients.push_back(item.is_none() ? Gradient() : Gradient(to_tensor(item.ptr())));
  }
  return gradients;
}

// record_custom(inputs, outputs, backward): returns the outputs as new tensors that the tapes
// follow.
nb::list record(const nb::list& inputs, const nb::list& outputs, nb::handle backward) {
  std::vector<Tensor> from, to;
  for (nb::handle input : inputs) {
    if (is_variable(input.ptr())) {
      from.push_back(variable_of(input.ptr()).value());
    } else {
      from.push_back(to_tensor(input.ptr()));
    }
  }
  nb::list result;
  for (nb::handle output : outputs) {
    const Tensor tensor = to_tensor(output.ptr());
    to.push_back(tensor.shared_as(tensor.shape()));
    result.append(nb::steal(checked(wrap(Tensor(to.back())))));
  }
  const auto callback = std::make_shared<const Callback>(backward);
  record_custom(from, to,
                [callback](std::span<const Tensor> dys) { return call_backward(*callback, dys); });
  return result;
}

}  // namespace

void add_tape(nb::module_& module) {
  nb::class_<PyTape>(module, "Tape")
      .def(nb::init<bool, bool, bool>(), nb::arg("persistent"), nb::arg("watch_variables"),
           nb::arg("watch_only") = false)
      .def("watch", &PyTape::watch)
      .def("stop", &PyTape::stop)
      .def("resume", &PyTape::resume)
      .def("reset", &PyTape::reset)
      .def("set_persistent", &PyTape::set_persistent)
      .def("gradient", &PyTape::gradient)
      .def("watched_variables", &PyTape::watched_variables)
      .def_prop_ro("num_records", &PyTape::num_records);
  nb::class_<PyForward>(module, "ForwardAccumulator")
      .def(nb::init<>())
      .def("watch", &PyForward::watch)
      .def("start", &PyForward::start)
      .def("stop", &PyForward::stop)
      .def("jvp", &PyForward::jvp);
  nb::class_<PauseRecording>(module, "PauseRecording").def(nb::init<>());
  nb::class_<HideTapes>(module, "HideTapes").def(nb::init<>());
  module.def("record_custom", &record);
}

}  // namespace penstock::python
