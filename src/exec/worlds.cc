#include "exec/worlds.h"

#include <algorithm>
#include <exception>

#include <penstock/autodiff/tape.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/ops/dispatch.h>

#include "exec/calls.h"
#include "exec/trace_state.h"

namespace penstock::exec {
namespace {

// While it lasts, calls become part of `state` and no tape sees them.
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
  auto state = std::make_unique<TraceState>("shapes");
  state->is_world = true;
  return state;
}

Tensor symbol_in(TraceState& state, DType dtype, const Shape& shape) {
  return Tensor::symbol(state.number, state.graph.add_input(dtype, shape), dtype, shape);
}

// The shape with `size` for what is not known. Pre: it has a rank.
Shape filled(Shape shape, int64_t size) {
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == kUnknownDim) shape.set(i, size);
  }
  return shape;
}

// What two shapes have in common.
Shape common(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank() || !a.has_rank()) return Shape::unknown_rank();
  Shape both = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a[i] != b[i]) both.set(i, kUnknownDim);
  }
  return both;
}

void forget_sizes(Shape& shape) {
  for (int i = 0; i < shape.rank(); ++i) shape.set(i, kUnknownDim);
}

void take(std::vector<OutputSpec>& known, const Tensors& outputs) {
  if (known.empty()) {
    for (const Tensor& output : outputs) known.push_back({output.dtype(), output.shape()});
    return;
  }
  for (size_t i = 0; i < known.size(); ++i)
    known[i].shape =
        i < outputs.size() ? common(known[i].shape, outputs[i].shape()) : Shape::unknown_rank();
}

// Sizes that are worth a try for unknown dimensions: those that the other inputs have.
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

std::string types_of(std::span<const Tensor* const> inputs) {
  std::string text;
  for (const Tensor* input : inputs)
    text += cat(text.empty() ? "" : ", ", input->dtype(), input->shape());
  return text;
}

}  // namespace

struct Worlds::World {
  std::unique_ptr<TraceState> state = make_state();
};

Worlds::Worlds() {
  for (auto& world : worlds_) world = std::make_unique<World>();
}
Worlds::~Worlds() = default;

void Worlds::add(ValueId value, DType dtype, const Shape& shape, bool is_input) {
  PerWorld& made = values_[value];
  if (!shape.has_rank()) return;
  for (size_t w = 0; w < kCount; ++w) {
    Shape sizes = shape;
    int64_t number = num_dims_;
    for (int i = 0; i < shape.rank(); ++i) {
      if (shape[i] != kUnknownDim) continue;
      // Growing in one of the large worlds and shrinking in the other: no difference is 0 in both.
      const int64_t place = number++ % 8;
      const int64_t factor = !is_input || w + 2 < kCount ? 1
                             : w + 1 == kCount           ? 8 - place
                                                         : 1 + place;
      sizes.set(i, kSizes[w] * factor);
    }
    made[w] = symbol_in(*worlds_[w]->state, dtype, sizes);
  }
  if (is_input) num_dims_ += std::count(shape.begin(), shape.end(), kUnknownDim);
}

void Worlds::add_like(ValueId value, ValueId other) {
  const auto found = values_.find(other);
  if (found == values_.end()) return;
  const PerWorld from = found->second;
  PerWorld& made = values_[value];
  for (size_t w = 0; w < kCount; ++w) {
    if (from[w].defined())
      made[w] = symbol_in(*worlds_[w]->state, from[w].dtype(), from[w].shape());
  }
}

void Worlds::add(ValueId first, const Outcome& outcome) {
  for (size_t i = 0; i < outcome.outputs.size(); ++i) {
    const auto value = first + static_cast<ValueId>(i);
    const OutputSpec& spec = outcome.outputs[i];
    // Where the call has ended, the worlds go on with what is known of it.
    const bool is_everywhere = std::ranges::all_of(
        outcome.tensors, [&](const Tensors& there) { return i < there.size(); });
    if (!is_everywhere) add(value, spec.dtype, spec.shape);
    PerWorld& made = values_[value];
    for (size_t w = 0; w < kCount; ++w) {
      if (i < outcome.tensors[w].size()) made[w] = outcome.tensors[w][i];
    }
  }
}

const Tensor* Worlds::tensor_in(size_t world, const Tensor& tensor) {
  if (!tensor.is_symbolic()) return &tensor;
  auto found = values_.find(tensor.value());
  if (found == values_.end()) {
    if (!tensor.shape().is_known()) return nullptr;
    add(tensor.value(), tensor.dtype(), tensor.shape());
    found = values_.find(tensor.value());
  }
  const Tensor& there = found->second[world];
  return there.defined() ? &there : nullptr;
}

std::optional<Tensors> Worlds::call_in(size_t world, const OpDef& op,
                                       std::span<const Tensor* const> inputs, Attrs attrs) {
  SmallVector<const Tensor*, 4> there;
  for (const Tensor* input : inputs) {
    there.push_back(tensor_in(world, *input));
    if (there.back() == nullptr) return std::nullopt;
  }
  TraceState& state = *worlds_[world]->state;
  const Inside inside(state);
  Tensors outputs = dispatch(op, there, attrs);
  for (Tensor& output : outputs) {
    // A size that depends on data is one more unknown.
    if (output.shape().has_rank() && !output.shape().is_known())
      output = symbol_in(state, output.dtype(), filled(output.shape(), kSizes[world]));
  }
  return outputs;
}

