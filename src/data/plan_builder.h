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
  // The same for elements of `dataset`, whose largest size may be known where its spec is open.
  void elements(const DatasetState& stage, std::string_view what, int64_t count,
                const Dataset& dataset, bool is_exact);
  // The same in an ElementStore, of which the part beyond its share of the budget goes to a file. A
  // store is filled before the stage's first element and gives them one by one, or is filled while
  // they pass and keeps them.
  enum class Use : uint8_t { kDrawn, kKept };
  void stored(const DatasetState& stage, std::string_view what, Use use, int64_t count,
              const Dataset& dataset, bool is_exact);
  // A buffer of bytes, such as one that a file is read through.
  void bytes(const DatasetState& stage, std::string_view what, int64_t bytes, bool is_exact);
  // The calls of a function that run at the same time.
  void calls(const ElementFunction& function, int64_t count);
  MemoryPlan take();

 private:
  void add(PlannedBuffer buffer);

  MemoryPlan plan_;
  bool has_drawn_ = false;   // a store that is drawn from
  bool is_falling_ = false;  // a buffer is never full again after its stage's first element
};

}  // namespace penstock::data
