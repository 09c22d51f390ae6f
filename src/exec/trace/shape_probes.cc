#include "exec/trace/shape_probes.h"

#include <algorithm>
#include <array>
#include <exception>

#include <penstock/autodiff/tape.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>
#include <penstock/ops/compose.h>
#include <penstock/ops/dispatch.h>

#include "exec/op_call.h"
#include "exec/trace/shape_trials.h"
#include "exec/trace/trace_state.h"

namespace penstock::exec {
namespace {

// While it exists, calls become part of `state` and no tape sees them.
class Inside {
 public:
  explicit Inside(TraceState& state) : before_(std::exchange(t_trace, &state)) {}
  ~Inside() { t_trace = before_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  PauseRecording pause_;
  TraceState* before_;
};

std::unique_ptr<TraceState> make_state() {
  auto state = std::make_unique<TraceState>("shapes", ShapeProbes::make);
  state->is_probe = true;
  return state;
}

Tensor symbol_in(TraceState& state, DType dtype, const Shape& shape) {
  return Tensor::symbol(state.number, state.graph.add_input(dtype, shape), dtype, shape);
}

// The shape with `size` for unknown dimensions. Pre: it has a rank.
Shape filled(Shape shape, int64_t size) {
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == kUnknownDim) shape.set(i, size);
  }
  return shape;
}

void forget_sizes(Shape& shape) {
  for (int i = 0; i < shape.rank(); ++i) shape.set(i, kUnknownDim);
}

// Candidate sizes for unknown dimensions: those of the other inputs.
std::vector<int64_t> sizes_to_try(std::span<const Tensor* const> inputs) {
  std::vector<int64_t> sizes = {1, 2, 3, 840, 2520};
  for (const Tensor* input : inputs) {
    if (!input->shape().has_rank()) continue;
    for (int64_t dim : input->shape()) {
      if (dim >= 0 && sizes.size() < 8 && std::find(sizes.begin(), sizes.end(), dim) == sizes.end())
        sizes.push_back(dim);
    }
  }
  return sizes;
}

// In the two large probes the unknown dimensions of inputs are multiplied by the marks of a Golomb
// ruler, in different orders: no two differences are equal.
int64_t factor_of(size_t probe, int64_t number) {
  static constexpr std::array<int64_t, 16> kMarks = {1,  2,   5,   12,  27,  33,  57,  69,
                                                     77, 116, 118, 135, 151, 164, 169, 178};
  constexpr int64_t kCycle = kMarks.size() - 1;  // coprime to their number
  if (probe + 1 == ShapeProbes::kCount) return kMarks[static_cast<size_t>(number * 7 % kCycle) + 1];
  return probe + 2 == ShapeProbes::kCount ? kMarks[static_cast<size_t>(number) % kMarks.size()] : 1;
}

// Whether a value contains an integer so large that the probes' sizes are not on both sides of it.
bool has_large_number(const Tensor& tensor) {
  constexpr double kLarge = 20160 / 2;
  const bool is_integer = tensor.dtype() == DType::kInt32 || tensor.dtype() == DType::kInt64;
  if (!is_integer || !tensor.has_data() || tensor.num_elements() > kMaxRank) return false;
  for (int64_t k = 0; k < tensor.num_elements(); ++k) {
    if (tensor.number_at(k) > kLarge || tensor.number_at(k) < -kLarge) return true;
  }
  return false;
}

std::string types_of(std::span<const Tensor* const> inputs) {
  std::string text;
  for (const Tensor* input : inputs)
    text += cat(text.empty() ? "" : ", ", input->dtype(), input->shape());
  return text;
}

}  // namespace

struct ShapeProbes::Probe {
  std::unique_ptr<TraceState> state = make_state();
};

ShapeProbes::ShapeProbes() {
  for (auto& probe : probes_) probe = std::make_unique<Probe>();
}
ShapeProbes::~ShapeProbes() = default;

