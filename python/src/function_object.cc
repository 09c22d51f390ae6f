#include "function_object.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include <penstock/data/element_function.h>
#include <penstock/exec/control.h>
#include <penstock/exec/evaluate_now.h>
#include <penstock/exec/function.h>
#include <penstock/exec/host_call.h>
#include <penstock/exec/interrupts.h>
#include <penstock/exec/loop_counters.h>
#include <penstock/exec/memory_plan.h>
#include <penstock/exec/random_states.h>
#include <penstock/exec/source_line.h>
#include <penstock/exec/stand_in.h>
#include <penstock/exec/trace.h>

#include "array.h"
#include "callback.h"
#include "convert.h"
#include "dataset.h"
#include "errors.h"
#include "run.h"
#include "tensor_object.h"
#include "user_line.h"
#include "variable_object.h"

namespace nb = nanobind;

namespace penstock::python {

Shape to_shape(const nb::handle& dims) {
  if (dims.is_none()) return Shape::unknown_rank();
  std::vector<int64_t> sizes;
  for (nb::handle dim : dims) sizes.push_back(dim.is_none() ? kUnknownDim : nb::cast<int64_t>(dim));
  return Shape(std::span<const int64_t>(sizes));
}

std::vector<Tensor> tensors_of(const nb::list& objects) {
  std::vector<Tensor> tensors;
  for (nb::handle object : objects) tensors.push_back(to_tensor(object.ptr()));
  return tensors;
}

namespace {

SourceLine locate() {
  const UserLine line = user_line();
  return {line.file, line.line};
}

nb::object wrapped(Tensor tensor) { return nb::steal(checked(wrap(std::move(tensor)))); }

nb::list as_list(Tensors&& tensors) {
  nb::list result;
  for (Tensor& tensor : tensors) result.append(wrapped(std::move(tensor)));
  return result;
}

std::vector<Variable> variables_of(const nb::list& objects) {
  std::vector<Variable> variables;
  for (nb::handle object : objects) {
    if (!is_variable(object.ptr())) raise(PyExc_TypeError, "%R is no variable", object.ptr());
    variables.push_back(variable_of(object.ptr()));
  }
  return variables;
}

class PyTrace {
 public:
  PyTrace(const std::string& name, bool is_region) {
    trace_.emplace(name, is_region ? Trace::Kind::kRegion : Trace::Kind::kFunction);
  }
  nb::object input(nb::handle dtype, nb::handle shape) {
    return wrapped(trace_->input(to_dtype(dtype.ptr()), to_shape(shape)));
  }
  Function finish(const nb::list& outputs) {
    const std::vector<Tensor> tensors = tensors_of(outputs);
    Function function = trace_->finish(tensors);
    trace_.reset();
    return function;
  }
  // The same for a user function of a dataset: results may be datasets.
  data::ElementFunction finish_for_dataset(const nb::list& results) {
    data::Element components = to_element(results);
    data::ElementFunction function = data::ElementFunction::finish(*trace_, components);
    trace_.reset();
    return function;
  }
  void close() { trace_.reset(); }

 private:
  std::optional<Trace> trace_;
};

// Leaves all traces between enter() and exit().
class PyLeaveTraces {
 public:
  void enter() { leave_.emplace(); }
  void exit() { leave_.reset(); }

