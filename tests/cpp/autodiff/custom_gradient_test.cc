// Tests of custom gradients: their place, nesting, aliased outputs, mistakes.
#include <penstock/autodiff/tape.h>
#include <penstock/ops.h>
#include <penstock/ops/operators.h>

#include "support/test_ops.h"
#include "support/testing.h"

namespace penstock {
namespace {

using namespace testing_support;

// x * x, with a gradient of seven times what arrives.
Tensor seven(const Tensor& x) {
  return custom_gradient(
      [](std::span<const Tensor> inputs) {
        return CustomResult{{inputs[0] * inputs[0]}, [](std::span<const Tensor> dys) {
                              return std::vector<Gradient>{dys[0] * 7};
                            }};
      },
      {&x, 1})[0];
}

TEST(CustomGradient, TakesThePlaceOfTheRealOne) {
  const Tensor x(3.f);
  Tape tape;
  tape.watch(x);
  const Tensor y = seven(x) * 2;
  EXPECT_EQ(y.item<float>(), 18);
  EXPECT_EQ(Tensor(tape.gradient(y, x)).item<float>(), 14);
}

TEST(CustomGradient, IsRecordedByOuterTapes) {
  const Tensor x(3.f);
  Tape outer;
  outer.watch(x);
  Tensor dx;
  {
    Tape inner;
    inner.watch(x);
    dx = inner.gradient(seven(x) * x, x);  // 7x + x * x
  }
  EXPECT_EQ(dx.item<float>(), 30);
  EXPECT_EQ(Tensor(outer.gradient(dx, x)).item<float>(), 14);  // 7 + 7
}

TEST(CustomGradient, AnOutputMayBeTheInput) {
  const Tensor x(3.f);
  Tape tape;
  tape.watch(x);
  const Tensor y = custom_gradient(
      [](std::span<const Tensor> inputs) {
        return CustomResult{{inputs[0]}, [](std::span<const Tensor> dys) {
                              return std::vector<Gradient>{-dys[0]};
                            }};
      },
      {&x, 1})[0];
  EXPECT_EQ(Tensor(tape.gradient(y, x)).item<float>(), -1);
}

TEST(CustomGradient, MustFitItsInputs) {
  const Tensor x(3.f);
  const auto with = [&](std::vector<Gradient> gradients) {
    Tape tape;
    tape.watch(x);
    const Tensor y = x * 2;
    record_custom({&x, 1}, {&y, 1}, [=](std::span<const Tensor>) { return gradients; });
    return tape.gradient(y, x);
  };
  EXPECT_ERROR(InvalidArgumentError, "gave 0 gradients for 1", with({}));
  EXPECT_ERROR(InvalidArgumentError, "does not fit an input of shape []", with({Tensor{1.f, 2.f}}));
  EXPECT_ERROR(InvalidArgumentError, "dtype float64 does not fit", with({Tensor(1.0)}));
}

}  // namespace
}  // namespace penstock