void ShapeProbes::add(ValueId value, DType dtype, const Shape& shape, bool is_input) {
  PerProbe& symbols = values_[value];
  if (!shape.has_rank()) return;
  for (size_t w = 0; w < kCount; ++w) {
    Shape sizes = shape;
    int64_t number = num_dims_;
    for (int i = 0; i < shape.rank(); ++i) {
      if (shape[i] != kUnknownDim) continue;
      sizes.set(i, kSizes[w] * (is_input ? factor_of(w, number++) : 1));
    }
    symbols[w] = symbol_in(*probes_[w]->state, dtype, sizes);
  }
  if (is_input) num_dims_ += std::count(shape.begin(), shape.end(), kUnknownDim);
}

void ShapeProbes::add_like(ValueId value, ValueId other) {
  const auto found = values_.find(other);
  if (found == values_.end()) return;
  const PerProbe from = found->second;
  PerProbe& symbols = values_[value];
  for (size_t w = 0; w < kCount; ++w) {
    if (from[w].defined())
      symbols[w] = symbol_in(*probes_[w]->state, from[w].dtype(), from[w].shape());
  }
}

void ShapeProbes::add(ValueId first, const Outcome& outcome) {
  for (size_t i = 0; i < outcome.outputs.size(); ++i) {
    const auto value = first + static_cast<ValueId>(i);
    const OutputSpec& spec = outcome.outputs[i];
    // If the call failed in a probe, the probes continue with the known shape.
    const bool is_everywhere = std::ranges::all_of(
        outcome.tensors, [&](const Tensors& there) { return i < there.size(); });
    if (!is_everywhere) add(value, spec.dtype, spec.shape);
    PerProbe& symbols = values_[value];
    for (size_t w = 0; w < kCount; ++w) {
      if (i < outcome.tensors[w].size()) symbols[w] = outcome.tensors[w][i];
    }
  }
}

const Tensor* ShapeProbes::tensor_in(size_t probe, const Tensor& tensor) {
  if (!tensor.is_symbolic()) return &tensor;
  auto found = values_.find(tensor.value());
  if (found == values_.end()) {
    if (!tensor.shape().is_known()) return nullptr;
    add(tensor.value(), tensor.dtype(), tensor.shape());
    found = values_.find(tensor.value());
  }
  const Tensor& there = found->second[probe];
  return there.defined() ? &there : nullptr;
}

std::optional<Tensors> ShapeProbes::call_in(size_t probe, const OpDef& op,
                                            std::span<const Tensor* const> inputs, Attrs attrs) {
  SmallVector<const Tensor*, 4> there;
  for (const Tensor* input : inputs) {
    there.push_back(tensor_in(probe, *input));
    if (there.back() == nullptr) return std::nullopt;
  }
  TraceState& state = *probes_[probe]->state;
  const Inside inside(state);
  Tensors outputs = dispatch(op, there, attrs);
  for (Tensor& output : outputs) {
    // A size that depends on data is another unknown.
    if (output.shape().has_rank() && !output.shape().is_known())
      output = symbol_in(state, output.dtype(), filled(output.shape(), kSizes[probe]));
  }
  return outputs;
}

ShapeProbes::Outcome ShapeProbes::call(const OpDef& op, std::span<const Tensor* const> inputs,
                                       Attrs attrs,
                                       std::span<const std::optional<SomeInts>> elements) {
  Outcome outcome = sample(op, inputs, attrs);
  const bool is_open = std::ranges::any_of(
      outcome.outputs, [](const OutputSpec& spec) { return !spec.shape.is_known(); });
  if (!is_open) return outcome;
  add_said(outcome, what_infer_says(op, inputs, attrs, elements));
  if (op.traits.has(Trait::kComposesOpen)) add_said(outcome, what_parts_say(op, inputs, attrs));
  return outcome;
}

