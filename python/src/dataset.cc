#include "dataset.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <penstock/data/dataset.h>
#include <penstock/data/memory_plan.h>
#include <penstock/data/reduce.h>
#include <penstock/data/saved.h>
#include <penstock/data/traced_iterator.h>

#include "array.h"
#include "callback.h"
#include "convert.h"
#include "errors.h"
#include "function_object.h"
#include "run.h"
#include "tensor_object.h"

namespace nb = nanobind;

namespace penstock::python {

using data::Dataset;

data::Spec to_spec(nb::handle items) {
  data::Spec spec;
  for (nb::handle item : items) {
    if (nb::isinstance<nb::list>(item)) {
      spec.push_back({.shape = {}, .dataset = std::make_shared<const data::Spec>(to_spec(item))});
    } else {
      spec.push_back({to_dtype(item[0].ptr()), to_shape(item[1])});
    }
  }
  return spec;
}

data::Element to_element(nb::handle items) {
  data::Element element;
  for (nb::handle item : items) {
    if (nb::isinstance<Dataset>(item)) {
      element.push_back(data::Component(nb::cast<Dataset>(item).state()));
    } else {
      element.push_back(to_tensor(item.ptr()));
    }
  }
  return element;
}

namespace {

nb::list spec_list(const data::Spec& spec) {
  nb::list items;
  for (const data::ComponentSpec& component : spec) {
    if (component.is_dataset()) {
      items.append(spec_list(*component.dataset));
    } else {
      nb::object shape = component.shape.has_rank()
                             ? nb::steal(checked(shape_tuple(component.shape)))
                             : nb::object(nb::none());
      items.append(nb::make_tuple(nb::steal(dtype_object(component.dtype)), shape));
    }
  }
  return items;
}

nb::object wrapped(Tensor tensor) { return nb::steal(checked(wrap(std::move(tensor)))); }

nb::list element_list(data::Element&& element) {
  nb::list items;
  for (data::Component& component : element) {
    if (component.dataset != nullptr) {
      items.append(Dataset(component.dataset));
    } else {
      items.append(wrapped(std::move(component.tensor)));
    }
  }
  return items;
}

// A Python error as an exception that may cross threads.
template <typename Body>
auto carrying_errors(Body&& body) {
  try {
    return body();
  } catch (const PythonError&) {
    throw nb::python_error();
  }
}

// The elements that a Python iterator gives, each a list of tensors.
class PythonElements final : public data::HostSource::Elements {
 public:
  explicit PythonElements(PyObject* iterator) : iterator_(iterator) {}
  ~PythonElements() override {
    if (Py_IsInitialized() == 0) return;
    const WithGil gil;
    Py_DECREF(iterator_);
  }
  bool next(data::Element& element) override {
    const WithGil gil;
    return carrying_errors([&] {
      const Ref item(PyIter_Next(iterator_));
      if (item.get() == nullptr) {
        if (PyErr_Occurred() != nullptr) throw PythonError();
        return false;
      }
      element = to_element(nb::handle(item.get()));
      return true;
    });
  }

 private:
  PyObject* const iterator_;
};

// A function of a list of tensors that returns such an iterator.
class PythonSource final : public data::HostSource {
 public:
  explicit PythonSource(nb::handle function) : callback_(function) {}
  std::unique_ptr<Elements> iterate(std::span<const Tensor> arguments) const override {
    const WithGil gil;
    return carrying_errors([&] {
      nb::list tensors;
      for (const Tensor& tensor : arguments) tensors.append(wrapped(Tensor(tensor)));
      return std::make_unique<PythonElements>(
          checked(PyObject_CallOneArg(callback_.function, tensors.ptr())));
    });
  }

