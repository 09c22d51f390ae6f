#include "autodiff/tape_state.h"

#include <utility>

namespace penstock::autodiff {

Record copy_of(const Record& record) {
  Record copy;
  copy.op = record.op;
  copy.backward = record.backward;
  copy.attrs = OwnedAttrs(record.attrs.view());
  copy.inputs = record.inputs;
  copy.outputs = record.outputs;
  return copy;
}

void TapeState::add(Record record) {
  for (const Tensor& output : record.outputs) {
    if (is_differentiable(output.dtype())) known.set(output.id(), true);
  }
  records.push_back(std::move(record));
}

void TapeState::watch_variable(uint64_t variable) {
  if (known.has(variable)) return;
  known.set(variable, true);
  variables.push_back(variable);
}

}  // namespace penstock::autodiff
