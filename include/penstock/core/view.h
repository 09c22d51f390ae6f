// View: a pointer with a dtype and a shape; it owns nothing. Dense and row-major.
//
// Kernels work on Views only. In `infer` the data of an input may be null: the value is not known
// yet, only its dtype and shape are.
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
