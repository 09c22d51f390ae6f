#include "data/plan_builder.h"

#include <algorithm>
#include <utility>

#include <penstock/base/checked.h>
#include <penstock/base/strings.h>

#include "data/element_store.h"
#include "data/stage.h"

namespace penstock::data {
namespace {

PlannedBuffer buffer_of(const DatasetState& stage) {
  PlannedBuffer buffer;
  buffer.stage = stage.stage->name;
  buffer.file = stage.file;
  buffer.line = stage.line;
  return buffer;
}

// Sets what the buffer holds and its size, if that is known.
void describe(PlannedBuffer& buffer, std::string_view what, int64_t count, int64_t bytes,
              const Spec& spec) {
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
}

}  // namespace

Largest largest_of(const Dataset& dataset) {
  const DatasetState& state = *dataset.state();
  if (bytes_of(state.spec) != kUnknownBytes) return {state.spec, INT64_MAX};
  const bool is_bound = std::ranges::none_of(state.operands, &Tensor::is_symbolic);
  if (state.stage->largest == nullptr || !is_bound) return {state.spec, 0};
  return state.stage->largest(state);
}

Largest largest_in_order(const DatasetState& state) { return largest_of(state.input()); }

Largest largest_in_any_order(const DatasetState& state) {
  Largest largest = largest_of(state.input());
  if (largest.leading != INT64_MAX) largest.leading = 0;
  return largest;
}

void PlanBuilder::add(const Dataset& dataset) {
  const DatasetState& state = *dataset.state();
  for (const Dataset& input : state.inputs) add(input);
  if (state.stage->plan != nullptr) state.stage->plan(state, *this);
}

void PlanBuilder::add(PlannedBuffer buffer) {
  // The peak is the sum of the buffers only if all are full at the same time.
  if (is_falling_ && buffer.bytes != 0) buffer.is_exact = false;
  buffer.is_exact = buffer.is_exact && buffer.unknown.empty();
  plan_.is_exact = plan_.is_exact && buffer.is_exact;
  if (buffer.bytes != kUnknownBytes &&
      !checked_add(plan_.peak_bytes, buffer.bytes, &plan_.peak_bytes))
    plan_.peak_bytes = INT64_MAX;
  plan_.buffers.push_back(std::move(buffer));
}

void PlanBuilder::elements(const DatasetState& stage, std::string_view what, int64_t count,
                           const Spec& spec, bool is_exact, bool is_spilled) {
  PlannedBuffer buffer = buffer_of(stage);
  buffer.is_exact = is_exact;
  buffer.is_spilled = is_spilled;
  describe(buffer, what, count, bytes_of(spec), spec);
  add(std::move(buffer));
}

void PlanBuilder::elements(const DatasetState& stage, std::string_view what, int64_t count,
                           const Dataset& dataset, bool is_exact) {
  const Largest largest = largest_of(dataset);
  elements(stage, what, count, largest.spec, is_exact && count <= largest.leading);
}

void PlanBuilder::stored(const DatasetState& stage, std::string_view what, Use use, int64_t count,
                         const Dataset& dataset, bool is_exact) {
  const Largest largest = largest_of(dataset);
  const ElementStore::Footprint each = ElementStore::footprint(dataset.spec(), largest.spec);
  PlannedBuffer buffer = buffer_of(stage);
  describe(buffer, what, count, each.bytes, dataset.spec());
  buffer.is_exact = is_exact && count <= largest.leading;
  // Whether the buffers before it are full as well: not while it is kept, for that fills it at the
  // end. A whole element takes the memory with it that the stage before held.
  const bool is_drawn = use == Use::kDrawn;
  const bool is_small = buffer.bytes <= ElementStore::kChunkBytes;
  if (is_drawn && each.is_packed ? has_drawn_ && !is_small : plan_.peak_bytes > 0)
    buffer.is_exact = false;
  const int64_t share = std::max<int64_t>(ElementStore::share() - plan_.peak_bytes, 0);
  if (buffer.bytes > share) {
    buffer.what += cat(", ", buffer.bytes - share, " bytes of it in a file");
    buffer.bytes = share;
    buffer.is_spilled = true;
    buffer.is_exact = false;
  } else {
    buffer.is_spilled = buffer.bytes == kUnknownBytes;
  }
  const bool is_empty = buffer.bytes == 0;
  add(std::move(buffer));
  // And those after it: packed elements keep their place until the store is empty; others leave it
  // one by one.
  is_falling_ = is_falling_ || (is_drawn && !each.is_packed && !is_empty);
  has_drawn_ = has_drawn_ || (is_drawn && !is_empty);
}

void PlanBuilder::bytes(const DatasetState& stage, std::string_view what, int64_t bytes,
                        bool is_exact) {
  PlannedBuffer buffer = buffer_of(stage);
  buffer.what = cat(what, " of ", bytes, " bytes");
  buffer.bytes = bytes;
  buffer.is_exact = is_exact;
  add(std::move(buffer));
}

void PlanBuilder::calls(const ElementFunction& function, int64_t count) {
  if (!function.function().is_planned() || !function.function().has_known_inputs()) return;
  int64_t bytes;
  if (checked_mul(function.function().peak_bytes(), std::max<int64_t>(count, 1), &bytes))
    plan_.function_bytes += bytes;
}

MemoryPlan PlanBuilder::take() { return std::move(plan_); }

}  // namespace penstock::data
