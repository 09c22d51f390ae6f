// Meshgrid: coordinates of a grid, a tensor for each axis.
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

// Input i varies along axis i; in "xy" the first two axes change places.
Tensors compose(const ComposeContext& ctx) {
  const std::string_view indexing = ctx.attr(0).as_string();
  if (indexing != "xy" && indexing != "ij") {
    ctx.fail("Argument `indexing` must be one of ('xy', 'ij'), but is ", indexing);
  }
  const Tensors values = ctx.tensors_from(0);
  const auto count = static_cast<int>(values.size());
  const bool swaps = indexing == "xy" && count > 1;
  const auto axis_of = [&](int i) { return swaps && i < 2 ? 1 - i : i; };
  Shape grid;
  for (int i = 0; i < count; ++i)
    grid.append(values[static_cast<size_t>(axis_of(i))].num_elements());
  Tensors found;
  for (int i = 0; i < count; ++i) {
    const Tensor& value = values[static_cast<size_t>(i)];
    Shape line;
    for (int k = 0; k < count; ++k) line.append(k == axis_of(i) ? value.num_elements() : 1);
    found.push_back(broadcast_to(reshape(value, shape_tensor(line)), shape_tensor(grid)));
  }
  return found;
}

std::vector<Sample> samples() {
  return {
      {{f32({3}), f32({2})}},
      {{f32({3}), f32({2})}, {{"indexing", "ij"}}},
      {{f32({3}), f32({2}), f32({4})}},
      {{f32({3})}},
      {{f32({2, 2}), f32({3})}},
      {{f32({}), f32({2})}},
      {{f32({0}), f32({2})}},
      {{of(DType::kFloat64, {2}), of(DType::kFloat64, {2})}},
      {{of(DType::kFloat16, {2}), of(DType::kFloat16, {2})}},
      {{of(DType::kInt32, {2}), of(DType::kInt32, {2}), of(DType::kInt32, {2})},
       {{"indexing", "ij"}}},
      {{of(DType::kComplex64, {2}), of(DType::kComplex64, {2})}},
      {{of(DType::kString, {2}), of(DType::kString, {2})}},
      {{f32({1024}), f32({1024})}, {}, 0, true, true},
  };
}

}  // namespace

PEN_OP_DEF(meshgrid) = {
    .name = "Meshgrid",
    .doc =
        "The coordinates of a grid: input i spread along axis i (\"ij\"), or with the first two "
        "axes swapped (\"xy\").",
    .inputs = {many("values", kAnyType)},
    .attrs = {string_attr("indexing", "xy")},
    .outputs = {"outputs"},
    .traits = {Trait::kManyOutputs},
    .infer = composed,
    .compose = compose,
    .grad = composed_gradient,
    .samples = samples,
};

}  // namespace penstock
