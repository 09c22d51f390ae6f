#include "exec/trace/shape_trials.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <penstock/base/error.h>

#include "exec/op_call.h"

namespace penstock::exec {
namespace {

constexpr size_t kMostTrials = 3000;

void add_size(std::vector<int64_t>& sizes, int64_t size) {
  constexpr size_t kMostSizes = 14;
  constexpr int64_t kLargest = int64_t{1} << 30;
  if (size < 0 || size > kLargest || sizes.size() >= kMostSizes) return;
  if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
}

// The numbers in a call: attributes, sizes, and values that infer reads.
std::vector<int64_t> numbers_in(const OpDef& op, std::span<const Tensor* const> inputs,
                                Attrs attrs) {
  std::vector<int64_t> numbers;
  const auto add = [&](int64_t n) { numbers.push_back(n < 0 ? -n : n); };
  for (const Tensor* input : inputs) {
    for (int64_t dim : input->shape()) {
      if (dim != kUnknownDim) add(dim);
    }
  }
  for (const Attr& attr : attrs) {
    if (attr.kind() == AttrKind::kInt && attr.as_int() > INT64_MIN) add(attr.as_int());
    if (attr.kind() != AttrKind::kInts) continue;
    for (int64_t n : attr.as_ints()) {
      if (n > INT64_MIN) add(n);
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& input = *inputs[i];
    if (!op.input(i).host || !input.has_data() || input.num_elements() > kMaxRank) continue;
    if (input.dtype() != DType::kInt32 && input.dtype() != DType::kInt64) continue;
    for (int64_t k = 0; k < input.num_elements(); ++k)
      add(static_cast<int64_t>(input.number_at(k)));
  }
  return numbers;
}

// Small sizes, and those where a rule may change: at a number of the call, and next to it.
std::vector<int64_t> sizes_for(std::span<const int64_t> numbers) {
  std::vector<int64_t> sizes = {1, 2, 3, 0};
  for (int64_t n : numbers) add_size(sizes, n);
  for (int64_t n : numbers) {
    add_size(sizes, n + 1);
    add_size(sizes, n - 1);
    if (n % 2 == 0) add_size(sizes, n / 2);
  }
  add_size(sizes, 7);
  add_size(sizes, 840);
  return sizes;
}

// A deterministic random generator.
class Draws {
 public:
  size_t operator()(size_t below) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(state_ >> 33) % below;
  }

 private:
  uint64_t state_ = 1;
};

}  // namespace

Shape in_common(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank() || !a.has_rank()) return Shape::unknown_rank();
  Shape both = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a[i] != b[i]) both.set(i, kUnknownDim);
  }
  return both;
}

void take(std::vector<OutputSpec>& known, std::span<const Tensor> outputs) {
  if (known.empty()) {
    for (const Tensor& output : outputs) known.push_back({output.dtype(), output.shape()});
    return;
  }
  for (size_t i = 0; i < known.size(); ++i)
    known[i].shape =
        i < outputs.size() ? in_common(known[i].shape, outputs[i].shape()) : Shape::unknown_rank();
}

namespace {

std::vector<OutputSpec> infer_at(const OpDef& op, std::span<const View> views, Attrs attrs) {
  InferContext infer(op, views, attrs);
  try {
    op.infer.value(infer);
  } catch (const Error&) {
    return {};
  }
  std::vector<OutputSpec> said(infer.outputs().begin(), infer.outputs().end());
  for (OutputSpec& spec : said) {
    if (spec.is_bound) spec.shape.set(0, kUnknownDim);
  }
  return said;
}

}  // namespace