 private:
  const Callback callback_;
};

// make_dataset(stage, inputs, operands, functions, settings, spec, source)
Dataset make_dataset(const std::string& stage, const nb::list& inputs, const nb::list& operands,
                     const nb::list& functions, const nb::dict& settings, nb::handle spec,
                     nb::handle source) {
  Dataset::Parts parts;
  for (nb::handle input : inputs) parts.inputs.push_back(nb::cast<Dataset>(input));
  parts.operands = tensors_of(operands);
  for (nb::handle function : functions)
    parts.functions.push_back(nb::cast<data::ElementFunction>(function));
  for (auto [name, value] : settings)
    parts.settings.emplace_back(nb::cast<std::string>(name), nb::cast<int64_t>(value));
  if (!spec.is_none()) parts.spec = to_spec(spec);
  if (!source.is_none()) parts.host = std::make_shared<const PythonSource>(source);
  return Dataset::make(stage, std::move(parts));
}

nb::dict plan_dict(const Dataset& dataset) {
  const data::MemoryPlan plan = dataset.memory_plan();
  nb::list buffers;
  for (const data::PlannedBuffer& buffer : plan.buffers) {
    nb::dict entry;
    entry["stage"] = buffer.stage;
    entry["what"] = buffer.what;
    entry["bytes"] = buffer.bytes == data::kUnknownBytes ? nb::object(nb::none())
                                                         : nb::object(nb::int_(buffer.bytes));
    entry["is_exact"] = buffer.is_exact;
    entry["is_spilled"] = buffer.is_spilled;
    entry["unknown"] = buffer.unknown;
    entry["file"] = buffer.file;
    entry["line"] = buffer.line;
    buffers.append(entry);
  }
  nb::dict out;
  out["buffers"] = buffers;
  out["peak_bytes"] = plan.peak_bytes;
  out["function_bytes"] = plan.function_bytes;
  out["is_exact"] = plan.is_exact;
  return out;
}

// An iterator, which is dropped without the GIL: its threads may need that to end.
class PyIterator {
 public:
  explicit PyIterator(nb::handle dataset) {
    const Dataset* const source = dataset.is_none() ? nullptr : &nb::cast<const Dataset&>(dataset);
    const WithoutGil released;
    slot_.emplace();
    if (source != nullptr) slot_->start(*source);
  }
  ~PyIterator() {
    const WithoutGil released;
    slot_.reset();
  }
  // The components of the next element; None at the end.
  nb::object next() {
    data::Element element;
    bool is_one;
    {
      const WithoutGil released;
      is_one = slot_->iterator().next(element);
    }
    if (!is_one) return nb::none();
    return element_list(std::move(element));
  }
  nb::bytes save() {
    std::string bytes;
    {
      const WithoutGil released;
      bytes = slot_->iterator().save();
    }
    return nb::bytes(bytes.data(), bytes.size());
  }
  void restore(const nb::bytes& bytes) {
    const std::string_view view(bytes.c_str(), bytes.size());
    const WithoutGil released;
    slot_->iterator().restore(view);
  }
  void close() {
    const WithoutGil released;
    slot_->iterator().close();
  }
  nb::object handle() { return wrapped(slot_->handle()); }

 private:
  std::optional<data::IteratorSlot> slot_;
};

// Runs without the GIL, which threads of an iterator may need, unless it is traced.
template <typename Body>
auto running(Body&& body) {
  const WithoutGil released(!Trace::is_open());
  return body();
}

// The components of an element that `add` gives for a handle: datasets are handles there.
nb::list components_of(Tensors (*add)(const Tensor&, const data::Spec&), nb::handle handle,
                       nb::handle spec) {
  const Tensor slot = to_tensor(handle.ptr());
  const data::Spec elements = to_spec(spec);
  Tensors tensors = running([&] { return add(slot, elements); });
  nb::list items;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (elements[i].is_dataset()) {
      items.append(data::dataset_of(tensors[i], *elements[i].dataset));
    } else {
      items.append(wrapped(std::move(tensors[i])));
    }
  }
  return items;
}

nb::list tensor_list(Tensors&& tensors) {
  nb::list items;
  for (Tensor& tensor : tensors) items.append(wrapped(std::move(tensor)));
  return items;
}

// reduce_dataset(dataset, state, function, spec): the last state.
nb::list reduce_dataset(const Dataset& dataset, const nb::list& state,
                        const data::ElementFunction& function, nb::handle spec) {
  const data::Spec state_spec = to_spec(spec);
  const std::vector<Tensor> start = tensors_of(state);
  return tensor_list(
      running([&] { return data::add_reduction(dataset, start, function, state_spec); }));
}

nb::list single_element(const Dataset& dataset) {
  return tensor_list(running([&] { return data::add_single_element(dataset); }));
}

}  // namespace

