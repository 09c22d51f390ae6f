// What a variable holds, for those that update several variables in one op (optimisers).
#pragma once

#include <mutex>
#include <string>

#include <penstock/exec/variable.h>

namespace penstock {

struct Variable::State {
  std::string name;
  bool trainable = true;
  uint64_t id = 0;
  ledger::Owner owner = 0;
  DType dtype = DType::kInvalid;
  Shape shape;
  std::mutex mutex;  // guards value
  Tensor value;      // its id is the variable's

  ~State();
  // Makes `tensor` the value, booked as this variable's. Pre: the mutex is held; dtype and shape
  // fit.
  void set(Tensor tensor);
};

}  // namespace penstock
