#include "plan.h"

#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <vector>

#include <penstock/base/error.h>
#include <penstock/plan/offsets.h>

#include "errors.h"

namespace nb = nanobind;

namespace penstock::python {
namespace {

using Column = std::vector<int64_t>;

// plan_offsets(lower, upper, size, alignment, time_limit, seed, progress): the layout as a
// dictionary, checked by the validator. `progress` is None or takes (height, bound, seconds).
nb::dict plan_offsets(const Column& lower, const Column& upper, const Column& size,
                      int64_t alignment, double time_limit, uint64_t seed,
                      const nb::object& progress) {
  if (lower.size() != upper.size() || lower.size() != size.size())
    throw InvalidArgumentError("[plan] the columns have different lengths");
  std::vector<plan::Block> blocks(size.size());
  for (size_t i = 0; i < blocks.size(); ++i) blocks[i] = {lower[i], upper[i], size[i]};
  plan::Options options = {.time_limit = time_limit, .alignment = alignment, .seed = seed};
  options.progress = [&](const plan::Progress& now) {
    const nb::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() != 0) throw PythonError();
    if (!progress.is_none()) progress(now.height, now.lower_bound, now.seconds);
  };
  plan::Layout layout;
  {
    const nb::gil_scoped_release released;
    layout = plan::plan_offsets(blocks, options);
    const std::string fault = plan::find_fault(blocks, layout.offsets, layout.height, alignment);
    if (!fault.empty()) throw InternalError("[plan] " + fault);
  }
  nb::dict result;
  result["height"] = layout.height;
  result["lower_bound"] = layout.lower_bound;
  result["gap"] = layout.gap;
  result["seconds"] = layout.seconds;
  result["stage"] = nb::str(std::string(plan::stage_name(layout.stage)).c_str());
  result["offsets"] = nb::cast(layout.offsets);
  return result;
}

}  // namespace

void add_plan(nb::module_& module) {
  module.def("plan_offsets", &plan_offsets, nb::arg("lower"), nb::arg("upper"), nb::arg("size"),
             nb::arg("alignment"), nb::arg("time_limit"), nb::arg("seed"),
             nb::arg("progress").none());
}

}  // namespace penstock::python
