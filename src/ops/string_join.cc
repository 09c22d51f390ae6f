// StringJoin, ReduceJoin: concatenates strings, across tensors or along axes. Add does the same for
// two strings.
#include <cstring>

#include <penstock/ops/compose.h>

#include "kernels/move.h"
#include "ops/text.h"

namespace penstock {
namespace {

// Joins the `count` texts that text_of(k) gives.
template <typename TextOf>
StringRef join(int64_t count, std::string_view separator, const TextOf& text_of) {
  size_t size = count > 0 ? separator.size() * static_cast<size_t>(count - 1) : 0;
  for (int64_t k = 0; k < count; ++k) size += text_of(k).size();
  char* to = nullptr;
  const StringRef joined = make_string(size, &to);
  const auto put = [&](std::string_view part) {
    if (!part.empty()) std::memcpy(to, part.data(), part.size());
    to += part.size();
  };
  for (int64_t k = 0; size > 0 && k < count; ++k) {
    if (k > 0) put(separator);
    put(text_of(k));
  }
  return joined;
}

void infer_join(InferContext& ctx) {
  Shape shape;
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    const Shape& other = ctx.shape(i);
    if (!other.is_known()) return ctx.add_output(DType::kString, Shape::unknown_rank());
    if (other.rank() == 0) continue;
    if (shape.rank() != 0 && shape != other) {
      ctx.fail("Input shapes do not match: ", shape, " vs. ", other);
    }
    shape = other;
  }
  ctx.add_output(DType::kString, shape);
}

KernelResult cpu_join(const KernelContext& ctx) {
  const std::string_view separator = ctx.attrs[0].as_string();
  const auto count = static_cast<int64_t>(ctx.inputs.size());
  return text::fill(ctx.outputs[0], [&](int64_t i) {
    return join(count, separator, [&](int64_t k) {
      const View& input = ctx.inputs[static_cast<size_t>(k)];
      return text::at(input, input.shape.rank() == 0 ? 0 : i);
    });
  });
}

void infer_reduce(InferContext& ctx) {
  const Shape& shape = ctx.shape(0);
  if (!shape.has_rank()) return ctx.add_output(DType::kString, shape);
  const uint32_t axes = ctx.axes(ctx.attr(0).as_ints(), shape.rank());
  Shape left;
  for (int i = 0; i < shape.rank(); ++i) {
    if (((axes >> i) & 1) == 0) {
      left.append(shape[i]);
    } else if (ctx.attr(1).as_bool()) {
      left.append(1);
    }
  }
  ctx.add_output(DType::kString, left);
}

// The elements that are joined into one result. The first listed axis varies fastest. A reduction
// over all axes takes them in row-major order.
struct Reduced {
  int rank = 0;
  int64_t dims[kMaxRank];
  int64_t strides[kMaxRank];
  int64_t count = 1;
  bool is_reduced[kMaxRank] = {};

  Reduced(const Shape& shape, std::span<const int64_t> axes) {
    const auto all = row_major_strides(shape);
    const auto add = [&](int axis) {
      is_reduced[axis] = true;
      dims[rank] = shape[axis];
      strides[rank++] = all[static_cast<size_t>(axis)];
      count *= shape[axis];
    };
    if (is_every_axis(axes)) {
      for (int i = shape.rank() - 1; i >= 0; --i) add(i);
      return;
    }
    for (int64_t axis : axes) add(static_cast<int>(axis < 0 ? axis + shape.rank() : axis));
  }
  int64_t offset(int64_t k) const {
    int64_t at = 0;
    for (int i = 0; i < rank; ++i) {
      at += k % dims[i] * strides[i];
      k /= dims[i];
    }
    return at;
  }
};

KernelResult cpu_reduce(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  const Shape& shape = in.shape;
  if (ctx.outputs[0].size() == 0) return KernelResult::ok();
  const std::span<const int64_t> axes = ctx.attrs[0].as_ints();
  const std::string_view separator = ctx.attrs[2].as_string();
  if (in.size() == 0) return KernelResult::ok();  // nothing to join is the empty string
  const Reduced reduced(shape, axes);
  const auto strides = row_major_strides(shape);
  return text::fill(ctx.outputs[0], [&](int64_t i) {
    int64_t start = 0;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      if (reduced.is_reduced[axis]) continue;
      start += i % shape[axis] * strides[static_cast<size_t>(axis)];
      i /= shape[axis];
    }
    return join(reduced.count, separator,
                [&](int64_t k) { return text::at(in, start + reduced.offset(k)); });
  });
}

