// OpDef: everything known about an op, in one place.
//
//   infer    computes outputs and scratch from dtypes and shapes (and the values of host inputs);
//            rejects every user error. For unknown dimensions it returns only what holds for all
//            sizes
//   cpu      the loop over Views; never allocates, never throws; null when infer always shares data
//   grad     written with the public op functions, so it serves tapes and graphs alike
//   saves    which inputs and outputs grad reads; a tape keeps no others alive
//   compose  instead of infer, cpu and grad: the op written with other ops' functions; an infer
//            beside it returns what is known of unknown dimensions
//   samples  calls that every derived check (values, gradients, memory, fuzzing, speed) runs
//
// Adding an op takes one file with its PEN_OP_DEF, one line in op_list.inc and one NumPy reference.
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include <penstock/base/export.h>
#include <penstock/core/attr.h>
#include <penstock/core/dtype.h>
#include <penstock/ops/descriptors.h>

namespace penstock {

struct OpDef;
class InferContext;
class ComposeContext;
struct KernelContext;
struct KernelResult;
class GradContext;
class Gradient;
class Tensor;
struct Sample;
using Gradients = SmallVector<Gradient, 2>;
using Tensors = SmallVector<Tensor, 2>;

using InferFn = void (*)(InferContext&);
using KernelFn = KernelResult (*)(const KernelContext&);
using GradFn = Gradients (*)(const GradContext&);
using ComposeFn = Tensors (*)(const ComposeContext&);
using SamplesFn = std::vector<Sample> (*)();

namespace kernels {
struct Formula;
}

// A kernel, and its formula if other loops may compute it too (fusion).
struct Kernel {
  constexpr Kernel(KernelFn function = nullptr, const kernels::Formula* computes = nullptr)
      : run(function), formula(computes) {}
  constexpr operator KernelFn() const { return run; }
  KernelFn run;
  const kernels::Formula* formula;  // kernels/formula.h
};

// A mandatory field: an OpDef without it does not compile.
template <typename T>
struct Required {
  template <std::convertible_to<T> U>
  constexpr Required(U v) : value(v) {}
  constexpr operator T() const { return value; }
  T value;
};

// A short list fixed at compile time.
template <typename T, size_t N>
class FixedList {
 public:
  constexpr FixedList() = default;
  constexpr FixedList(std::initializer_list<T> items) {
    for (const T& item : items) items_[size_++] = item;
  }
  constexpr size_t size() const { return size_; }
  constexpr const T* begin() const { return items_.data(); }
  constexpr const T* end() const { return items_.data() + size_; }
  constexpr const T& operator[](size_t i) const { return items_[i]; }

