// Range: numbers from start to limit in steps of delta.
#include <cmath>
#include <type_traits>

#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/range.h"

namespace penstock {
namespace {

// Counts the steps. Unsigned differences hold values that signed ones may not.
template <typename T>
int64_t count_steps(const InferContext& ctx, T start, T limit, T delta) {
  if constexpr (std::is_integral_v<T>) {
    const auto wide = [](T value) { return static_cast<uint64_t>(value); };
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
  using Number = std::conditional_t<kHalfTypes.has(kDTypeOf<T>), float, T>;
  const auto start = static_cast<Number>(*ctx.input(0).as<T>());
  const auto limit = static_cast<Number>(*ctx.input(1).as<T>());
  const auto delta = static_cast<Number>(*ctx.input(2).as<T>());
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
#define PEN_CASE(T, enumerator) \
  case DType::enumerator:       \
    return checked_size<T>(ctx);
    PEN_FOR_EACH_REAL(PEN_CASE)
#undef PEN_CASE
    default:
      return 0;
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
      numbers(DType::kFloat64, -1, 1, 0.11), numbers(DType::kInt8, 5, -8, -4),
      numbers(DType::kInt16, -5, 8, 4),      numbers(DType::kUInt8, 250, 255, 1),
      numbers(DType::kUInt16, 3, 9, 2),      numbers(DType::kUInt32, 3, 9, 2),
      numbers(DType::kUInt64, 3, 9, 2),      numbers(DType::kFloat16, 0, 2, 0.5),
      numbers(DType::kBFloat16, 2, 0, -0.5),
  };
  samples.push_back(numbers(DType::kInt64, 0, 1 << 20, 1));
  samples.back().for_speed = true;
  return samples;
}

}  // namespace

PEN_OP_DEF(range) = {
    .name = "Range",
    .doc = "The numbers from `start` up to but not including `limit`, in steps of `delta`.",
    .inputs = {host("start", kRealTypes, 'T'), host("limit", kRealTypes, 'T'),
               host("delta", kRealTypes, 'T')},
    .infer = infer,
    .cpu = cpu,
    .grad = no_gradient,
    .samples = samples,
    .graph_name = {"range"},
};

}  // namespace penstock
