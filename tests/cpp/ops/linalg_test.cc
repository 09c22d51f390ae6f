// What samples cannot show: errors, input without a result, and that LAPACK brings no threads.
#include <gtest/gtest.h>
#include <penstock/penstock.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <string>

namespace penstock {
namespace {

template <typename Call>
void expect_invalid(Call call, const std::string& text) {
  try {
    call();
    FAIL() << "expected: " << text;
  } catch (const InvalidArgumentError& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

Tensor singular() { return Tensor::from<float>({1, 2, 2, 4}, {2, 2}); }

TEST(Linalg, Errors) {
  const Tensor column = Tensor::from<float>({1, 1}, {2, 1});
  const Tensor three = Tensor::from<float>({1, 1, 1}, {3, 1});
  const Tensor nan = Tensor::from<float>({NAN, 1, 1, 2}, {2, 2});
  expect_invalid([&] { solve(singular(), column); }, "Input matrix is not invertible.");
  expect_invalid([&] { inv(singular()); }, "Input is not invertible.");
  expect_invalid([&] { lu(singular()); }, "Input is not invertible.");
  expect_invalid([&] { solve(singular(), three); }, "Input matrix and rhs are incompatible");
  expect_invalid([&] { cholesky(column); }, "Input matrix must be square");
  expect_invalid([&] { cholesky(Tensor{1.f}); }, "must have rank >= 2, got 1");
  expect_invalid([&] { eigh(nan); }, "Self-adjoint eigen decomposition was not successful");
  expect_invalid([&] { eig(nan); }, "Eigen decomposition was not successful");
  expect_invalid([&] { einsum(std::array{singular(), three}, "ij,jk->ik"); },
                 "Expected dimension 2 at axis 0 of the input shaped [3,1] but got dimension 3");
  EXPECT_THROW(cholesky(Tensor{1, 2}), TypeError);
}

TEST(Linalg, NoResultIsNan) {
  const Tensor negative = Tensor::from<float>({-1, 0, 0, -1}, {2, 2});
  EXPECT_TRUE(std::isnan(cholesky(negative).data<float>()[0]));
  EXPECT_EQ(cholesky(negative).data<float>()[1], 0);
  EXPECT_TRUE(std::isnan(sqrtm(negative).data<float>()[0]));
  const Tensor nan = Tensor::from<float>({NAN, 1, 1, 2}, {2, 2});
  EXPECT_TRUE(std::isnan(svd(nan)[0].data<float>()[1]));
  EXPECT_EQ(det(singular()).item<float>(), 0);
}

// Vectors times their adjoints do not depend on phases: the gradient of the complex decomposition
// must then be that of the projection itself, here of the first eigenvector's.
TEST(Linalg, GradientOfComplexEigenvectors) {
  using C = std::complex<double>;
  const Tensor weights = Tensor::from<C>({C(1, 0), C(2, 1), C(0.5, -1), C(3, 0)}, {2, 2});
  const auto loss = [&](const Tensor& a) {
    const Tensor v = strided_slice(eigh(a)[1], Tensor{int64_t{0}, int64_t{0}},
                                   Tensor{int64_t{2}, int64_t{1}}, Tensor{int64_t{1}, int64_t{1}});
    return reduce_sum(cast(matmul(v, v, false, false, false, true) * weights, DType::kFloat64));
  };
  const auto matrix = [](double x) {
    return Tensor::from<C>({C(2, 0), C(0.3, -x), C(0.3, x), C(5, 0)}, {2, 2});
  };
  const Tensor a = matrix(0.7);
  Tape tape;
  tape.watch(a);
  const Tensor value = loss(a);
  const Source sources[] = {a};
  const Tensor da = tape.gradient(std::array{value}, sources)[0].dense();
  const double step = 1e-6;
  const double expected =
      (loss(matrix(0.7 + step)).item<double>() - loss(matrix(0.7 - step)).item<double>()) /
      (2 * step);
  // The gradient is put into the lower triangle, where a change counts for both.
  EXPECT_NEAR(da.data<C>()[2].imag() - da.data<C>()[1].imag(), expected, 1e-6);
}

TEST(Linalg, LapackBringsNoThreads) {
#ifdef PENSTOCK_SANITIZE_THREAD
  GTEST_SKIP() << "the sanitizer has a thread of its own";
#endif
  // The thread that gives idle memory back may start at any time.
  const auto is_other = [](const std::filesystem::directory_entry& task) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    return name != "penstock-idle";
  };
  const auto threads = [&] {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::count_if(begin(tasks), end(tasks), is_other);
  };
  const int own = num_threads();
  set_num_threads(1);  // so that our pool starts none either
  const auto before = threads();
  cholesky(eye(200));
  EXPECT_EQ(threads(), before);
  set_num_threads(own);
}

}  // namespace
}  // namespace penstock
