// View: a non-owning pointer with a dtype and a shape. Dense and row-major.
//
// Kernels work on Views only. In `infer` the data of an input may be null: then only its dtype and
// shape are known.
#pragma once

#include <penstock/core/dtype.h>
#include <penstock/core/shape.h>

namespace penstock {

struct View {
  void* data = nullptr;
  DType dtype = DType::kInvalid;
  Shape shape;

  template <typename T>
  T* as() const {
    return static_cast<T*>(data);
  }
  int64_t size() const { return shape.num_elements(); }
};

}  // namespace penstock
