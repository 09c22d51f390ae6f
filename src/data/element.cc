#include "data/element.h"

#include <cstring>

#include <penstock/base/checked.h>
#include <penstock/base/strings.h>
#include <penstock/memory/strings.h>

namespace penstock::data {

std::string to_string(const Spec& spec) {
  std::string text = "(";
  for (const ComponentSpec& component : spec) {
    if (text.size() > 1) text += ", ";
    if (component.is_dataset()) {
      text += cat("dataset of ", to_string(*component.dataset));
    } else {
      text += cat(component.dtype, component.shape);
    }
  }
  return text + ")";
}

int64_t bytes_of(const Spec& spec) {
  int64_t sum = 0;
  for (const ComponentSpec& component : spec) {
    if (component.is_dataset() || component.dtype == DType::kString || !component.shape.is_known())
      return kUnknownBytes;
    if (!checked_add(sum, component.shape.num_bytes(dtype_size(component.dtype)), &sum))
      return kUnknownBytes;
  }
  return sum;
}

int64_t bytes_of(const Element& element) {
  int64_t sum = 0;
  for (const Component& component : element) {
    if (component.dataset == nullptr) sum += component.tensor.num_bytes();
  }
  return sum;
}

void copy_values(DType dtype, void* to, const void* from, int64_t count) noexcept {
  if (count == 0) return;
  std::memcpy(to, from, static_cast<size_t>(count) * dtype_size(dtype));
  if (dtype == DType::kString)
    retain_strings({static_cast<const StringRef*>(from), static_cast<size_t>(count)});
}

namespace {

// Whether the tensor is all of its buffer, and nobody else holds that.
bool owns_buffer(const Tensor& tensor) {
  return tensor.buffer().is_unique() && tensor.num_bytes() == tensor.buffer()->bytes &&
         tensor.buffer()->tag != Tag::kForeign;
}

}  // namespace

void hold(Element& element, ledger::Owner owner) {
  for (Component& component : element) {
    Tensor& tensor = component.tensor;
    if (component.dataset != nullptr) continue;
    if (owns_buffer(tensor)) {
      retag_buffer(*tensor.buffer().get(), Tag::kDataset, owner);
    } else {
      tensor = tensor.copy(Tag::kDataset, owner);
    }
  }
}

void hand_over(Element& element) {
  for (Component& component : element) {
    Tensor& tensor = component.tensor;
    if (component.dataset != nullptr) continue;
    if (owns_buffer(tensor)) {
      if (tensor.buffer()->tag != Tag::kActivation)
        retag_buffer(*tensor.buffer().get(), Tag::kActivation, 0);
    } else if (tensor.num_bytes() < tensor.buffer()->bytes) {
      tensor = tensor.copy(Tag::kActivation);  // a slice must not keep the whole alive
    }
  }
}

}  // namespace penstock::data