std::vector<OutputSpec> ShapeProbes::what_parts_say(const OpDef& op,
                                                    std::span<const Tensor* const> inputs,
                                                    Attrs attrs) {
  const std::unique_ptr<TraceState> state = make_state();
  state->is_probe = false;
  SmallVector<Tensor, 4> own;
  SmallVector<View, 4> views;
  for (const Tensor* input : inputs) {
    own.push_back(input->is_symbolic() ? symbol_in(*state, input->dtype(), input->shape())
                                       : *input);
    if (input->is_symbolic()) state->add_open(own.back().value());
    views.push_back(input->view());
  }
  const TensorPointers there = pointers_to(own);
  std::vector<OutputSpec> said;
  try {
    const Inside inside(*state);
    for (const Tensor& output : op.compose(ComposeContext(op, there, views, attrs)))
      said.push_back({output.dtype(), output.shape()});
  } catch (const Error&) {
    return {};
  }
  return said;
}

void ShapeProbes::add_said(Outcome& outcome, std::span<const OutputSpec> said) {
  bool fits_all = true;
  for (size_t i = 0; i < outcome.outputs.size() && i < said.size(); ++i) {
    Shape& shape = outcome.outputs[i].shape;
    const Shape& more = said[i].shape;
    if (!more.has_rank() || (shape.has_rank() && shape.rank() != more.rank())) continue;
    if (!shape.has_rank()) shape = more;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] == kUnknownDim) shape.set(axis, more[axis]);
    }
    for (const Tensors& there : outcome.tensors)
      fits_all = fits_all && (there.empty() || fits(there[i].shape(), shape));
  }
  // Probes with impossible sizes for the call continue with what is known.
  if (!fits_all) outcome.tensors = {};
}

ShapeProbes::Outcome ShapeProbes::sample(const OpDef& op, std::span<const Tensor* const> inputs,
                                         Attrs attrs) {
  Outcome outcome;
  std::exception_ptr problem;
  bool has_rank = true;
  int alive = 0;
  for (size_t w = 0; w < kCount; ++w) {
    try {
      std::optional<Tensors> outputs = call_in(w, op, inputs, attrs);
      if (!outputs) continue;
      ++alive;
      take(outcome.outputs, *outputs);
      for (const Tensor& output : *outputs) has_rank = has_rank && output.shape().has_rank();
      if (has_rank) outcome.tensors[w] = std::move(*outputs);
    } catch (const Error&) {
      if (problem == nullptr) problem = std::current_exception();
    }
  }
  const bool has_large = std::ranges::any_of(inputs, [](const Tensor* input) {
    return !input->is_symbolic() && has_large_number(*input);
  });
  if (has_large) forget_values(outcome);
  if (alive == kCount && !has_large) return outcome;
  if (can_try(op, inputs)) {
    settle(op, inputs, attrs, outcome);
  } else if (alive <= 1 || has_large) {
    // The result of a single probe may hold there only.
    for (OutputSpec& spec : outcome.outputs) forget_sizes(spec.shape);
    std::vector<OutputSpec> tried = try_ranks(op, inputs, attrs);
    if (!tried.empty()) outcome.outputs = std::move(tried);
  }
  if (outcome.outputs.empty()) outcome.outputs = ask_op(op, inputs, attrs);
  if (!outcome.outputs.empty()) return outcome;
  try {
    if (problem != nullptr) std::rethrow_exception(problem);
    throw InvalidArgumentError(cat("[", op.name.value, "] does not take these inputs"));
  } catch (const InvalidArgumentError& error) {
    throw InvalidArgumentError(cat(error.what(), "; the inputs are ", types_of(inputs)));
  }
}

std::optional<Tensors> ShapeProbes::try_call(const OpDef& op, std::span<const Tensor* const> inputs,
                                             std::span<const Shape> shapes, Attrs attrs,
                                             size_t* progress) {
  const std::unique_ptr<TraceState> state = make_state();
  SmallVector<Tensor, 4> own;
  for (size_t i = 0; i < inputs.size(); ++i)
    own.push_back(inputs[i]->is_symbolic() ? symbol_in(*state, inputs[i]->dtype(), shapes[i])
                                           : *inputs[i]);
  const TensorPointers there = pointers_to(own);
  try {
    const Inside inside(*state);
    return dispatch(op, there, attrs);
  } catch (const Error&) {
    if (progress != nullptr) *progress = state->graph.num_nodes();
    return std::nullopt;  // fails with these sizes
  }
}

