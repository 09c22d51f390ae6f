// PlanBuilder: adds up what the stages of a dataset will hold.
#pragma once

#include <cstdint>
#include <string>

#include <penstock/data/dataset.h>
#include <penstock/data/memory_plan.h>

namespace penstock::data {

class PlanBuilder {
 public:
  // The stages of a dataset, inputs first, each as often as it is iterated.
  void add(const Dataset& dataset);
  // A buffer of at most `count` elements of `input`'s kind. It is exact if every iterator that is
  // read to the end fills it. `count` may be kUnknown or kInfinite.
  void elements(const DatasetState& stage, std::string_view what, int64_t count, const Spec& spec,
                bool is_exact, bool is_spilled = false);
  // A buffer of bytes, such as one that a file is read through.
  void bytes(const DatasetState& stage, std::string_view what, int64_t bytes, bool is_exact);
  // The calls of a function that run at the same time.
  void calls(const ElementFunction& function, int64_t count);
  MemoryPlan take();

 private:
  void add(PlannedBuffer buffer, const DatasetState& stage);

  MemoryPlan plan_;
};

}  // namespace penstock::data
