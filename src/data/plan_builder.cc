#include "data/plan_builder.h"

#include <algorithm>
#include <utility>

#include <penstock/base/checked.h>
#include <penstock/base/strings.h>

#include "data/stage.h"

namespace penstock::data {

void PlanBuilder::add(const Dataset& dataset) {
  const DatasetState& state = *dataset.state();
  for (const Dataset& input : state.inputs) add(input);
  if (state.stage->plan != nullptr) state.stage->plan(state, *this);
}

void PlanBuilder::elements(const DatasetState& stage, std::string_view what, int64_t count,
                           const Spec& spec, bool is_exact, bool is_spilled) {
  PlannedBuffer buffer;
  buffer.is_spilled = is_spilled;
  const int64_t bytes = bytes_of(spec);
  if (count < 0) {
    buffer.what = what;
    buffer.unknown = "the number of elements";
  } else if (bytes == kUnknownBytes) {
    buffer.what = cat(what, " of ", count, count == 1 ? " element" : " elements");
    buffer.unknown = cat("the size of an element of ", spec);
  } else {
    buffer.what =
        cat(what, " of ", count, count == 1 ? " element" : " elements", " of ", bytes, " bytes");
    if (!checked_mul(count, bytes, &buffer.bytes)) buffer.unknown = "a size beyond 2^63 bytes";
  }
  if (!buffer.unknown.empty()) buffer.bytes = kUnknownBytes;
  buffer.is_exact = is_exact && buffer.unknown.empty();
  add(std::move(buffer), stage);
}

void PlanBuilder::bytes(const DatasetState& stage, std::string_view what, int64_t bytes,
                        bool is_exact) {
  PlannedBuffer buffer;
  buffer.what = cat(what, " of ", bytes, " bytes");
  buffer.bytes = bytes;
  buffer.is_exact = is_exact;
  add(std::move(buffer), stage);
}

void PlanBuilder::add(PlannedBuffer buffer, const DatasetState& stage) {
  buffer.stage = stage.stage->name;
  buffer.file = stage.file;
  buffer.line = stage.line;
  plan_.is_exact = plan_.is_exact && buffer.is_exact;
  if (buffer.bytes != kUnknownBytes &&
      !checked_add(plan_.peak_bytes, buffer.bytes, &plan_.peak_bytes))
    plan_.peak_bytes = INT64_MAX;
  plan_.buffers.push_back(std::move(buffer));
}

void PlanBuilder::calls(const ElementFunction& function, int64_t count) {
  if (!function.function().is_planned() || !function.function().has_known_inputs()) return;
  int64_t bytes;
  if (checked_mul(function.function().peak_bytes(), std::max<int64_t>(count, 1), &bytes))
    plan_.function_bytes += bytes;
}

MemoryPlan PlanBuilder::take() { return std::move(plan_); }

}  // namespace penstock::data
