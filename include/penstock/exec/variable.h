// Variable: a tensor that changes. Copies of a Variable are the same variable.
//
// Reading gives the value as it is now: later updates do not change what was read. An update
// happens in place when nobody else holds the value, and in a new buffer otherwise.
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
    // The shape of all its values, where parts of it are to stay open; else the first value's.
    std::optional<Shape> shape = {};
  };
  // Takes the value's buffer over when it is handed over, and a copy otherwise.
  explicit Variable(const Operand& initial) : Variable(initial, Options()) {}
  Variable(const Operand& initial, const Options& options);

  const std::string& name() const;
  bool trainable() const;
  DType dtype() const;
  const Shape& shape() const;
  // The shape of the value now: shape(), unless that leaves something open.
  Shape value_shape() const;
  // The same for all copies of a variable and all its values.
  uint64_t id() const;

  // The value now. Tapes record the reading, and watch the variable when it is trainable.
  Tensor value() const;
  operator Tensor() const { return value(); }
  operator Operand() const { return Operand::owning(value()); }
  operator Source() const { return Source(id(), dtype(), value_shape()); }

  // These throw InvalidArgumentError for another shape and TypeError for another dtype, and then
  // leave the variable as it was.
  void assign(const Operand& value);
  void assign_add(const Operand& delta);
  void assign_sub(const Operand& delta);
  // A value of that shape (which must fit) is written by `fill`, which gets its bytes: in place
  // when nobody else holds the old one, which is then partly overwritten if `fill` throws.
  void overwrite(const Shape& shape, const std::function<void(void*, int64_t)>& fill);
  // Rows `indices` (a list of row numbers) of the variable become, gain or lose those of `updates`.
  void scatter_update(const Operand& indices, const Operand& updates);
  void scatter_add(const Operand& indices, const Operand& updates);
  void scatter_sub(const Operand& indices, const Operand& updates);
  // What StridedSlice would pick becomes `value`, which has that shape.
  struct SliceMasks {
    int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink_axis = 0;
  };
  void assign_slice(const Operand& begin, const Operand& end, const Operand& strides,
                    const Operand& value, const SliceMasks& masks);
  // The value becomes the first result of `op` of it and the other inputs, in one step: no update
  // of another thread comes in between. Throws unless that result has the variable's dtype and
  // shape.
  void update(const OpDef& op, std::span<const Tensor* const> others, Attrs attrs);

  struct State;
  State& state() const { return *state_; }

  explicit Variable(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

}  // namespace penstock