std::vector<OutputSpec> what_infer_says(const OpDef& op, std::span<const Tensor* const> inputs,
                                        Attrs attrs,
                                        std::span<const std::optional<SomeInts>> elements) {
  if (op.infer.value == nullptr) return {};
  SmallVector<View, 4> views;
  for (const Tensor* input : inputs) views.push_back(input->view());
  const auto is_sampled = [&](size_t i) {
    return i < elements.size() && elements[i] && inputs[i]->is_symbolic();
  };
  bool has_sampled = false;
  for (size_t i = 0; i < inputs.size(); ++i) has_sampled = has_sampled || is_sampled(i);
  if (!has_sampled) return infer_at(op, views, attrs);
  // On both sides of 0, where a bound or a size changes its meaning; a different one for each
  // element.
  static constexpr int64_t kValues[] = {1, 3, 0, 840, -1, 2, 7};
  constexpr size_t kCount = std::size(kValues);
  std::vector<OutputSpec> known;
  int found = 0;
  for (size_t s = 0; s < kCount; ++s) {
    std::vector<Tensor> values;
    size_t number = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!is_sampled(i)) continue;
      values.push_back(as_tensor(*elements[i], *inputs[i], [&](size_t) {
        const size_t k = number++;
        return kValues[(s * (k % (kCount - 1) + 1) + k) % kCount];
      }));
      views[i] = values.back().view();
    }
    const std::vector<OutputSpec> said = infer_at(op, views, attrs);
    if (said.empty()) continue;
    ++found;
    if (known.empty()) known = said;
    for (size_t i = 0; i < known.size(); ++i)
      known[i].shape =
          i < said.size() ? in_common(known[i].shape, said[i].shape) : Shape::unknown_rank();
  }
  return found > 1 ? known : std::vector<OutputSpec>();
}

ShapeTrials::ShapeTrials(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
                         TryCallFn try_call)
    : op_(op),
      inputs_(inputs),
      attrs_(attrs),
      try_call_(try_call),
      sizes_(sizes_for(numbers_in(op, inputs, attrs))) {
  // A composed call may make as many calls as a size says.
  constexpr int64_t kLargest = 1 << 20;
  if (op.compose != nullptr) std::erase_if(sizes_, [](int64_t size) { return size > kLargest; });
  for (size_t i = 0; i < inputs.size(); ++i) {
    own_.push_back(inputs[i]->shape());
    for (int axis = 0; axis < own_[i].rank(); ++axis) {
      if (own_[i][axis] == kUnknownDim) dims_.push_back({i, axis});
    }
  }
}

void ShapeTrials::add(std::span<const Shape> shapes, std::span<const Tensor> outputs) {
  take(known_, outputs);
  ++found_;
  for (Dim& dim : dims_) {
    const int64_t size = shapes[dim.input][dim.axis];
    dim.is_varied = dim.is_varied || (dim.size >= 0 && dim.size != size);
    if (dim.size < 0) dim.size = size;
  }
}

bool ShapeTrials::try_at(std::span<const Shape> shapes, size_t* progress) {
  std::optional<Tensors> outputs = try_call_(op_, inputs_, shapes, attrs_, progress);
  if (!outputs) return false;
  add(shapes, *outputs);
  return true;
}

bool ShapeTrials::is_settled() const {
  return found_ > 0 && std::ranges::all_of(known_, [](const OutputSpec& spec) {
           return !spec.shape.has_rank() ||
                  std::ranges::all_of(spec.shape.dims(), [](int64_t d) { return d < 0; });
         });
}

std::vector<Shape> ShapeTrials::shapes_with(std::span<const size_t> dims,
                                            std::span<const int64_t> sizes,
                                            std::span<const Shape> shapes) const {
  std::vector<Shape> varied(shapes.begin(), shapes.end());
  for (size_t k = 0; k < dims.size(); ++k)
    varied[dims_[dims[k]].input].set(dims_[dims[k]].axis, sizes[k]);
  return varied;
}

void ShapeTrials::vary_together(std::span<const Shape> shapes, std::span<const size_t> dims,
                                std::span<const int64_t> sizes) {
  for (int64_t size : sizes) {
    if (is_settled()) return;
    const std::vector<int64_t> same(dims.size(), size);
    try_at(shapes_with(dims, same, shapes));
  }
}

void ShapeTrials::vary(std::span<const Shape> shapes) {
  constexpr size_t kMostPairs = 8;  // of dimensions; otherwise there are too many pairs
  for (size_t k = 0; k < dims_.size(); ++k) vary_together(shapes, {&k, 1}, sizes_);
  // Dimensions that must be equal are recognised only by their sizes.
  const auto size_of = [&](size_t k) { return shapes[dims_[k].input][dims_[k].axis]; };
  for (size_t k = 0; k < dims_.size(); ++k) {
    std::vector<size_t> alike;
    for (size_t j = 0; j < dims_.size(); ++j) {
      if (size_of(j) == size_of(k)) alike.push_back(j);
    }
    if (alike.size() > 1 && alike[0] == k) vary_together(shapes, alike, sizes_);
  }
  if (dims_.size() > kMostPairs) return;
  const int64_t few[] = {1, 2, 5, 840};
  for (size_t k = 0; k < dims_.size(); ++k) {
    for (size_t j = k + 1; j < dims_.size(); ++j) {
      const size_t pair[] = {k, j};
      if (size_of(k) == size_of(j)) vary_together(shapes, pair, few);
    }
  }
}

