// ElementFunction: a user function of a dataset: a traced Function of an element's components, and
// how its results make up an element.
//
// A result may be a dataset (`flat_map(lambda x: Dataset.range(x))`). While the function is traced,
// that dataset is a template: its operands are symbolic tensors. They become results of the Function,
// and each call binds the template to their values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <penstock/base/export.h>
#include <penstock/data/element.h>
#include <penstock/exec/function.h>
#include <penstock/exec/trace.h>

namespace penstock::data {

class PEN_API ElementFunction {
 public:
  ElementFunction() = default;
  // A function whose results are all tensors.
  ElementFunction(Function function);
  // Ends `trace`. Its inputs are the arguments, in their order; a dataset is Dataset::argument().
  static ElementFunction finish(Trace& trace, std::span<const Component> results);

  const Function& function() const { return function_; }
  // Tensors of outer traces that the function uses: its last inputs. Whoever calls it passes them.
  const std::vector<Tensor>& captures() const { return captures_; }
  size_t num_results() const { return results_.size(); }
  // The results of a trace; datasets among them are templates.
  const Spec& spec() const { return spec_; }
  // Whether calls have effects or differ from each other: then they are made one after the other.
  bool is_stateful() const { return is_stateful_; }
  // The same function with random streams of its own, which begin anew.
  ElementFunction with_own_draws() const;

  // Replaces `results` by the function's results for the components of `arguments` followed by
  // `more`.
  void call(std::span<const Component> arguments, std::span<const Tensor> captured,
            Element& results) const;

 private:
  Function function_;
  std::vector<Tensor> captures_;
  std::vector<std::shared_ptr<const DatasetState>> results_;  // null for a tensor
  std::vector<uint64_t> symbols_;  // ids of the templates' symbolic tensors, the last outputs
  Spec spec_;
  bool is_stateful_ = false;
};

}  // namespace penstock::data