Worlds::Outcome Worlds::call(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs) {
  Outcome outcome;
  std::exception_ptr problem;
  bool has_rank = true;
  int alive = 0;
  for (size_t w = 0; w < kCount; ++w) {
    try {
      std::optional<Tensors> made = call_in(w, op, inputs, attrs);
      if (!made) continue;
      ++alive;
      take(outcome.outputs, *made);
      for (const Tensor& output : *made) has_rank = has_rank && output.shape().has_rank();
      if (has_rank) outcome.tensors[w] = std::move(*made);
    } catch (const Error&) {
      if (problem == nullptr) problem = std::current_exception();
    }
  }
  if (alive > 1) return outcome;
  // What one world says may be so there only.
  for (OutputSpec& spec : outcome.outputs) forget_sizes(spec.shape);
  std::vector<OutputSpec> tried = try_sizes(op, inputs, attrs);
  if (!tried.empty()) outcome.outputs = std::move(tried);
  if (outcome.outputs.empty()) outcome.outputs = ask_op(op, inputs, attrs);
  if (!outcome.outputs.empty()) return outcome;
  try {
    if (problem != nullptr) std::rethrow_exception(problem);
    throw InvalidArgumentError(cat("[", op.name.value, "] does not take these inputs"));
  } catch (const InvalidArgumentError& error) {
    throw InvalidArgumentError(cat(error.what(), "; the inputs are ", types_of(inputs)));
  }
}

namespace {

// One trial of a call: inputs of these shapes, in a trace of its own.
bool try_call(const OpDef& op, std::span<const Tensor* const> inputs, std::span<const Shape> shapes,
              Attrs attrs, std::vector<OutputSpec>& known) {
  const std::unique_ptr<TraceState> state = make_state();
  SmallVector<Tensor, 4> made;
  for (size_t i = 0; i < inputs.size(); ++i)
    made.push_back(inputs[i]->is_symbolic() ? symbol_in(*state, inputs[i]->dtype(), shapes[i])
                                            : *inputs[i]);
  const TensorPointers there = pointers_to(made);
  try {
    const Inside inside(*state);
    take(known, dispatch(op, there, attrs));
    return true;
  } catch (const Error&) {
    return false;  // not with these sizes
  }
}

// Shapes that are worth a try for inputs whose rank is not known: all of one size, or what the call
// says itself.
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

std::vector<OutputSpec> Worlds::ask_op(const OpDef& op, std::span<const Tensor* const> inputs,
                                       Attrs attrs) {
  if (op.compose != nullptr) return {};
  SmallVector<View, 4> views;
  for (const Tensor* input : inputs) views.push_back(input->view());
  InferContext infer(op, views, attrs);
  try {
    op.infer.value(infer);
  } catch (const Error&) {
    return {};
  }
  std::vector<OutputSpec> known;
  for (const OutputSpec& spec : infer.outputs())
    known.push_back({spec.dtype, Shape::unknown_rank()});
  return known;
}

std::vector<OutputSpec> Worlds::try_sizes(const OpDef& op, std::span<const Tensor* const> inputs,
                                          Attrs attrs) const {
  constexpr size_t kMostFree = 5;  // more unknown dimensions than these take their size together
  const std::vector<int64_t> sizes = sizes_to_try(inputs);
  bool has_ranks = true;
  size_t free = 0;
  for (const Tensor* input : inputs) {
    const Shape& shape = input->shape();
    has_ranks = has_ranks && shape.has_rank();
    if (shape.has_rank())
      free += static_cast<size_t>(std::count(shape.begin(), shape.end(), kUnknownDim));
  }
  std::vector<OutputSpec> known;
  int found = 0;
  const auto settled = [&] {
    // One of many may be a coincidence.
    for (OutputSpec& spec : known) {
      if (found == 1 && free > 0) forget_sizes(spec.shape);
    }
    return known;
  };
  SmallVector<Shape, 4> shapes;
  if (!has_ranks) {
    for (int64_t size : sizes) {
      for (const Shape& guess : shapes_to_try(size, attrs)) {
        shapes.clear();
        for (const Tensor* input : inputs)
          shapes.push_back(input->shape().has_rank() ? filled(input->shape(), size) : guess);
        found += try_call(op, inputs, shapes, attrs, known) ? 1 : 0;
      }
    }
    return settled();
  }
  const bool together = free > kMostFree;
  std::vector<size_t> choice(together ? 1 : std::max<size_t>(free, 1), 0);
  for (size_t digit = 0; digit < choice.size();) {
    shapes.clear();
    size_t at = 0;
    for (const Tensor* input : inputs) {
      Shape shape = input->shape();
      for (int i = 0; i < shape.rank(); ++i) {
        if (shape[i] == kUnknownDim) shape.set(i, sizes[choice[together ? 0 : at++]]);
      }
      shapes.push_back(shape);
    }
    found += try_call(op, inputs, shapes, attrs, known) ? 1 : 0;
    for (digit = 0; digit < choice.size() && ++choice[digit] == sizes.size(); ++digit)
      choice[digit] = 0;
  }
  return settled();
}

}  // namespace penstock::exec