 private:
  std::optional<LeaveTraces> leave_;
};

nb::list call(const Function& function, const nb::list& inputs) {
  const std::vector<Tensor> tensors = tensors_of(inputs);
  Tensors outputs;
  {
    const WithoutGil released(!Trace::is_open());
    outputs = function(std::span<const Tensor>(tensors));
  }
  return as_list(std::move(outputs));
}

// call_host(name, function, inputs, [(dtype, shape)…], passes_gradients): the function's result for
// a list of tensors, as a list; inside a trace, at run time.
nb::list call_python(const std::string& name, nb::handle function, const nb::list& inputs,
                     const nb::list& outputs, bool passes_gradients) {
  const std::vector<Tensor> tensors = tensors_of(inputs);
  std::vector<const Tensor*> pointers;
  for (const Tensor& tensor : tensors) pointers.push_back(&tensor);
  std::vector<HostOutput> specs;
  for (nb::handle output : outputs)
    specs.push_back({to_dtype(output[0].ptr()), to_shape(output[1])});
  const auto callback = std::make_shared<const Callback>(function);
  const auto run = [callback](std::span<const Tensor* const> arguments) {
    const WithGil gil;
    nb::list objects;
    for (const Tensor* tensor : arguments) objects.append(wrapped(Tensor(*tensor)));
    const Ref returned(PyObject_CallOneArg(callback->function, objects.ptr()));
    // As an exception that may cross threads: pipelines call functions on their own.
    if (returned.get() == nullptr) throw nb::python_error();
    Tensors results;
    for (nb::handle item : nb::borrow<nb::list>(returned.get()))
      results.push_back(to_tensor(item.ptr()));
    return results;
  };
  return as_list(call_host(name, run, pointers, specs, passes_gradients));
}

// The results of the region that the int32 scalar selects.
nb::list branch(nb::handle index, const std::vector<Function>& regions) {
  return as_list(add_branch(to_tensor(index.ptr()), regions));
}

// The state after the last step.
nb::list loop(const Function& condition, const Function& body, const nb::list& state,
              int64_t checkpoints, bool swap_memory) {
  return as_list(add_loop(condition, body, tensors_of(state),
                          {.checkpoints = checkpoints, .swap_memory = swap_memory}));
}

// Stops a running loop at the user's request (Ctrl-C).
void check_signals() {
  const WithGil gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// What ends the program, in contrast to what a program handles.
bool is_python_interrupt(const std::exception& error) {
  const auto* python = dynamic_cast<const nb::python_error*>(&error);
  if (python == nullptr) return false;
  const WithGil gil;
  return PyErr_GivenExceptionMatches(python->type().ptr(), PyExc_Exception) == 0;
}

// Converts a plan's fields to Python objects.
nb::object plan_object(DType dtype) {
  return dtype == DType::kInvalid ? nb::none() : nb::steal(dtype_object(dtype));
}
nb::object plan_object(const Shape& shape) { return nb::steal(checked(shape_tuple(shape))); }
nb::object plan_object(const std::vector<PlannedValue>& values);
nb::object plan_object(const std::vector<PlannedLoop>& loops);
template <typename Field>
nb::object plan_object(const Field& field) {
  return nb::cast(field);
}
template <typename Part>
nb::dict fields_of(const Part& part) {
  nb::dict out;
  visit_fields(part, [&](const char* name, const auto& field) { out[name] = plan_object(field); });
  return out;
}
nb::object plan_object(const std::vector<PlannedValue>& values) {
  nb::list out;
  for (const PlannedValue& value : values) out.append(fields_of(value));
  return out;
}
nb::object plan_object(const std::vector<PlannedLoop>& loops) {
  nb::list out;
  for (const PlannedLoop& loop : loops) {
    nb::dict entry = fields_of(loop);
    entry["checkpoints_after"] =
        nb::cpp_function([loop](int64_t steps) { return loop.checkpoints_after(steps); });
    out.append(entry);
  }
  return out;
}

nb::dict plan_dict(const Function& function) {
  const MemoryPlan plan = function.plan();
  nb::dict out = fields_of(plan);
  MemoryPlan growing;  // the fields that peak_bytes_after() reads
  growing.peak_bytes = plan.peak_bytes;
  growing.loops = plan.loops;
  out["peak_bytes_after"] =
      nb::cpp_function([growing](int64_t steps) { return growing.peak_bytes_after(steps); });
  return out;
}

}  // namespace

void add_function(nb::module_& module) {
  nb::class_<PyTrace>(module, "Trace")
      .def(nb::init<const std::string&, bool>(), nb::arg("name"), nb::arg("is_region") = false)
      .def("input", &PyTrace::input, nb::arg("dtype"), nb::arg("shape").none())
      .def("finish", &PyTrace::finish)
      .def("finish_for_dataset", &PyTrace::finish_for_dataset)
      .def("close", &PyTrace::close);
  nb::class_<PyLeaveTraces>(module, "LeaveTraces")
      .def(nb::init<>())
      .def("enter", &PyLeaveTraces::enter)
      .def("exit", &PyLeaveTraces::exit);
  nb::class_<Function>(module, "Function")
      .def("__call__", call)
      .def("plan", plan_dict)
      .def("text", &Function::text)
      .def("bytes", &Function::bytes)
      .def("has_captures", &Function::has_captures)
      .def("has_known_inputs", &Function::has_known_inputs)
      .def("is_planned", &Function::is_planned)
      .def("at",
           [](const Function& f, const nb::list& shapes) {
             std::vector<Shape> sizes;
             for (nb::handle shape : shapes) sizes.push_back(to_shape(shape));
             return f.at(sizes);
           })
      .def("with_variables",
           [](const Function& f, const nb::list& from, const nb::list& to) {
             return with_variables(f, variables_of(from), variables_of(to));
           })
      .def("peak_bytes", &Function::peak_bytes)
      .def("note_custom_gradients", note_custom_gradients)
      .def("fit", &Function::fit)
      .def("least_peak_bytes", &Function::least_peak_bytes)
      .def("variable_ids",
           [](const Function& f) {
             std::vector<uint64_t> ids;
             for (const Variable& variable : f.variables()) ids.push_back(variable.id());
             return ids;
           })
      .def("assigns", &Function::assigns)
      .def_prop_ro("name", [](const Function& f) { return f.name(); });
  module.def("is_tracing", &Trace::is_open);
  module.def("restart_random_streams", &restart_random_streams);
  module.def("call_host", call_python);
  module.def("add_branch", branch);
  module.def("add_loop", loop);
  module.def("loop_counters", [] {
    const LoopCounters counters = loop_counters();
    return std::pair(counters.forward, counters.backward);
  });
  set_interrupt_check(check_signals);
  set_interrupt_test(is_python_interrupt);
  module.def(
      "narrow",
      [](nb::handle object, nb::handle dims) {
        auto* tensor = reinterpret_cast<TensorObject*>(object.ptr());
        tensor->tensor = narrowed(tensor->tensor, to_shape(dims));
      },
      nb::arg("tensor"), nb::arg("shape").none());
  module.def("evaluate_now",
             [](nb::handle tensor) { return wrapped(evaluate_now(to_tensor(tensor.ptr()))); });
  module.def("set_package", [](const std::string& path, const std::string& standard_library) {
    set_package(path, standard_library);
    set_locator(locate);
  });
}

}  // namespace penstock::python
