// Range: numbers from start to limit in steps of delta.
#include <cmath>
#include <type_traits>

#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/range.h"

namespace penstock {
namespace {

// Counts the steps. Unsigned differences hold what a signed one may not.
template <typename T>
int64_t count_steps(const InferContext& ctx, T start, T limit, T delta) {
  if constexpr (std::is_integral_v<T>) {
    const auto wide = [](T value) { return static_cast<uint64_t>(int64_t{value}); };
    const uint64_t distance = delta > 0 ? wide(limit) - wide(start) : wide(start) - wide(limit);
    const uint64_t step = delta > 0 ? wide(delta) : uint64_t{0} - wide(delta);
    const uint64_t count = distance / step + (distance % step != 0 ? 1 : 0);
    if (count > static_cast<uint64_t>(INT64_MAX)) ctx.fail("it would have too many elements");
    return static_cast<int64_t>(count);
  } else {
    const T count = std::ceil(std::abs((limit - start) / delta));
    if (!(count < static_cast<T>(0x1p62))) {
      ctx.fail("Requires ((limit - start) / delta) to be a number of elements, but it is ", count);
    }
    return static_cast<int64_t>(count);
  }
}

template <typename T>
int64_t checked_size(const InferContext& ctx) {
  const T start = *ctx.input(0).as<T>();
  const T limit = *ctx.input(1).as<T>();
  const T delta = *ctx.input(2).as<T>();
  if (delta == 0) ctx.fail("Requires delta != 0: ", delta);
  if (delta > 0 && start > limit) {
    ctx.fail("Requires start <= limit when delta > 0: ", start, "/", limit);
  }
  if (delta < 0 && start < limit) {
    ctx.fail("Requires start >= limit when delta < 0: ", start, "/", limit);
  }
  return count_steps(ctx, start, limit, delta);
}

int64_t size_of(const InferContext& ctx) {
  switch (ctx.dtype(0)) {
    case DType::kInt32:
      return checked_size<int32_t>(ctx);
    case DType::kInt64:
      return checked_size<int64_t>(ctx);
    case DType::kFloat32:
      return checked_size<float>(ctx);
    default:
      return checked_size<double>(ctx);
  }
}

void infer(InferContext& ctx) {
  bool known = true;
  for (size_t i : {0, 1, 2}) {
    ctx.check_rank(i, 0);
    known = known && ctx.input(i).data != nullptr;
  }
  ctx.add_output(ctx.dtype(0), Shape{known ? size_of(ctx) : kUnknownDim});
}

KernelResult cpu(const KernelContext& ctx) {
  kernels::range(ctx.inputs[0].data, ctx.inputs[2].data, ctx.outputs[0]);
  return KernelResult::ok();
}

Sample numbers(DType dtype, double start, double limit, double delta) {
  return {{given(dtype, {}, {start}), given(dtype, {}, {limit}), given(dtype, {}, {delta})}};
}

std::vector<Sample> samples() {
  std::vector<Sample> samples = {
      numbers(DType::kInt32, 0, 5, 1),       numbers(DType::kInt32, 7, -4, -3),
      numbers(DType::kInt64, -3, 10, 4),     numbers(DType::kInt64, 2, 2, 1),
      numbers(DType::kFloat32, 0, 1, 0.25),  numbers(DType::kFloat32, 1, 0, -0.3),
      numbers(DType::kFloat64, -1, 1, 0.11),
  };
  samples.push_back(numbers(DType::kInt64, 0, 1 << 20, 1));
  samples.back().for_speed = true;
  return samples;
}

}  // namespace

PEN_OP_DEF(range) = {
    .name = "Range",
    .doc = "The numbers from `start` up to but not including `limit`, in steps of `delta`.",
    .inputs = {host("start", kIndexTypes | DType::kFloat32 | DType::kFloat64, 'T'),
               host("limit", kIndexTypes | DType::kFloat32 | DType::kFloat64, 'T'),
               host("delta", kIndexTypes | DType::kFloat32 | DType::kFloat64, 'T')},
    .infer = infer,
    .cpu = cpu,
    .grad = no_gradient,
    .samples = samples,
};

}  // namespace penstock
