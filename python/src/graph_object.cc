// GraphBuilder for Python. Functions called per node or per run are here; the rest is Python.
#include "graph_object.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include <penstock/exec/graph_builder.h>

#include "convert.h"
#include "errors.h"
#include "function_object.h"
#include "tensor_object.h"
#include "variable_object.h"

namespace nb = nanobind;

namespace penstock::python {
namespace {

nb::object wrapped(Tensor tensor) { return nb::steal(checked(wrap(std::move(tensor)))); }

nb::list wrapped_all(const std::vector<Tensor>& tensors) {
  nb::list out;
  for (const Tensor& tensor : tensors) out.append(tensor.defined() ? wrapped(tensor) : nb::none());
  return out;
}

// Enters a graph between enter() and exit().
class PyEntered {
 public:
  explicit PyEntered(GraphBuilder& builder) : builder_(builder) {}
  void enter() { entered_.emplace(builder_); }
  void exit() { entered_.reset(); }

 private:
  GraphBuilder& builder_;
  std::optional<GraphBuilder::Entered> entered_;
};

std::vector<Shape> shapes_of(const nb::list& shapes) {
  std::vector<Shape> out;
  for (nb::handle shape : shapes) out.push_back(to_shape(shape));
  return out;
}

// Variables by number; None for those that a part does not use.
std::vector<Variable> variables_of(const nb::list& objects) {
  std::vector<Variable> out;
  for (nb::handle object : objects)
    out.push_back(object.is_none() ? Variable(std::shared_ptr<Variable::State>())
                                   : variable_of(object.ptr()));
  return out;
}

nb::tuple part(const GraphBuilder& builder, const nb::list& feeds, const nb::list& fetches,
               const std::vector<int32_t>& targets) {
  const GraphBuilder::Part part = builder.part(tensors_of(feeds), tensors_of(fetches), targets);
  nb::list variables;
  for (size_t i = 0; i < part.variables.size(); ++i)
    variables.append(nb::make_tuple(part.variables[i], static_cast<bool>(part.reads_first[i]),
                                    static_cast<bool>(part.is_assigned[i])));
  return nb::make_tuple(variables, part.unfed);
}

}  // namespace

void add_graph(nb::module_& module) {
  nb::class_<GraphBuilder>(module, "GraphBuilder")
      .def(nb::init<>())
      .def("number", &GraphBuilder::number)
      .def(
          "placeholder",
          [](GraphBuilder& b, nb::handle dtype, nb::handle shape, const std::string& name) {
            return wrapped(b.placeholder(to_dtype(dtype.ptr()), to_shape(shape), name));
          },
          nb::arg("dtype"), nb::arg("shape").none(), nb::arg("name"))
      .def("constant",
           [](GraphBuilder& b, nb::handle tensor, const std::string& name) {
             return wrapped(b.constant(to_tensor(tensor.ptr()), name));
           })
      .def("no_op", [](GraphBuilder& b, const std::string& name) { return b.no_op(name); })
      .def(
          "add_variable",
          [](GraphBuilder& b, nb::handle dtype, nb::handle shape) {
            return b.add_variable(to_dtype(dtype.ptr()), to_shape(shape));
          },
          nb::arg("dtype"), nb::arg("shape").none())
      .def("read", [](GraphBuilder& b, int32_t variable,
                      const std::string& name) { return wrapped(b.read(variable, name)); })
      .def("assign",
           [](GraphBuilder& b, int32_t variable, nb::handle value, const std::string& name) {
             return wrapped(b.assign(variable, to_tensor(value.ptr()), name));
           })
      .def("after_effects",
           [](GraphBuilder& b, int32_t first, const nb::list& tensors) {
             return wrapped_all(b.after_effects(first, tensors_of(tensors)));
           })
      .def("reads_of", [](const GraphBuilder& b, int32_t v) { return wrapped_all(b.reads_of(v)); })
      .def("gradients",
           [](GraphBuilder& b, const nb::list& ys, const nb::list& xs, const nb::list& dys,
              const nb::list& stops) {
             return wrapped_all(
                 b.gradients(tensors_of(ys), tensors_of(xs), tensors_of(dys), tensors_of(stops)));
           })
      .def("set_scope", [](GraphBuilder& b, const std::string& scope) { b.set_scope(scope); })
      .def("scope", &GraphBuilder::scope)
      .def("named",
           [](GraphBuilder& b, nb::handle tensor, int32_t first, const std::string& name) {
             return wrapped(b.named(to_tensor(tensor.ptr()), first, name));
           })
      .def("rename",
           [](GraphBuilder& b, int32_t node, const std::string& name) { b.rename(node, name); })
      .def("unique_name",
           [](GraphBuilder& b, const std::string& name) { return b.unique_name(name); })
      .def("next_name",
           [](const GraphBuilder& b, const std::string& name) { return b.next_name(name); })
      .def("set_control_inputs",
           [](GraphBuilder& b, const std::vector<int32_t>& nodes) { b.set_control_inputs(nodes); })
      .def("set_finalized", &GraphBuilder::set_finalized)
      .def("num_nodes", &GraphBuilder::num_nodes)
      .def("node_of", [](const GraphBuilder& b,
                         nb::handle tensor) { return b.node_of(tensor_of(tensor.ptr())); })
      .def("name", &GraphBuilder::name)
      .def("type", [](const GraphBuilder& b, int32_t node) { return std::string(b.type(node)); })
      .def("inputs", [](const GraphBuilder& b, int32_t n) { return wrapped_all(b.inputs(n)); })
      .def("outputs", [](const GraphBuilder& b, int32_t n) { return wrapped_all(b.outputs(n)); })
      .def("control_inputs", &GraphBuilder::control_inputs)
      .def("line",
           [](const GraphBuilder& b, int32_t node) {
             const SourceLine at = b.line(node);
             return nb::make_tuple(std::string(at.file), at.line);
           })
      .def("find", [](const GraphBuilder& b, const std::string& name) { return b.find(name); })
      .def("constant_value",
           [](GraphBuilder& b, nb::handle tensor) -> nb::object {
             std::optional<Tensor> found = b.constant_value(tensor_of(tensor.ptr()));
             return found ? wrapped(std::move(*found)) : nb::none();
           })
      .def("runs_alone", [](const GraphBuilder& b,
                            nb::handle tensor) { return b.runs_alone(tensor_of(tensor.ptr())); })
      .def("bytes", &GraphBuilder::bytes)
      .def("part", part)
      .def("compile", [](GraphBuilder& b, const nb::list& feeds, const nb::list& shapes,
                         const nb::list& fetches, const std::vector<int32_t>& targets,
                         const nb::list& variables, const RandomStates& random) {
        return b.compile(tensors_of(feeds), shapes_of(shapes), tensors_of(fetches), targets,
                         variables_of(variables), random);
      });
  nb::class_<RandomStates>(module, "RandomStates").def(nb::init<>());
  nb::class_<RepeatedDraws>(module, "RepeatedDraws")
      .def(nb::init<>())
      .def("enter", &RepeatedDraws::enter)
      .def("exit", &RepeatedDraws::exit);
  module.def("is_building", &GraphBuilder::is_entered);
  nb::class_<PyEntered>(module, "EnteredGraph")
      .def(nb::init<GraphBuilder&>(), nb::keep_alive<1, 2>())
      .def("enter", &PyEntered::enter)
      .def("exit", &PyEntered::exit);
}

}  // namespace penstock::python