 private:
  std::array<T, N> items_{};
  size_t size_ = 0;
};

inline constexpr char kMixed = '*';
struct InputDef {
  std::string_view name;
  DTypeSet dtypes;
  char type = 'T';    // inputs with the same letter have the same dtype; kMixed: each its own
  bool host = false;  // infer reads its value (a shape, a size)
  bool many = false;  // takes all remaining inputs; the last one only
};
constexpr InputDef in(std::string_view name, DTypeSet dtypes, char type = 'T') {
  return {name, dtypes, type};
}
constexpr InputDef host(std::string_view name, DTypeSet dtypes, char type = 'S') {
  return {name, dtypes, type, true};
}
constexpr InputDef many(std::string_view name, DTypeSet dtypes, char type = 'T') {
  return {name, dtypes, type, false, true};
}

struct AttrDef {
  std::string_view name;
  AttrKind kind = AttrKind::kNone;
  Attr fallback;  // kNone: the attribute is mandatory
  // Whether the list may be absent (kOptionalInts).
  bool is_optional() const {
    return fallback.kind() == AttrKind::kInts && !is_given(fallback.as_ints());
  }
};
constexpr AttrDef int_attr(std::string_view name, Attr fallback = {}) {
  return {name, AttrKind::kInt, fallback};
}
constexpr AttrDef float_attr(std::string_view name, Attr fallback = {}) {
  return {name, AttrKind::kFloat, fallback};
}
constexpr AttrDef bool_attr(std::string_view name, Attr fallback = {}) {
  return {name, AttrKind::kBool, fallback};
}
constexpr AttrDef dtype_attr(std::string_view name, Attr fallback = {}) {
  return {name, AttrKind::kDType, fallback};
}
constexpr AttrDef string_attr(std::string_view name, Attr fallback = {}) {
  return {name, AttrKind::kString, fallback};
}
constexpr AttrDef ints_attr(std::string_view name, Attr fallback = {}) {
  return {name, AttrKind::kInts, fallback};
}
inline constexpr Attr kNoInts = Attr(std::span<const int64_t>());  // an empty list as a default
// The default of a list that may be absent; only such an attribute may be.
inline constexpr Attr kOptionalInts = Attr(std::span<const int64_t>(kNotGiven));
inline constexpr Attr kAllAxes = kOptionalInts;

// Output `output` may take input `input`'s buffer: the kernel can run in place.
struct Forward {
  uint8_t input;
  uint8_t output;
};

// Bit i stands for input or output i.
struct Saves {
  uint32_t inputs = 0;
  uint32_t outputs = 0;
};
inline constexpr uint32_t kAll = ~0u;

// op(x, value) is x, bit for bit, for inputs of these dtypes; with kCommutative op(value, x) too.
// Adding 0 is not neutral: -0 + 0 is 0.
struct Neutral {
  double value = 0;
  DTypeSet dtypes = {};
};

enum class Trait : uint32_t {
  kElementwise = 1,      // out[i] depends on the inputs' elements at i only, after broadcasting
  kCommutative = 2,      // the two inputs may be swapped
  kStateful = 4,         // two calls with the same inputs may give different results
  kDynamicShape = 8,     // infer returns an upper bound; the kernel sets the real shapes
  kSparseGrad = 16,      // grad passes sparse gradients on as they are
  kManyOutputs = 32,     // as many outputs as infer says
  kMakesStrings = 64,    // the kernel's string outputs own their strings: new, or retained
  kUsesHeap = 128,       // a library behind the kernel has a bounded heap workspace
  kShapeOnly = 256,      // the kernel reads its inputs' shapes, never their data
  kInvolution = 512,     // applied twice it returns its input, bit for bit
  kIdempotent = 1024,    // applied twice it returns the same as once, bit for bit
  kMoves = 2048,         // output elements are input elements, selected by host inputs and shapes
  kComposesOpen = 4096,  // compose accepts unknown dimensions: it reads none as a number
  kCannotFail = 8192,    // the kernel accepts everything that infer accepts
  kBilinear = 16384,     // the gradient of one of the two inputs reads only the other
  kConverts = 32768,     // returns the input's numbers in another dtype
  kPermutes = 65536,     // reorders the input's axes as the only attribute says
};
struct Traits {
  constexpr Traits(std::initializer_list<Trait> traits = {}) {
    for (Trait trait : traits) bits |= static_cast<uint32_t>(trait);
  }
  constexpr bool has(Trait trait) const { return (bits & static_cast<uint32_t>(trait)) != 0; }
  uint32_t bits = 0;
};

struct OpDef {
  Required<std::string_view> name;  // TensorFlow's raw name: "MatMul"
  Required<std::string_view> doc;   // one sentence
  FixedList<InputDef, 12> inputs = {};
  FixedList<AttrDef, 8> attrs = {};
  FixedList<std::string_view, 6> outputs = {"output"};
  Traits traits = {};
  FixedList<Forward, 6> forwards = {};
  Neutral neutral = {};
  Required<InferFn> infer;  // `composed` for a composed op
  Kernel cpu = {};
  ComposeFn compose = nullptr;
  // no_gradient if it has none, composed_gradient with `compose`, missing_gradient if a derivative
  // exists but is not implemented.
  Required<GradFn> grad;
  Saves saves = {};
  Required<SamplesFn> samples;

  // Facts for passes and graphs.
  Arithmetic arithmetic = Arithmetic::kNone;
  std::optional<double> everywhere = {};  // the value of all elements of the output
  int8_t repeated_input = -1;             // the input that the op only repeats
  // Whether a call with these attributes gathers rows of input 0 by the indices in input 1, so that
  // the gradient of input 0 has few rows.
  bool (*takes_rows)(Attrs attrs) = nullptr;
  // The op without attributes that computes the same as a call with these; null if there is none.
  const OpDef* (*same_as)(Attrs attrs) = nullptr;
  GraphName graph_name = {};
  FixedList<OperatorDef, 2> operators = {};

  // The definition of input `i` of a call; a `many` input covers all that follow. Pre: the op has
  // inputs.
  constexpr const InputDef& input(size_t i) const {
    return inputs[i < inputs.size() ? i : inputs.size() - 1];
  }

  // Whether gradients flow through it.
  bool is_differentiable() const;

  mutable std::atomic<uint16_t> owner{0};  // its ledger slot, reserved at the first call
};

inline constexpr GradFn no_gradient = nullptr;

// For an op with `compose`: tapes and graphs see only the ops that it calls.
inline constexpr InferFn composed = nullptr;
PEN_API Gradients composed_gradient(const GradContext&);

// For an op with a derivative that is not implemented, as in TensorFlow: a gradient that reaches it
// throws a MissingGradientError instead of silently ending there.
PEN_API Gradients missing_gradient(const GradContext&);

inline bool OpDef::is_differentiable() const {
  return grad.value != no_gradient && grad.value != missing_gradient;
}

// Defines an op: PEN_OP_DEF(matmul) = {.name = "MatMul", …};
#define PEN_OP_DEF(id)        \
  extern const OpDef id##_op; \
  constinit const OpDef id##_op

}  // namespace penstock
