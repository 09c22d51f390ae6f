// Element: what a dataset gives, one at a time: a list of components. A component is a tensor or,
// for windows, a dataset of its own. Nested structures are flattened before they get here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <penstock/base/export.h>
#include <penstock/base/small_vector.h>
#include <penstock/tensor/tensor.h>

namespace penstock::data {

struct DatasetState;
struct ComponentSpec;
// What is known about the elements of a dataset, component by component.
using Spec = std::vector<ComponentSpec>;

struct ComponentSpec {
  DType dtype = DType::kInvalid;  // kInvalid for a dataset
  Shape shape;
  std::shared_ptr<const Spec> dataset = nullptr;  // the elements of that dataset

  bool is_dataset() const { return dataset != nullptr; }
};

// "(int64[], float32[?,3])"
PEN_API std::string to_string(const Spec& spec);

struct Component {
  Component() = default;
  Component(Tensor a_tensor) : tensor(std::move(a_tensor)) {}
  explicit Component(std::shared_ptr<const DatasetState> a_dataset)
      : dataset(std::move(a_dataset)) {}

  Tensor tensor;
  std::shared_ptr<const DatasetState> dataset;  // null for a tensor
};

using Element = SmallVector<Component, 2>;

// The bytes of an element; kUnknownBytes if they depend on the element.
inline constexpr int64_t kUnknownBytes = -1;
PEN_API int64_t bytes_of(const Spec& spec);

}  // namespace penstock::data
