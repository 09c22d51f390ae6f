#include <penstock/data/traced_iterator.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/data/reduce.h>
#include <penstock/exec/host_call.h>

#include "data/stage.h"

namespace penstock::data {

struct IteratorSlot::State {
  std::mutex mutex;
  std::optional<Iterator> iterator;
  Element current;
};

namespace {

struct OptionalState {
  bool has_value = false;
  Element value;
};

// Things of one kind by number. A handle is a scalar with a thing's number, and owns the thing.
template <typename T>
class Handles {
 public:
  Tensor add(std::shared_ptr<T> thing) {
    auto owner = std::make_unique<Owner>();
    owner->handles = this;
    owner->thing = thing;
    {
      const std::lock_guard lock(mutex_);
      owner->number = next_++;
      things_.emplace(owner->number, thing);
    }
    Owner* const raw = owner.release();
    return Tensor::borrow(
        DType::kInt64, Shape{}, &raw->number,
        [](void* context) {
          const std::unique_ptr<Owner> ended(static_cast<Owner*>(context));
          const std::lock_guard lock(ended->handles->mutex_);
          ended->handles->things_.erase(ended->number);
        },
        raw, true);
  }
  std::shared_ptr<T> find(const Tensor& handle) {
    const std::lock_guard lock(mutex_);
    const auto at = things_.find(handle.item<int64_t>());
    return at == things_.end() ? nullptr : at->second.lock();
  }

