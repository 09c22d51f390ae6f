// The arguments of an OpDef's functions: InferContext, and KernelContext with its result.
#pragma once

#include <span>
#include <string>

#include <penstock/base/error.h>
#include <penstock/base/export.h>
#include <penstock/base/small_vector.h>
#include <penstock/base/strings.h>
#include <penstock/core/view.h>
#include <penstock/ops/op_def.h>

namespace penstock {

using IntVector = SmallVector<int64_t, 8>;

struct OutputSpec {
  DType dtype = DType::kInvalid;
  Shape shape;
  int shares_input = -1;  // the output aliases this input's data from byte `share_offset`
  int64_t share_offset = 0;
  bool is_bound = false;  // of a kDynamicShape op: dimension 0 is an upper bound
};

// An op call while its outputs are inferred. The data of an input may be null: then only its dtype
// and shape are known, and the same holds for the outputs.
class PEN_API InferContext {
 public:
  InferContext(const OpDef& op, std::span<const View> inputs, Attrs attrs)
      : op_(op), inputs_(inputs), attrs_(attrs) {}

  size_t num_inputs() const { return inputs_.size(); }
  const View& input(size_t i) const { return inputs_[i]; }
  const Shape& shape(size_t i) const { return inputs_[i].shape; }
  DType dtype(size_t i) const { return inputs_[i].dtype; }
  const Attr& attr(size_t i) const { return attrs_[i]; }

  // The elements of host input `i` (integers of rank 0 or 1). Empty, with *known false, if its
  // value is not known yet. Throws InvalidArgumentError for a higher rank.
  IntVector ints(size_t i, bool* known) const;
  // As ints, for a shape: rejects negative sizes. Unknown values give unknown dimensions.
  Shape shape_value(size_t i) const;

  // `axis` normalised to [0, rank); negative values count from the end. Throws
  // InvalidArgumentError.
  int axis(int64_t axis, int rank) const;
  // A bit mask of the listed axes, or of all (is_every_axis); a duplicate axis is an error.
  uint32_t axes(std::span<const int64_t> axes, int rank) const;
  // Throws unless input i has that rank or an unknown one.
  void check_rank(size_t i, int rank) const;

  void add_output(DType dtype, const Shape& shape) { outputs_.push_back({dtype, shape}); }
  // An output whose first dimension only the kernel knows; shape[0] is an upper bound.
  void add_bounded_output(DType dtype, const Shape& shape) {
    outputs_.push_back({dtype, shape, -1, 0, true});
  }
  // An output that aliases `input`'s data under another shape, from a byte offset on.
  void share_output(const Shape& shape, int input = 0, int64_t byte_offset = 0) {
    outputs_.push_back({dtype(static_cast<size_t>(input)), shape, input, byte_offset});
  }
  // Scratch bytes that the kernel needs; overflow is a ResourceExhaustedError.
  void set_scratch(int64_t count, int64_t element_size = 1);

  template <typename... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    throw InvalidArgumentError(cat("[", op_.name.value, "] ", parts...));
  }
  // For a size that does not fit into 64 bits.
  template <typename... Parts>
  [[noreturn]] void fail_size(const Parts&... parts) const {
    throw ResourceExhaustedError(cat("[", op_.name.value, "] ", parts..., " overflows"));
  }
  template <typename... Parts>
  [[noreturn]] void fail_type(const Parts&... parts) const {
    throw TypeError(cat("[", op_.name.value, "] ", parts...));
  }

  const OpDef& op() const { return op_; }
  std::span<OutputSpec> outputs() { return outputs_; }
  int64_t scratch_bytes() const { return scratch_bytes_; }

 private:
  const OpDef& op_;
  std::span<const View> inputs_;
  Attrs attrs_;
  SmallVector<OutputSpec, 2> outputs_;
  int64_t scratch_bytes_ = 0;
};

struct KernelContext {
  std::span<const View> inputs;
  std::span<View> outputs;  // a kDynamicShape kernel sets their shapes, never beyond the bound
  Attrs attrs;
  void* scratch;  // 64-byte aligned, of the size that infer requested
};

// How a kernel ended. A value that only the kernel could see to be wrong (an index out of range) is
// reported with a format of up to three numbers: "indices[{}] = {} is not in [0, {})".
// Kernels look before they write: after an error no output of an in-place call has changed.
struct [[nodiscard]] KernelResult {
  const char* problem = nullptr;
  int64_t numbers[3] = {0, 0, 0};

  static KernelResult ok() { return {}; }
  static KernelResult invalid(const char* format, int64_t a = 0, int64_t b = 0, int64_t c = 0) {
    return {format, {a, b, c}};
  }
};

}  // namespace penstock
