// Updates work in place when the state is handed over, and look before they write.
#include <penstock/ops.h>

#include "support/testing.h"

namespace penstock {
namespace {

TEST(ApplyMomentum, RunsInPlace) {
  Tensor var{1.0f, 2.0f}, accum{0.5f, 0.5f};
  const Tensor grad{1.0f, -1.0f};
  const void* const var_data = var.raw();
  const void* const accum_data = accum.raw();
  auto [new_var, new_accum] =
      apply_momentum(std::move(var), std::move(accum), Tensor(0.5f), grad, Tensor(1.0f));
  EXPECT_EQ(new_var.raw(), var_data);
  EXPECT_EQ(new_accum.raw(), accum_data);
  EXPECT_EQ(new_var.to_vector<float>(), (std::vector<float>{0.25f, 2.25f}));
  EXPECT_EQ(new_accum.to_vector<float>(), (std::vector<float>{1.5f, -0.5f}));
}

TEST(ApplyMomentum, LeavesAStateThatIsKeptAlone) {
  const Tensor var{1.0f, 2.0f}, accum{0.5f, 0.5f};
  apply_momentum(var, accum, Tensor(0.5f), Tensor{1.0f, 1.0f}, Tensor(1.0f));
  EXPECT_EQ(var.to_vector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(accum.to_vector<float>(), (std::vector<float>{0.5f, 0.5f}));
}

TEST(SparseApply, TouchesNamedRowsOnly) {
  Tensor var = Tensor::from({1.0f, 2.0f, 3.0f, 4.0f}, Shape{4, 1});
  const void* const data = var.raw();
  const Tensor grad = Tensor::from({1.0f, 10.0f, 1.0f}, Shape{3, 1});
  const Tensor out =
      sparse_apply_gradient_descent(std::move(var), Tensor(1.0f), grad, Tensor{2, 0, 2});
  EXPECT_EQ(out.raw(), data);
  EXPECT_EQ(out.to_vector<float>(), (std::vector<float>{-9, 2, 1, 4}));
}

TEST(SparseApply, ChecksIndicesBeforeItWrites) {
  Tensor var = Tensor::from({1.0f, 2.0f}, Shape{2, 1});
  const Tensor grad = Tensor::from({1.0f, 1.0f}, Shape{2, 1});
  EXPECT_ERROR(InvalidArgumentError, "indices[1] = 5 is not in [0, 2)",
               sparse_apply_gradient_descent(std::move(var), Tensor(1.0f), grad, Tensor{0, 5}));
  EXPECT_EQ(var.to_vector<float>(), (std::vector<float>{1, 2}));
}

TEST(Apply, Errors) {
  const Tensor var{1.0f, 2.0f};
  EXPECT_ERROR(InvalidArgumentError, "var and delta do not have the same shape: [2] vs. [1]",
               apply_gradient_descent(var, Tensor(1.0f), Tensor{1.0f}));
  EXPECT_ERROR(InvalidArgumentError, "input 'alpha' must have rank 0",
               apply_gradient_descent(var, var, var));
  EXPECT_ERROR(InvalidArgumentError, "the gradient must have shape [3]",
               sparse_apply_gradient_descent(var, Tensor(1.0f), var, Tensor{0, 1, 1}));
}

}  // namespace
}  // namespace penstock
