// VariableState: the contents of a variable, for code that updates several in one op (optimisers).
#pragma once

#include <mutex>
#include <string>

#include <penstock/exec/variable.h>

namespace penstock {

struct Variable::State : std::enable_shared_from_this<Variable::State> {
  std::string name;
  bool trainable = true;
  bool is_stand_in = false;  // see stand_in.h
  uint64_t id = 0;
  ledger::Owner owner = 0;
  DType dtype = DType::kInvalid;
  Shape shape;
  std::mutex mutex;  // guards value
  Tensor value;      // its id is the variable's

  ~State();
  // Throws FailedPreconditionError for a stand-in used outside traces.
  void check_has_value() const;
  // The current value; inside a trace, the one at this point of the function. Pre: the mutex is
  // held.
  Tensor& current();
  // Sets the value and books it as this variable's; inside a trace, sets the value after a run.
  // Pre: the mutex is held; dtype and shape fit.
  void set(Tensor tensor);
};

}  // namespace penstock
