#include <penstock/data/element_function.h>

#include <utility>

#include <penstock/base/check.h>
#include <penstock/data/traced_iterator.h>

#include "data/stage.h"

namespace penstock::data {

ElementFunction::ElementFunction(Function function) : function_(std::move(function)) {
  captures_ = function_.captures_as_inputs();
  results_.resize(function_.num_outputs());
  for (size_t i = 0; i < results_.size(); ++i)
    spec_.push_back({function_.output_dtype(i), function_.output_shape(i)});
  is_stateful_ = function_.is_stateful();
}

ElementFunction ElementFunction::finish(Trace& trace, std::span<const Component> results) {
  std::vector<Tensor> outputs, symbols;
  for (const Component& result : results) {
    if (result.dataset == nullptr) {
      outputs.push_back(result.tensor);
    } else {
      collect_symbols(*result.dataset, &symbols);
    }
  }
  const size_t num_tensors = outputs.size();
  outputs.insert(outputs.end(), symbols.begin(), symbols.end());
  ElementFunction finished(trace.finish(outputs));
  const Spec tensors(finished.spec_.begin(),
                     finished.spec_.begin() + static_cast<ptrdiff_t>(num_tensors));
  finished.spec_.clear();
  finished.results_.clear();
  size_t next = 0;
  for (const Component& result : results) {
    finished.results_.push_back(result.dataset);
    if (result.dataset == nullptr) {
      finished.spec_.push_back(tensors[next++]);
    } else {
      finished.spec_.push_back(
          {.shape = {}, .dataset = std::make_shared<const Spec>(result.dataset->spec)});
    }
  }
  for (const Tensor& symbol : symbols) finished.symbols_.push_back(symbol.id());
  return finished;
}

ElementFunction ElementFunction::with_own_draws() const {
  ElementFunction copy = *this;
  copy.function_ = function_.with_own_draws();
  return copy;
}

void ElementFunction::call(std::span<const Component> arguments, std::span<const Tensor> captured,
                           Element& results) const {
  SmallVector<Tensor, 1> handles;  // of dataset arguments
  for (const Component& argument : arguments) {
    if (argument.dataset != nullptr) handles.push_back(dataset_handle(Dataset(argument.dataset)));
  }
  SmallVector<const Tensor*, 8> inputs;
  const Tensor* next_handle = handles.data();
  for (const Component& argument : arguments)
    inputs.push_back(argument.dataset != nullptr ? next_handle++ : &argument.tensor);
  for (const Tensor& tensor : captured) inputs.push_back(&tensor);
  Tensors outputs = function_(std::span<const Tensor* const>(inputs));
  const size_t num_tensors = outputs.size() - symbols_.size();
  Element made;
  size_t next = 0;
  for (const auto& result : results_) {
    if (result == nullptr) {
      made.push_back(std::move(outputs[next++]));
    } else {
      const Bindings bindings{symbols_, std::span<const Tensor>(outputs).subspan(num_tensors)};
      made.push_back(Component(bind(Dataset(result), bindings).state()));
    }
  }
  results = std::move(made);
}

}  // namespace penstock::data