void add_dataset(nb::module_& module) {
  nb::class_<data::ElementFunction>(module, "ElementFunction")
      .def("spec", [](const data::ElementFunction& f) { return spec_list(f.spec()); })
      .def("is_stateful", &data::ElementFunction::is_stateful);
  nb::class_<Dataset>(module, "Dataset")
      .def("spec", [](const Dataset& dataset) { return spec_list(dataset.spec()); })
      .def("cardinality", &Dataset::cardinality)
      .def("memory_plan", plan_dict)
      .def("is_template", &Dataset::is_template)
      .def("symbols",
           [](const Dataset& dataset) {
             nb::list symbols;
             for (Tensor& symbol : dataset.symbols()) symbols.append(wrapped(std::move(symbol)));
             return symbols;
           })
      .def_prop_ro("stage", &Dataset::stage);
  nb::class_<PyIterator>(module, "DatasetIterator")
      .def(nb::init<nb::handle>(), nb::arg("dataset").none())
      .def("next", &PyIterator::next)
      .def("save", &PyIterator::save)
      .def("restore", &PyIterator::restore)
      .def("close", &PyIterator::close)
      .def("handle", &PyIterator::handle);
  module.def("make_dataset", make_dataset, nb::arg("stage"), nb::arg("inputs"), nb::arg("operands"),
             nb::arg("functions"), nb::arg("settings"), nb::arg("spec").none(),
             nb::arg("source").none());
  module.def("repeat_shuffled", [](const Dataset& shuffled, nb::handle count) {
    return shuffled.repeat_shuffled(to_tensor(count.ptr()));
  });
  module.def("reduce_dataset", reduce_dataset);
  module.def("single_element", single_element);
  // In a function or graph that is traced; outside they run at once.
  module.def("add_iterator", [](const Dataset& dataset) {
    return wrapped(running([&] { return data::add_iterator(dataset); }));
  });
  module.def("add_iterator_start", [](nb::handle handle, const Dataset& dataset) {
    const Tensor slot = to_tensor(handle.ptr());
    running([&] { data::add_start(slot, dataset); });
  });
  module.def("add_iterator_next", [](nb::handle handle, nb::handle spec) {
    return components_of(data::add_next, handle, spec);
  });
  module.def("add_iterator_advance", [](nb::handle handle) {
    const Tensor slot = to_tensor(handle.ptr());
    return wrapped(running([&] { return data::add_advance(slot); }));
  });
  module.def("add_iterator_current", [](nb::handle handle, nb::handle spec) {
    return components_of(data::add_current, handle, spec);
  });
  module.def("save_iterator", [](nb::handle handle) {
    const Tensor slot = to_tensor(handle.ptr());
    const std::string bytes =
        running([&] { return data::IteratorSlot::of(slot).iterator().save(); });
    return nb::bytes(bytes.data(), bytes.size());
  });
  module.def("restore_iterator", [](nb::handle handle, const nb::bytes& bytes) {
    const Tensor slot = to_tensor(handle.ptr());
    const std::string_view view(bytes.c_str(), bytes.size());
    running([&] { data::IteratorSlot::of(slot).iterator().restore(view); });
  });
  module.def("add_next_optional", [](nb::handle handle) {
    const Tensor slot = to_tensor(handle.ptr());
    return wrapped(running([&] { return data::add_next_optional(slot); }));
  });
  module.def("add_optional", [](const nb::list& components) {
    return wrapped(data::add_optional(tensors_of(components)));
  });
  module.def("add_empty_optional", [] { return wrapped(data::add_empty_optional()); });
  module.def("add_has_value", [](nb::handle optional) {
    return wrapped(data::add_has_value(to_tensor(optional.ptr())));
  });
  module.def("add_value", [](nb::handle optional, nb::handle spec) {
    return components_of(data::add_value, optional, spec);
  });
  module.def("dataset_handle",
             [](const Dataset& dataset) { return wrapped(data::dataset_handle(dataset)); });
  module.def("dataset_of", [](nb::handle handle, nb::handle spec) {
    return data::dataset_of(to_tensor(handle.ptr()), to_spec(spec));
  });
  // write_dataset(dataset, path, compression, structure, shard_function)
  module.def(
      "write_dataset",
      [](const Dataset& dataset, const std::string& path, const std::string& compression,
         const nb::bytes& structure, nb::handle shard) {
        data::SaveOptions options{compression, {structure.c_str(), structure.size()}, {}};
        if (!shard.is_none()) options.shard = nb::cast<data::ElementFunction>(shard);
        const WithoutGil released;
        data::save(dataset, path, options);
      },
      nb::arg("dataset"), nb::arg("path"), nb::arg("compression"), nb::arg("structure"),
      nb::arg("shard_function").none());
  // (compression, spec, structure, elements of each shard)
  module.def("saved_dataset", [](const std::string& path) {
    const data::SavedDataset saved = data::saved_dataset(path);
    return nb::make_tuple(saved.compression, spec_list(saved.spec),
                          nb::bytes(saved.structure.data(), saved.structure.size()), saved.shards);
  });
  module.def("close_all_iterators", [] {
    const WithoutGil released;
    data::close_all_iterators();
  });
}

}  // namespace penstock::python