 private:
  struct Owner {
    Handles* handles;
    int64_t number;
    std::shared_ptr<T> thing;
  };
  std::mutex mutex_;
  int64_t next_ = 1;
  std::unordered_map<int64_t, std::weak_ptr<T>> things_;
};

// Never destroyed: handles may outlive main.
Handles<IteratorSlot::State>& slots() {
  static auto* const instance = new Handles<IteratorSlot::State>;
  return *instance;
}
Handles<const DatasetState>& datasets() {
  static auto* const instance = new Handles<const DatasetState>;
  return *instance;
}

Handles<const OptionalState>& optionals() {
  static auto* const instance = new Handles<const OptionalState>;
  return *instance;
}

const HostOutput kHandleOutput = {DType::kInt64, Shape{}};

std::vector<HostOutput> outputs_of(const Spec& spec) {
  std::vector<HostOutput> outputs;
  for (const ComponentSpec& component : spec) {
    outputs.push_back(component.is_dataset() ? kHandleOutput
                                             : HostOutput{component.dtype, component.shape});
  }
  return outputs;
}

Tensors tensors_of(Element&& element) {
  Tensors tensors;
  for (Component& component : element) {
    if (component.dataset != nullptr) {
      tensors.push_back(datasets().add(component.dataset));
    } else {
      tensors.push_back(std::move(component.tensor));
    }
  }
  return tensors;
}

Tensor handle_of(Element&& value, bool has_value) {
  return optionals().add(std::make_shared<const OptionalState>(has_value, std::move(value)));
}

std::shared_ptr<const OptionalState> optional_of(const Tensor& handle) {
  auto state = optionals().find(handle);
  if (state == nullptr) throw NotFoundError("[OptionalGetValue] the optional does not exist");
  return state;
}

// Calls `run(dataset, more)` whenever the function runs, with the dataset bound to the tensors that
// it depends on.
template <typename Run>
Tensors call_with(std::string_view name, const Dataset& dataset, std::span<const Tensor> more,
                  std::span<const HostOutput> outputs, Run run) {
  std::vector<Tensor> symbols;
  collect_symbols(*dataset.state(), &symbols);
  std::vector<uint64_t> ids;
  for (const Tensor& symbol : symbols) ids.push_back(symbol.id());
  std::vector<const Tensor*> inputs;
  for (const Tensor& symbol : symbols) inputs.push_back(&symbol);
  for (const Tensor& tensor : more) inputs.push_back(&tensor);
  const auto host = [dataset, ids, run](std::span<const Tensor* const> given) -> Tensors {
    std::vector<Tensor> values, others;
    for (size_t i = 0; i < given.size(); ++i)
      (i < ids.size() ? values : others).push_back(*given[i]);
    return run(bind(dataset, {ids, values}), others);
  };
  return call_host(name, host, inputs, outputs);
}

}  // namespace

IteratorSlot::IteratorSlot() : state_(std::make_shared<State>()) {}

void IteratorSlot::start(const Dataset& dataset) const {
  Iterator fresh(dataset);
  const std::lock_guard lock(state_->mutex);
  state_->iterator = std::move(fresh);
  state_->current.clear();
}

Iterator IteratorSlot::iterator() const {
  const std::lock_guard lock(state_->mutex);
  if (!state_->iterator.has_value()) {
    throw FailedPreconditionError(
        "[IteratorGetNext] GetNext() failed because the iterator has not been initialized. Ensure "
        "that you have run the initializer operation for this iterator before getting the next "
        "element.");
  }
  return *state_->iterator;
}

Tensor IteratorSlot::handle() const { return slots().add(state_); }

IteratorSlot IteratorSlot::of(const Tensor& handle) {
  auto state = slots().find(handle);
  if (state == nullptr)
    throw NotFoundError("[IteratorGetNext] the iterator does not exist any more");
  return IteratorSlot(std::move(state));
}

Tensor add_iterator(const Dataset& dataset) {
  return call_with("MakeIterator", dataset, {}, {&kHandleOutput, 1},
                   [](const Dataset& bound, const std::vector<Tensor>&) -> Tensors {
                     return {IteratorSlot(bound).handle()};
                   })[0];
}

void add_start(const Tensor& handle, const Dataset& dataset) {
  call_with("MakeIterator", dataset, {&handle, 1}, {},
            [](const Dataset& bound, const std::vector<Tensor>& more) -> Tensors {
              IteratorSlot::of(more[0]).start(bound);
              return {};
            });
}

Tensors add_next(const Tensor& handle, const Spec& spec) {
  const Tensor* const input = &handle;
  return call_host(
      "IteratorGetNext",
      [](std::span<const Tensor* const> inputs) -> Tensors {
        Element element;
        if (!IteratorSlot::of(*inputs[0]).iterator().next(element))
          throw OutOfRangeError("[IteratorGetNext] End of sequence");
        return tensors_of(std::move(element));
      },
      {&input, 1}, outputs_of(spec));
}

Tensor add_advance(const Tensor& handle) {
  const Tensor* const input = &handle;
  const HostOutput kFlag = {DType::kBool, Shape{}};
  return call_host("IteratorAdvance",
                   [](std::span<const Tensor* const> inputs) -> Tensors {
                     const auto state = slots().find(*inputs[0]);
                     Element element;
                     const bool is_one = IteratorSlot::of(*inputs[0]).iterator().next(element);
                     const std::lock_guard lock(state->mutex);
                     state->current = std::move(element);
                     return {Tensor(is_one)};
                   },
                   {&input, 1}, {&kFlag, 1})[0];
}

Tensors add_current(const Tensor& handle, const Spec& spec) {
  const Tensor* const input = &handle;
  return call_host(
      "IteratorCurrent",
      [](std::span<const Tensor* const> inputs) -> Tensors {
        const auto state = slots().find(*inputs[0]);
        if (state == nullptr) throw NotFoundError("[IteratorCurrent] the iterator does not exist");
        const std::lock_guard lock(state->mutex);
        return tensors_of(std::exchange(state->current, {}));
      },
      {&input, 1}, outputs_of(spec));
}

Tensor add_next_optional(const Tensor& handle) {
  const Tensor* const input = &handle;
  return call_host("IteratorGetNextAsOptional",
                   [](std::span<const Tensor* const> inputs) -> Tensors {
                     Element element;
                     const bool is_one = IteratorSlot::of(*inputs[0]).iterator().next(element);
                     return {handle_of(std::move(element), is_one)};
                   },
                   {&input, 1}, {&kHandleOutput, 1})[0];
}

Tensor add_optional(std::span<const Tensor> components) {
  std::vector<const Tensor*> inputs;
  for (const Tensor& component : components) inputs.push_back(&component);
  return call_host("OptionalFromValue",
                   [](std::span<const Tensor* const> given) -> Tensors {
                     Element element;
                     for (const Tensor* tensor : given) element.push_back(Component(*tensor));
                     return {handle_of(std::move(element), true)};
                   },
                   inputs, {&kHandleOutput, 1})[0];
}

Tensor add_empty_optional() {
  return call_host("OptionalNone",
                   [](std::span<const Tensor* const>) -> Tensors { return {handle_of({}, false)}; },
                   {}, {&kHandleOutput, 1})[0];
}

Tensor add_has_value(const Tensor& optional) {
  const Tensor* const input = &optional;
  const HostOutput kFlag = {DType::kBool, Shape{}};
  return call_host("OptionalHasValue",
                   [](std::span<const Tensor* const> inputs) -> Tensors {
                     return {Tensor(optional_of(*inputs[0])->has_value)};
                   },
                   {&input, 1}, {&kFlag, 1})[0];
}

Tensors add_value(const Tensor& optional, const Spec& spec) {
  const Tensor* const input = &optional;
  return call_host(
      "OptionalGetValue",
      [](std::span<const Tensor* const> inputs) -> Tensors {
        const auto state = optional_of(*inputs[0]);
        if (!state->has_value)
          throw InvalidArgumentError("The given optional does not have a value.");
        return tensors_of(Element(state->value));
      },
      {&input, 1}, outputs_of(spec));
}

Tensors add_reduction(const Dataset& dataset, std::span<const Tensor> state,
                      const ElementFunction& function, const Spec& state_spec) {
  std::vector<Tensor> more(state.begin(), state.end());
  more.insert(more.end(), function.captures().begin(), function.captures().end());
  const size_t count = state.size();
  return call_with("ReduceDataset", dataset, more, outputs_of(state_spec),
                   [function, count](const Dataset& bound, const std::vector<Tensor>& given) {
                     Element start;
                     for (size_t i = 0; i < count; ++i) start.push_back(given[i]);
                     const auto captured = std::span<const Tensor>(given).subspan(count);
                     return tensors_of(reduce(bound, std::move(start), function, captured));
                   });
}

Tensors add_single_element(const Dataset& dataset) {
  return call_with("DatasetToSingleElement", dataset, {}, outputs_of(dataset.spec()),
                   [](const Dataset& bound, const std::vector<Tensor>&) {
                     return tensors_of(single_element(bound));
                   });
}

extern const StageDef kHandle;

Tensor dataset_handle(const Dataset& dataset) {
  if (dataset.state()->stage == &kHandle) return dataset.state()->operands[0];
  if (!dataset.is_template()) return datasets().add(dataset.state());
  return call_with("DatasetHandle", dataset, {}, {&kHandleOutput, 1},
                   [](const Dataset& bound, const std::vector<Tensor>&) -> Tensors {
                     return {datasets().add(bound.state())};
                   })[0];
}

Dataset dataset_of(const Tensor& handle, Spec spec) {
  if (!handle.is_symbolic()) {
    auto state = datasets().find(handle);
    if (state == nullptr) throw NotFoundError("the dataset does not exist any more");
    return Dataset(std::move(state));
  }
  return Dataset::make("Handle", {.operands = {handle}, .spec = std::move(spec)});
}

namespace {

StageIteratorRef iterate_handle(std::shared_ptr<const DatasetState> state, const Scope& scope) {
  return iterate(dataset_of(state->operands[0], {}), scope);
}

}  // namespace

// Handle: the dataset that a handle stands for.
const StageDef kHandle = {
    .name = "Handle",
    .num_inputs = 0,
    .num_operands = 1,
    .infer = [](DatasetState&) {},
    .cardinality =
        [](const DatasetState& state) { return dataset_of(state.operands[0], {}).cardinality(); },
    .iterate = iterate_handle};

}  // namespace penstock::data