namespace {

// Candidate shapes for inputs of unknown rank: all of one size, or taken from the call's
// attributes.
std::vector<Shape> shapes_to_try(int64_t size, Attrs attrs) {
  std::vector<Shape> shapes;
  Shape shape;
  for (int rank = 0; rank <= 5; ++rank) {
    shapes.push_back(filled(shape, size));
    shape.append(size);
  }
  for (const Attr& attr : attrs) {
    if (attr.kind() != AttrKind::kInts || attr.as_ints().size() > kMaxRank) continue;
    if (std::ranges::any_of(attr.as_ints(), [](int64_t n) { return n < kUnknownDim; })) continue;
    shapes.push_back(filled(Shape(attr.as_ints()), size));
  }
  return shapes;
}

}  // namespace

std::vector<OutputSpec> ShapeProbes::ask_op(const OpDef& op, std::span<const Tensor* const> inputs,
                                            Attrs attrs) {
  std::vector<OutputSpec> known = what_infer_says(op, inputs, attrs);
  for (OutputSpec& spec : known) spec.shape = Shape::unknown_rank();
  return known;
}

std::vector<OutputSpec> ShapeProbes::try_ranks(const OpDef& op,
                                               std::span<const Tensor* const> inputs, Attrs attrs) {
  std::vector<OutputSpec> known;
  int found = 0;
  std::vector<Shape> shapes;
  for (int64_t size : sizes_to_try(inputs)) {
    for (const Shape& guess : shapes_to_try(size, attrs)) {
      shapes.clear();
      for (const Tensor* input : inputs)
        shapes.push_back(input->shape().has_rank() ? filled(input->shape(), size) : guess);
      const std::optional<Tensors> outputs = try_call(op, inputs, shapes, attrs);
      if (!outputs) continue;
      take(known, *outputs);
      ++found;
    }
  }
  // A single match may be a coincidence.
  for (OutputSpec& spec : known) {
    if (found == 1) forget_sizes(spec.shape);
  }
  return known;
}

void ShapeProbes::forget_values(Outcome& outcome) {
  for (size_t w = 0; w < kCount; ++w) {
    for (Tensor& output : outcome.tensors[w]) {
      if (!output.is_symbolic())
        output = symbol_in(*probes_[w]->state, output.dtype(), output.shape());
    }
  }
}

bool ShapeProbes::can_try(const OpDef& op, std::span<const Tensor* const> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i]->shape().has_rank()) return false;
    if (op.input(i).host && inputs[i]->is_symbolic()) return false;
  }
  return true;
}

void ShapeProbes::settle(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
                         Outcome& outcome) {
  ShapeTrials trials(op, inputs, attrs, try_call);
  std::vector<std::vector<Shape>> good;
  for (size_t w = 0; w < kCount; ++w) {
    if (outcome.tensors[w].empty()) continue;
    std::vector<Shape> shapes;
    for (const Tensor* input : inputs) shapes.push_back(tensor_in(w, *input)->shape());
    trials.add(shapes, outcome.tensors[w]);
    good.push_back(std::move(shapes));
  }
  if (good.empty()) {
    trials.search();
  } else {
    trials.vary(good.front());
    if (good.size() > 1) trials.vary(good.back());
  }
  std::vector<OutputSpec> known = trials.known();
  bool is_same = known.size() == outcome.outputs.size();
  for (size_t i = 0; i < known.size() && is_same; ++i)
    is_same = known[i].shape == outcome.outputs[i].shape;
  outcome.outputs = std::move(known);
  // The probes agree on too much: they continue with what is proved.
  if (!is_same) outcome.tensors = {};
}

}  // namespace penstock::exec