// All combinations of as many sizes as time allows.
template <typename Look>
void ShapeTrials::enumerate(const Look& look, std::vector<int64_t>& sizes) const {
  constexpr double kMostCombinations = 33000;
  const double count = std::pow(kMostCombinations, 1.0 / static_cast<double>(dims_.size()));
  const size_t first = std::min(sizes_.size(), static_cast<size_t>(count));
  std::vector<size_t> choice(first > 1 ? dims_.size() : 0);
  for (size_t digit = 0; digit < choice.size();) {
    for (size_t k = 0; k < choice.size(); ++k) sizes[k] = sizes_[choice[k]];
    if (!look()) return;
    for (digit = 0; digit < choice.size() && ++choice[digit] == first; ++digit) choice[digit] = 0;
  }
}

void ShapeTrials::search() {
  if (dims_.empty()) return;
  std::vector<size_t> all(dims_.size());
  std::iota(all.begin(), all.end(), size_t{0});
  std::vector<int64_t> sizes(dims_.size());
  std::vector<std::vector<Shape>> good;
  const auto look = [&] {  // whether to continue
    std::vector<Shape> shapes = shapes_with(all, sizes, own_);
    if (try_at(shapes)) good.push_back(std::move(shapes));
    return good.size() < 8 && !is_settled();
  };
  for (int64_t size : sizes_) {
    std::ranges::fill(sizes, size);
    look();
  }
  enumerate(look, sizes);
  Draws draw;
  // Every other time with only two sizes: many dimensions of a call are equal.
  for (size_t k = 0; k < kMostTrials && good.size() < 8 && !is_settled(); ++k) {
    const int64_t two[] = {sizes_[draw(sizes_.size())], sizes_[draw(sizes_.size())]};
    for (int64_t& size : sizes) size = k % 2 == 0 ? sizes_[draw(sizes_.size())] : two[draw(2)];
    look();
  }
  if (good.empty() && op_.compose != nullptr) {
    if (std::vector<Shape> shapes = climb(); !shapes.empty()) good.push_back(std::move(shapes));
  }
  for (size_t k = 0; k < good.size() && k < 4; ++k) vary(good[k]);
}

std::vector<Shape> ShapeTrials::climb() {
  std::vector<size_t> all(dims_.size());
  std::iota(all.begin(), all.end(), size_t{0});
  Draws draw;
  std::vector<int64_t> best(dims_.size(), sizes_[0]);
  size_t furthest = 0;
  for (size_t k = 0; k < 2 * kMostTrials; ++k) {
    std::vector<int64_t> sizes = best;
    const int64_t size = sizes_[draw(sizes_.size())];
    for (size_t changes = 1 + draw(3); changes > 0; --changes) sizes[draw(sizes.size())] = size;
    std::vector<Shape> shapes = shapes_with(all, sizes, own_);
    size_t progress = 0;
    if (try_at(shapes, &progress)) return shapes;
    if (progress < furthest) continue;
    furthest = progress;
    best = std::move(sizes);
  }
  return {};
}

std::vector<OutputSpec> ShapeTrials::known() const {
  if (dims_.empty()) return known_;
  if (std::ranges::all_of(dims_, [](const Dim& dim) { return dim.is_varied; })) return known_;
  const std::vector<OutputSpec> said = what_infer_says(op_, inputs_, attrs_);
  std::vector<OutputSpec> outputs = known_;
  for (size_t i = 0; i < outputs.size(); ++i) {
    Shape& shape = outputs[i].shape;
    const bool is_said = i < said.size() && said[i].shape.rank() == shape.rank();
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (!is_said || said[i].shape[axis] != shape[axis]) shape.set(axis, kUnknownDim);
    }
  }
  return outputs;
}

}  // namespace penstock::exec
