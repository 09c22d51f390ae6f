// Variable: a mutable tensor. Copies of a Variable are the same variable.
//
// A read returns the current value; later updates do not change it. An update happens in place if
// nobody else holds the value, and in a new buffer otherwise.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <penstock/autodiff/tape.h>
#include <penstock/base/export.h>
#include <penstock/ops/operand.h>

namespace penstock {

class PEN_API Variable {
 public:
  struct Options {
    std::string_view name = "Variable";
    bool trainable = true;
    // The declared shape, if parts of it stay open; by default the first value's shape.
    std::optional<Shape> shape = {};
  };
  // Takes over the buffer of a donated value; copies otherwise.
  explicit Variable(const Operand& initial) : Variable(initial, Options()) {}
  Variable(const Operand& initial, const Options& options);

  const std::string& name() const;
  bool trainable() const;
  DType dtype() const;
  const Shape& shape() const;
  // The current value's shape: shape(), unless that is partly open.
  Shape value_shape() const;
  // The same for all copies of a variable and all its values.
  uint64_t id() const;

  // The current value. Tapes record the read and watch the variable if it is trainable.
  Tensor value() const;
  operator Tensor() const { return value(); }
  operator Operand() const { return Operand::owning(value()); }
  operator Source() const { return Source(id(), dtype(), value_shape()); }

  // These throw InvalidArgumentError for another shape and TypeError for another dtype, and then
  // leave the variable unchanged.
  void assign(const Operand& value);
  void assign_add(const Operand& delta);
  void assign_sub(const Operand& delta);
  // `fill` writes the bytes of a value of that shape (which must fit): in place if nobody else
  // holds the old value, which is then partly overwritten if `fill` throws.
  void overwrite(const Shape& shape, const std::function<void(void*, int64_t)>& fill);
  // Sets, adds to or subtracts from the rows `indices` (a list of row numbers).
  void scatter_update(const Operand& indices, const Operand& updates);
  void scatter_add(const Operand& indices, const Operand& updates);
  void scatter_sub(const Operand& indices, const Operand& updates);
  // Sets the part that StridedSlice would select to `value`, which has its shape.
  struct SliceMasks {
    int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink_axis = 0;
  };
  void assign_slice(const Operand& begin, const Operand& end, const Operand& strides,
                    const Operand& value, const SliceMasks& masks);
  // Sets the value to the first result of `op` on it and the other inputs, atomically: no other
  // thread's update comes in between. Throws unless the result has the variable's dtype and shape.
  void update(const OpDef& op, std::span<const Tensor* const> others, Attrs attrs);

  struct State;
  State& state() const { return *state_; }

  explicit Variable(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

}  // namespace penstock
