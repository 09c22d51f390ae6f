#include <penstock/data/dataset.h>

#include <algorithm>
#include <cmath>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>
#include <penstock/data/traced_iterator.h>
#include <penstock/exec/trace.h>

#include "data/plan_builder.h"
#include "data/stage.h"
#include "exec/trace/source_line.h"

namespace penstock::data {

extern const StageDef kHandle;

namespace {

void check_count(std::string_view stage, std::string_view what, int expected, size_t found) {
  if (expected == kZeroOrMore) return;
  if (expected == kAnyNumber ? found > 0 : static_cast<size_t>(expected) == found) return;
  throw InvalidArgumentError(cat("[", stage, "Dataset] takes ",
                                 expected == kAnyNumber ? std::string("some") : cat(expected), " ",
                                 what, ", but got ", static_cast<int64_t>(found)));
}

std::vector<int64_t> resolve(const StageDef& stage,
                             const std::vector<std::pair<std::string, int64_t>>& given) {
  std::vector<int64_t> settings;
  for (const Setting& setting : stage.settings) settings.push_back(setting.fallback);
  for (const auto& [name, value] : given) {
    const auto at = std::ranges::find(stage.settings, name, &Setting::name);
    if (at == stage.settings.end())
      throw InvalidArgumentError(cat("[", stage.name, "Dataset] has no setting ", name));
    settings[static_cast<size_t>(at - stage.settings.begin())] = value;
  }
  return settings;
}

bool has_symbol(const DatasetState& state) {
  return std::ranges::any_of(state.operands, &Tensor::is_symbolic);
}

// Completes a state whose parts are set.
Dataset finished(std::shared_ptr<DatasetState> state) {
  const StageDef& stage = *state->stage;
  if (stage.infer != nullptr) {
    stage.infer(*state);
  } else if (!state->inputs.empty()) {
    state->spec = state->input().spec();
  }
  if (stage.share != nullptr && state->shared == nullptr && !has_symbol(*state))
    state->shared = stage.share(*state);
  return Dataset(std::move(state));
}

}  // namespace

std::span<const Tensor> DatasetState::captured(size_t function) const {
  size_t last = operands.size();
  for (size_t i = functions.size(); i-- > function + 1;) last -= functions[i].captures().size();
  const size_t count = functions[function].captures().size();
  return std::span<const Tensor>(operands).subspan(last - count, count);
}

Dataset Dataset::make(std::string_view name, Parts parts) {
  return with_memory_errors(name, [&] {
    const StageDef* stage = find_stage(name);
    if (stage == nullptr) throw InvalidArgumentError(cat("there is no stage ", name));
    check_count(name, "datasets", stage->num_inputs, parts.inputs.size());
    check_count(name, "operands", stage->num_operands, parts.operands.size());
    check_count(name, "functions", stage->num_functions, parts.functions.size());
    auto state = std::make_shared<DatasetState>();
    state->stage = stage;
    state->inputs = std::move(parts.inputs);
    state->operands = std::move(parts.operands);
    state->functions = std::move(parts.functions);
    for (const ElementFunction& function : state->functions) {
      for (const Tensor& capture : function.captures()) state->operands.push_back(capture);
    }
    state->settings = resolve(*stage, parts.settings);
    state->spec = std::move(parts.spec);
    state->host = std::move(parts.host);
    if (parts.shares != nullptr) state->shared = parts.shares->shared;
    state->is_template = Trace::is_open() || has_symbol(*state) ||
                         std::ranges::any_of(state->inputs, &Dataset::is_template);
    if (const auto here = exec::current_line()) {
      state->file = here->file;
      state->line = here->line;
    }
    return finished(std::move(state));
  });
}

Dataset Dataset::argument(Trace& trace, Spec elements) {
  return dataset_of(trace.input(DType::kInt64, Shape{}), std::move(elements));
}

Dataset bind(const Dataset& dataset, const Bindings& bindings) {
  const DatasetState& old = *dataset.state();
  if (!old.is_template) return dataset;
  auto state = std::make_shared<DatasetState>(old);
  state->is_template = false;
  state->shared = nullptr;
  for (Dataset& input : state->inputs) input = bind(input, bindings);
  for (Tensor& operand : state->operands) {
    if (!operand.is_symbolic()) continue;
    const auto at = std::ranges::find(bindings.symbols, operand.id());
    if (at == bindings.symbols.end())
      throw InvalidArgumentError(
          cat("[", old.stage->name, "Dataset] depends on a tensor of a function that is traced"));
    operand = bindings.values[static_cast<size_t>(at - bindings.symbols.begin())];
  }
  // At once: a handle lives as long as the call.
  if (state->stage == &kHandle) return dataset_of(state->operands[0], {});
  return finished(std::move(state));
}

void collect_symbols(const DatasetState& state, std::vector<Tensor>* symbols) {
  if (!state.is_template) return;
  for (const Dataset& input : state.inputs) collect_symbols(*input.state(), symbols);
  for (const Tensor& operand : state.operands) {
    if (operand.is_symbolic() &&
        std::ranges::find(*symbols, operand.id(), &Tensor::id) == symbols->end())
      symbols->push_back(operand);
  }
}

StageIteratorRef iterate(const Dataset& dataset, const Scope& scope) {
  const DatasetState& state = *dataset.state();
  if (has_symbol(state) || state.stage->iterate == nullptr)
    throw FailedPreconditionError(cat("[", state.stage->name,
                                      "Dataset] depends on a function that is traced: it can be "
                                      "iterated there only"));
  return state.stage->iterate(dataset.state(), scope);
}

void check_scalar(const DatasetState& state, size_t operand, std::string_view what) {
  const Tensor& tensor = state.operands[operand];
  if (fits(tensor.shape(), Shape{}) && !tensor.shape().has_rank()) return;
  if (tensor.shape().rank() != 0)
    throw InvalidArgumentError(cat("[", state.stage->name, "Dataset] ", what, " must be a scalar"));
}

bool is_known(const DatasetState& state, size_t operand) {
  return !state.operands[operand].is_symbolic();
}

const Spec& Dataset::spec() const { return state_->spec; }
std::string_view Dataset::stage() const { return state_->stage->name; }
bool Dataset::is_template() const { return state_->is_template; }
std::vector<Tensor> Dataset::symbols() const {
  std::vector<Tensor> symbols;
  collect_symbols(*state_, &symbols);
  return symbols;
}

int64_t Dataset::cardinality() const {
  if (has_symbol(*state_)) return kUnknown;
  if (state_->stage->cardinality != nullptr) return state_->stage->cardinality(*state_);
  return state_->inputs.empty() ? kUnknown : state_->input().cardinality();
}

MemoryPlan Dataset::memory_plan() const {
  PlanBuilder builder;
  builder.add(*this);
  return builder.take();
}

Dataset Dataset::from_tensors(std::span<const Tensor> components) {
  return make("Tensor", {.operands = {components.begin(), components.end()}});
}
Dataset Dataset::from_tensor_slices(std::span<const Tensor> components) {
  return make("TensorSlice", {.operands = {components.begin(), components.end()}});
}
Dataset Dataset::range(int64_t start, int64_t stop, int64_t step) {
  return make("Range", {.operands = {Tensor(start), Tensor(stop), Tensor(step)}});
}
Dataset Dataset::random(int64_t seed, int64_t seed2, bool rerandomize_each_iteration) {
  return make("Random", {.operands = {Tensor(seed), Tensor(seed2)},
                         .settings = {{"rerandomize", rerandomize_each_iteration}}});
}
Dataset Dataset::choose(const Dataset& choices, std::span<const Dataset> datasets,
                        bool stop_on_empty) {
  std::vector<Dataset> inputs = {choices};
  inputs.insert(inputs.end(), datasets.begin(), datasets.end());
  return make("DirectedInterleave",
              {.inputs = std::move(inputs), .settings = {{"stop_on_empty", stop_on_empty}}});
}
Dataset Dataset::sample(std::span<const Dataset> datasets, const Tensor& weights, int64_t seed,
                        int64_t seed2, bool stop_on_empty, bool rerandomize_each_iteration) {
  std::vector<double> logits;
  for (int64_t i = 0; i < weights.num_elements(); ++i)
    logits.push_back(std::log(weights.number_at(i)));
  const Shape shape{static_cast<int64_t>(logits.size())};
  const Dataset choices =
      make("Weighted", {.operands = {Tensor::from(std::span<const double>(logits), shape),
                                     Tensor(seed), Tensor(seed2)},
                        .settings = {{"rerandomize", rerandomize_each_iteration}}});
  return choose(choices, datasets, stop_on_empty);
}
Dataset Dataset::map(ElementFunction function, int64_t parallel_calls) const {
  if (parallel_calls == 1)
    return make("Map", {.inputs = {*this}, .functions = {std::move(function)}});
  return make("ParallelMap", {.inputs = {*this},
                              .operands = {Tensor(parallel_calls)},
                              .functions = {std::move(function)}});
}
Dataset Dataset::filter(ElementFunction predicate) const {
  return make("Filter", {.inputs = {*this}, .functions = {std::move(predicate)}});
}
Dataset Dataset::batch(int64_t size, bool drop_remainder) const {
  return make("Batch", {.inputs = {*this},
                        .operands = {Tensor(size)},
                        .settings = {{"drop_remainder", drop_remainder}}});
}
Dataset Dataset::shuffle(int64_t buffer_size, int64_t seed, int64_t seed2,
                         bool reshuffle_each_iteration) const {
  return make("Shuffle", {.inputs = {*this},
                          .operands = {Tensor(buffer_size), Tensor(seed), Tensor(seed2)},
                          .settings = {{"reshuffle", reshuffle_each_iteration}}});
}
Dataset Dataset::shuffle_and_repeat(int64_t buffer_size, int64_t seed, int64_t seed2, int64_t count,
                                    bool reshuffle_each_iteration) const {
  return make("ShuffleAndRepeat",
              {.inputs = {*this},
               .operands = {Tensor(buffer_size), Tensor(seed), Tensor(seed2), Tensor(count)},
               .settings = {{"reshuffle", reshuffle_each_iteration}}});
}
Dataset Dataset::repeat_shuffled(const Tensor& count) const {
  if (stage() != "Shuffle")
    throw InvalidArgumentError("[ShuffleAndRepeatDataset] needs a shuffled dataset");
  Parts parts{.inputs = state_->inputs, .operands = state_->operands, .shares = state_};
  parts.operands.push_back(count);
  for (size_t i = 0; i < state_->settings.size(); ++i)
    parts.settings.emplace_back(state_->stage->settings[i].name, state_->settings[i]);
  return make("ShuffleAndRepeat", std::move(parts));
}
Dataset Dataset::cache(std::string_view file) const {
  return make("Cache",
              {.inputs = {*this}, .operands = {Tensor::from_strings({&file, 1}, Shape{})}});
}
Dataset Dataset::repeat(int64_t count) const {
  return make("Repeat", {.inputs = {*this}, .operands = {Tensor(count)}});
}
Dataset Dataset::take(int64_t count) const {
  return make("Take", {.inputs = {*this}, .operands = {Tensor(count)}});
}
Dataset Dataset::skip(int64_t count) const {
  return make("Skip", {.inputs = {*this}, .operands = {Tensor(count)}});
}
Dataset Dataset::prefetch(int64_t buffer_size) const {
  return make("Prefetch", {.inputs = {*this}, .operands = {Tensor(buffer_size)}});
}
Dataset Dataset::flat_map(ElementFunction function) const {
  return make("FlatMap", {.inputs = {*this}, .functions = {std::move(function)}});
}
Dataset Dataset::interleave(ElementFunction function, int64_t cycle, int64_t block,
                            int64_t parallel_calls) const {
  Parts parts{.inputs = {*this},
              .operands = {Tensor(cycle), Tensor(block)},
              .functions = {std::move(function)}};
  if (parallel_calls == 1) return make("Interleave", std::move(parts));
  parts.operands.push_back(Tensor(parallel_calls));
  return make("ParallelInterleave", std::move(parts));
}
Dataset Dataset::padded_batch(int64_t size, bool drop_remainder) const {
  Parts parts{.inputs = {*this},
              .operands = {Tensor(size)},
              .settings = {{"drop_remainder", drop_remainder}}};
  for (const ComponentSpec& component : spec()) {
    if (component.is_dataset() || !component.shape.has_rank())
      throw InvalidArgumentError("[PaddedBatchDataset] every component must have a known rank");
    parts.operands.push_back(
        Tensor::from(component.shape.dims(), Shape{int64_t{component.shape.rank()}}));
    const std::string_view none;
    parts.operands.push_back(component.dtype == DType::kString
                                 ? Tensor::from_strings({&none, 1}, Shape{})
                                 : Tensor::scalar(component.dtype, 0));
  }
  return make("PaddedBatch", std::move(parts));
}
Dataset Dataset::unbatch() const { return make("Unbatch", {.inputs = {*this}}); }
Dataset Dataset::rebatch(int64_t size, bool drop_remainder) const {
  return make("Rebatch", {.inputs = {*this},
                          .operands = {Tensor{size}},
                          .settings = {{"drop_remainder", drop_remainder}}});
}
Dataset Dataset::window(int64_t size, int64_t shift, int64_t stride, bool drop_remainder) const {
  return make("Window",
              {.inputs = {*this},
               .operands = {Tensor(size), Tensor(shift == 0 ? size : shift), Tensor(stride)},
               .settings = {{"drop_remainder", drop_remainder}}});
}
Dataset Dataset::group_by_window(ElementFunction key, ElementFunction reduce,
                                 ElementFunction window_size) const {
  return make("GroupByWindow",
              {.inputs = {*this},
               .functions = {std::move(key), std::move(reduce), std::move(window_size)}});
}
Dataset Dataset::scan(std::span<const Tensor> state, ElementFunction function) const {
  return make("Scan", {.inputs = {*this},
                       .operands = {state.begin(), state.end()},
                       .functions = {std::move(function)}});
}
Dataset Dataset::take_while(ElementFunction predicate) const {
  return make("TakeWhile", {.inputs = {*this}, .functions = {std::move(predicate)}});
}
Dataset Dataset::unique() const { return make("Unique", {.inputs = {*this}}); }
Dataset Dataset::concatenate(const Dataset& other) const {
  return make("Concatenate", {.inputs = {*this, other}});
}
Dataset Dataset::shard(int64_t num_shards, int64_t index) const {
  return make("Shard", {.inputs = {*this}, .operands = {Tensor(num_shards), Tensor(index)}});
}
Dataset Dataset::enumerate(int64_t start) const {
  return zip(std::vector<Dataset>{range(start, INT64_MAX, 1), *this});
}
Dataset Dataset::ignore_errors(bool log_warning) const {
  return make("IgnoreErrors", {.inputs = {*this}, .settings = {{"log_warning", log_warning}}});
}
Dataset Dataset::zip(std::span<const Dataset> inputs) {
  return make("Zip", {.inputs = {inputs.begin(), inputs.end()}});
}

}  // namespace penstock::data
