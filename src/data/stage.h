// StageDef: everything known about one kind of stage, in one place (src/data/stages). stage_list.inc
// lists them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/data/dataset.h>

#include "data/scope.h"
#include "data/state_io.h"

namespace penstock::data {

class BatchBuilder;

// Computes the elements of one stage. One thread uses it at a time.
class StageIterator {
 public:
  virtual ~StageIterator() = default;
  // Replaces *element; false at the end, and from then on. An element that fails throws, and the
  // next call goes on after it.
  virtual bool next(Element& element) = 0;
  // Adds the next elements, `most` at most, to a batch: for stages that can add many rows at once.
  // Returns their number, 0 at the end, or kNoRows if the stage gives single elements only.
  static constexpr int64_t kNoRows = -1;
  virtual int64_t next_rows(BatchBuilder&, [[maybe_unused]] int64_t most) { return kNoRows; }
  virtual void save(StateWriter& out) = 0;
  virtual void restore(StateReader& in) = 0;
};
using StageIteratorRef = std::unique_ptr<StageIterator>;

// What all iterators of a dataset share: the seeds of a shuffle, the elements of a cache.
class Shared {
 public:
  virtual ~Shared() = default;
};

struct StageDef;

struct DatasetState {
  const StageDef* stage = nullptr;
  std::vector<Dataset> inputs;
  std::vector<Tensor> operands;  // the stage's own, then the functions' captures
  std::vector<ElementFunction> functions;
  std::vector<int64_t> settings;  // in the order of the definition
  Spec spec;
  std::shared_ptr<const HostSource> host;
  std::shared_ptr<Shared> shared;
  bool is_template = false;  // made while a function is traced
  std::string file;          // of the user's program
  int line = 0;

  const Dataset& input(size_t i = 0) const { return inputs[i]; }
  // The value of a scalar operand. Pre: it has data.
  int64_t number(size_t operand) const {
    const Tensor& tensor = operands[operand];
    return tensor.dtype() == DType::kInt64 ? tensor.item<int64_t>()
                                           : static_cast<int64_t>(tensor.number_at(0));
  }
  // The captures of a function.
  std::span<const Tensor> captured(size_t function) const;
};

class PlanBuilder;

struct Setting {
  std::string_view name;
  int64_t fallback = 0;
};

inline constexpr int kAnyNumber = -1;  // one or more
inline constexpr int kZeroOrMore = -2;

// The largest element of a dataset: its spec, with all shapes known, and how many elements at the
// beginning are as large (INT64_MAX: all).
struct Largest {
  Spec spec;
  int64_t leading = 0;
};

struct StageDef {
  std::string_view name;  // "Shuffle"
  int num_inputs = 1;     // or kAnyNumber
  int num_operands = 0;   // without captures
  int num_functions = 0;
  std::span<const Setting> settings = {};
  // Checks the parts that are no template and sets the spec. Operands may be symbolic. Null: the
  // spec is that of the input.
  void (*infer)(DatasetState& state) = nullptr;
  // Null: that of the input.
  int64_t (*cardinality)(const DatasetState& state) = nullptr;
  // What the iterators share. Null: nothing. Operands have data.
  std::shared_ptr<Shared> (*share)(const DatasetState& state) = nullptr;
  StageIteratorRef (*iterate)(std::shared_ptr<const DatasetState> state,
                              const Scope& scope) = nullptr;
  // Adds what an iterator holds. Null: nothing, beside its inputs.
  void (*plan)(const DatasetState& state, PlanBuilder& plan) = nullptr;
  // Where the spec leaves sizes open. Null: not known.
  Largest (*largest)(const DatasetState& state) = nullptr;
};

Largest largest_of(const Dataset& dataset);
// StageDef::largest of a stage that gives its input's elements: the first ones first, or any.
Largest largest_in_order(const DatasetState& state);
Largest largest_in_any_order(const DatasetState& state);

// The definition with that name; null if there is none.
const StageDef* find_stage(std::string_view name);

// The iterator of a dataset. Throws for a template.
StageIteratorRef iterate(const Dataset& dataset, const Scope& scope);

// The values of a template's symbols, by id.
struct Bindings {
  std::span<const uint64_t> symbols;
  std::span<const Tensor> values;
};
Dataset bind(const Dataset& dataset, const Bindings& bindings);
// The symbolic operands of a template, each once, appended to *symbols.
void collect_symbols(const DatasetState& state, std::vector<Tensor>* symbols);

// Throws InvalidArgumentError unless the operand is a scalar of a whole-number dtype.
void check_scalar(const DatasetState& state, size_t operand, std::string_view what);
// Whether the operand has a value: it is not symbolic.
bool is_known(const DatasetState& state, size_t operand);

}  // namespace penstock::data
