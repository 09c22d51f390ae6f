#include "memory.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include <penstock/base/threads.h>
#include <penstock/ledger/ledger.h>
#include <penstock/memory/memory.h>
#include <penstock/ops/registry.h>

namespace nb = nanobind;

namespace penstock::python {
namespace {

nb::dict to_dict(const MemoryCounters& counters) {
  nb::dict result;
  result["current"] = counters.current;
  result["peak"] = counters.peak;
  result["total"] = counters.total;
  result["count"] = counters.count;
  return result;
}

nb::dict by_tag(int device) {
  nb::dict result;
  for (int i = 0; i < kNumTags; ++i) {
    const auto tag = static_cast<Tag>(i);
    result[nb::str(std::string(tag_name(tag)).c_str())] =
        to_dict(ledger::tag_counters(device, tag));
  }
  return result;
}

nb::tuple tag_names() {
  nb::list names;
  for (int i = 0; i < kNumTags; ++i) names.append(std::string(tag_name(static_cast<Tag>(i))));
  return nb::tuple(names);
}

// (name, kind, bytes, live allocations) of the largest holders.
nb::list top_owners(size_t most) {
  static constexpr const char* kKinds[] = {"op", "variable", "function"};
  nb::list result;
  for (const ledger::Holding& holding : ledger::top_owners(most)) {
    result.append(nb::make_tuple(holding.owner, kKinds[static_cast<size_t>(holding.kind)],
                                 holding.bytes, holding.count));
  }
  return result;
}

Device device(int index) { return {static_cast<uint8_t>(index)}; }

}  // namespace

void add_memory(nb::module_& module) {
  module.def("memory_info", [](int index) { return to_dict(memory::info(device(index))); });
  module.def("memory_by_tag", &by_tag);
  module.def("tag_names", &tag_names);
  module.def("memory_table", [](int index) { return ledger::table(index); });
  module.def("top_owners", &top_owners);
  module.def("reset_peak", [](int index) { memory::reset_peak(device(index)); });
  module.def("set_budget",
             [](int64_t bytes, int index) { memory::set_budget(bytes, device(index)); });
  module.def("budget", [](int index) { return memory::budget(device(index)); });
  module.def("parse_bytes", [](const std::string& text) { return memory::parse_bytes(text); });
  module.def("trim", [] {
    const nb::gil_scoped_release released;
    memory::trim();
  });
  module.def("mapped_bytes", [] { return memory::stats().mapped; });
  module.def("resident_bytes", [] {
    const nb::gil_scoped_release released;
    return memory::resident_bytes();
  });
  module.def("cached_bytes", [] { return memory::stats().cached; });
  module.def("inject_faults",
             [](int64_t nth, int64_t every) { memory::inject({.nth = nth, .every = every}); });
  module.def("end_injection", &memory::end_injection);
  module.def("set_num_threads", &set_num_threads);
  module.def("num_threads", &num_threads);
  module.def("load_op_library", [](const std::string& path) { load_op_library(path.c_str()); });
}

}  // namespace penstock::python