Tensors compose_add(const ComposeContext& ctx) {
  if (ctx.dtype(0) != DType::kString) return {add(ctx.tensor(0), ctx.tensor(1))};
  Shape shape;
  if (!broadcast_shapes(ctx.shape(0), ctx.shape(1), &shape)) {
    ctx.fail("Incompatible shapes: ", ctx.shape(0), " vs. ", ctx.shape(1));
  }
  const Tensor to = shape_tensor(shape);
  const Tensor both[] = {broadcast_to(ctx.tensor(0), to), broadcast_to(ctx.tensor(1), to)};
  return {string_join(both, "")};
}

using text::words;

std::vector<Sample> join_samples() {
  return {
      {{words({2}, {"a", "bc"}), words({2}, {"", "d"})}},
      {{words({2}, {"a", "bc"}), words({}, {"x"}), words({2}, {"e", ""})}, {{"separator", ", "}}},
      {{words({}, {"a"}), words({}, {"b"})}},
      {{words({2, 1}, {"a", ""})}, {{"separator", "-"}}},
      {{of(DType::kString, {0}), words({}, {"a"})}},
      {{of(DType::kString, {1000}), of(DType::kString, {1000})}, {}, 0, true, true},
  };
}

std::vector<Sample> reduce_samples() {
  const SampleInput table = words({2, 3}, {"a", "b", "c", "d", "", "ef"});
  return {
      {{table}},
      {{table}, {{"axis", {0}}}},
      {{table}, {{"axis", std::vector<int64_t>{}}}},
      {{table}, {{"axis", {-1}}, {"separator", ", "}}},
      {{table}, {{"axis", {0, 1}}, {"keepdims", true}}},
      {{table}, {{"axis", {1, 0}}, {"separator", "-"}}},
      {{of(DType::kString, {2, 0})}, {{"axis", {1}}, {"separator", "-"}}},
      {{of(DType::kString, {2, 3, 2})}, {{"axis", {2, 0}}, {"separator", "-"}}},
      {{words({}, {"a"})}},
      {{of(DType::kString, {100, 100})}, {{"axis", {1}}}, 0, true, true},
  };
}

std::vector<Sample> add_samples() {
  return {
      {{words({2}, {"a", "bc"}), words({2, 1}, {"", "d"})}},
      {{words({}, {"a"}), words({2}, {"", "d"})}},
      {{f32({2, 3}), f32({3})}},
      {{of(DType::kComplex64, {2}), of(DType::kComplex64, {2})}},
      {{i32({0}), i32({1})}},
  };
}

}  // namespace

PEN_OP_DEF(string_join) = {
    .name = "StringJoin",
    .doc = "The strings of several tensors joined, element by element; scalars go with all.",
    .inputs = {many("inputs", DType::kString)},
    .attrs = {string_attr("separator", "")},
    .traits = {Trait::kMakesStrings},
    .infer = infer_join,
    .cpu = cpu_join,
    .grad = no_gradient,
    .samples = join_samples,
};

PEN_OP_DEF(reduce_join) = {
    .name = "ReduceJoin",
    .doc =
        "The strings of a tensor joined along axes, the first listed going fastest, or along "
        "all.",
    .inputs = {in("inputs", DType::kString)},
    .attrs = {ints_attr("axis", kAllAxes), bool_attr("keepdims", false),
              string_attr("separator", "")},
    .traits = {Trait::kMakesStrings},
    .infer = infer_reduce,
    .cpu = cpu_reduce,
    .grad = no_gradient,
    .samples = reduce_samples,
    .graph_name = {.result = "*", .attr_inputs = {{"axis", "reduction_indices"}}},
};

PEN_OP_DEF(add_v1) = {
    .name = "Add",
    .doc = "x + y, of numbers or strings.",
    .inputs = {in("x", kNumberTypes | DType::kString), in("y", kNumberTypes | DType::kString)},
    .infer = composed,
    .compose = compose_add,
    .grad = composed_gradient,
    .samples = add_samples,
    .operators = {{"add", true}},
};

}  // namespace penstock
