// exp, log and similar functions against libm in a wider type, on every instruction set.
#include "kernels/unary.h"

#include <bit>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "support/targets.h"

namespace penstock::kernels {
namespace {

using Reference = long double (*)(long double);

struct Case {
  UnaryOp op;
  Reference reference;
  int ulps = 4;  // how far off it may be
};

long double sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }

long double softplus(long double x) { return x > 60 ? x : std::log1p(std::exp(x)); }
long double elu(long double x) { return x < 0 ? std::expm1(x) : x; }

const Case kCases[] = {
    {UnaryOp::kExp, std::exp},      {UnaryOp::kExpm1, std::expm1}, {UnaryOp::kLog, std::log},
    {UnaryOp::kLog1p, std::log1p},  {UnaryOp::kSin, std::sin},     {UnaryOp::kCos, std::cos},
    {UnaryOp::kTan, std::tan},      {UnaryOp::kAsin, std::asin},   {UnaryOp::kAcos, std::acos},
    {UnaryOp::kAtan, std::atan},    {UnaryOp::kSinh, std::sinh},   {UnaryOp::kCosh, std::cosh},
    {UnaryOp::kTanh, std::tanh, 6}, {UnaryOp::kAsinh, std::asinh}, {UnaryOp::kAcosh, std::acosh},
    {UnaryOp::kAtanh, std::atanh},  {UnaryOp::kSigmoid, sigmoid},  {UnaryOp::kSoftplus, softplus},
    {UnaryOp::kElu, elu},           {UnaryOp::kErf, std::erf},     {UnaryOp::kErfc, std::erfc, 8},
};

// Bit patterns spread over all numbers, a denser set around zero, and the ends of the ranges.
template <typename T>
std::vector<T> values() {
  std::vector<T> values = {0,        T(-0.0), INFINITY, -INFINITY, NAN,     1,        -1,
                           -2,       T(88),   T(88.9),  T(-103),   T(-104), T(706),   T(709.78),
                           T(709.8), -745,    30000,    30001,     T(1e10), T(1e-40), T(-1e-40)};
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr Bits kStep = static_cast<Bits>(~Bits{0} / 20011);
  for (Bits i = 0; i < 20011; ++i) values.push_back(std::bit_cast<T>(static_cast<Bits>(i * kStep)));
  for (int i = -5000; i < 5000; ++i) values.push_back(static_cast<T>(i) / 97);
  return values;
}

template <typename T>
void expect_close(const Case& test) {
  const std::vector<T> x = values<T>();
  std::vector<T> y(x.size());
  unary_loop(test.op, kDTypeOf<T>)(x.data(), y.data(), static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    const long double exact = test.reference(x[i]);
    const T nearest = static_cast<T>(exact);
    if (!std::isfinite(nearest)) {
      EXPECT_TRUE(std::isnan(nearest) ? std::isnan(y[i]) : y[i] == nearest)
          << x[i] << ": " << y[i] << " rather than " << nearest;
      continue;
    }
    const long double ulp = std::nextafter(std::abs(nearest), static_cast<T>(INFINITY)) -
                            static_cast<long double>(std::abs(nearest));
    EXPECT_LE(std::abs(y[i] - exact), test.ulps * ulp)
        << x[i] << ": " << y[i] << " rather than " << exact;
  }
}

TEST(Math, CloseToLibmOnEveryTarget) {
  testing_support::on_every_target([] {
    for (const Case& test : kCases) {
      SCOPED_TRACE(testing::Message() << "op " << int(test.op));
      expect_close<float>(test);
      expect_close<double>(test);
    }
  });
}

}  // namespace
}  // namespace penstock::kernels
