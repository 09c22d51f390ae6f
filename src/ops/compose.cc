#include <penstock/ops/compose.h>

#include <penstock/base/check.h>
#include <penstock/ops/gradient.h>

namespace penstock {

Tensors ComposeContext::tensors_from(size_t first) const {
  Tensors tensors;
  for (size_t i = first; i < tensors_.size(); ++i) tensors.push_back(*tensors_[i]);
  return tensors;
}

IntVector ComposeContext::values(size_t i) const {
  bool known = false;
  IntVector values = ints(i, &known);
  need_values(i);
  return values;
}

void ComposeContext::need_values(size_t i) const {
  if (input(i).data == nullptr && input(i).size() > 0) {
    throw UnimplementedError(cat("[", op().name.value, "] inside a function the value of '",
                                 op().inputs[i].name, "' must be known when it is traced"));
  }
}

Gradients composed_gradient(const GradContext&) {
  PEN_CHECK(false && "a composed op is never recorded");
  return {};
}

}  // namespace penstock
