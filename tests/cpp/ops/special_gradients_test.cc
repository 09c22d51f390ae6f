// Gradients of special functions that have them for some of their inputs only, which the derived
// checks cannot tell from missing ones.
#include <gtest/gtest.h>
#include <penstock/autodiff/tape.h>
#include <penstock/ops.h>

#include <cmath>
#include <functional>

namespace penstock {
namespace {

using Function = std::function<Tensor(const Tensor&)>;

double value(const Function& f, double x) { return f(Tensor(x)).item<double>(); }

// The gradient at x is the slope there.
void expect_slope(const Function& f, double x) {
  Tape tape;
  const Tensor variable(x);
  tape.watch(variable);
  const Tensor y = f(variable);
  const Source sources[] = {variable};
  const Tensor targets[] = {y};
  const std::vector<Gradient> gradients = tape.gradient(targets, sources);
  ASSERT_TRUE(gradients[0].defined());
  constexpr double kStep = 1e-5;
  const double slope = (value(f, x + kStep) - value(f, x - kStep)) / (2 * kStep);
  EXPECT_NEAR(gradients[0].dense().item<double>(), slope, 1e-7 * (1 + std::abs(slope)));
}

TEST(SpecialGradients, PolygammaByItsArgument) {
  for (const double order : {0.0, 1.0, 3.0}) {
    expect_slope([&](const Tensor& x) { return polygamma(Tensor(order), x); }, 1.3);
  }
}

TEST(SpecialGradients, ZetaByItsSecondArgument) {
  expect_slope([](const Tensor& q) { return zeta(Tensor(2.5), q); }, 1.7);
}

TEST(SpecialGradients, IgammaByBoth) {
  for (const double x : {0.7, 2.5, 9.0}) {
    expect_slope([&](const Tensor& a) { return igamma(a, Tensor(x)); }, 2.2);
    expect_slope([&](const Tensor& a) { return igammac(a, Tensor(x)); }, 2.2);
    expect_slope([](const Tensor& at) { return igamma(Tensor(2.2), at); }, x);
    expect_slope([](const Tensor& at) { return igammac(Tensor(2.2), at); }, x);
  }
}

TEST(SpecialGradients, BetaincByX) {
  expect_slope([](const Tensor& x) { return betainc(Tensor(1.5), Tensor(2.5), x); }, 0.3);
}

// A gamma-distributed number x of shape a keeps its place in the distribution as a changes.
TEST(SpecialGradients, RandomGammaGradFollowsTheQuantile) {
  const double a = 2.5;
  const double x = 1.9;
  const double slope = random_gamma_grad(Tensor(a), Tensor(x)).item<double>();
  constexpr double kStep = 1e-5;
  const double before = igamma(Tensor(a), Tensor(x)).item<double>();
  const double after = igamma(Tensor(a + kStep), Tensor(x + slope * kStep)).item<double>();
  EXPECT_NEAR(after, before, 1e-9);
}

}  // namespace
}  // namespace penstock
