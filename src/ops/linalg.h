// Helpers shared by linear algebra ops: checks of matrices, their shapes, and functions for
// gradients.
#pragma once

#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/matrices.h"

namespace penstock::linalg {

inline constexpr DTypeSet kTypes =
    DTypeSet(DType::kFloat32) | DType::kFloat64 | DType::kComplex64 | DType::kComplex128;

// The matrices of input i; fails if its rank is below 2. Pre: its shape is known.
kernels::Matrices matrices(const InferContext& ctx, size_t i);
// The same; fails if they are not square.
kernels::Matrices square_matrices(const InferContext& ctx, size_t i);
// Fails if LAPACK cannot be loaded, or cannot count its work space for matrices of that size.
void require_lapack(const InferContext& ctx, const kernels::Matrices& m);

// All dimensions except the last two.
Shape batch_shape(const Shape& shape);
Shape with_matrix(const Shape& batch, int64_t rows, int64_t cols);
// The dtype of absolute values: float32 for complex64.
DType real_dtype(DType dtype);

// The size of square matrices of that shape, from whichever side is known. Pre: it has a rank.
int64_t square_size(const Shape& shape);
// The known part of the shape of x with a · x = b, for inputs a and b with the common batch
// `batch`. Pre: their ranks are known and at least 2.
Shape open_solution(const InferContext& ctx, const Shape& batch);

// One output of input 0's dtype and shape, which must be square matrices; returns whether the shape
// is known.
bool infer_square(InferContext& ctx);

Tensor conjugate(const Tensor& x);
Tensor transposed(const Tensor& x);  // the last two axes swapped
Tensor adjointed(const Tensor& x);   // and conjugated
Tensor product(const Tensor& a, const Tensor& b, bool adjoint_a = false, bool adjoint_b = false);
Tensor main_diagonal(const Tensor& x);         // of matrices
Tensor diagonal_matrix(const Tensor& values);  // with zeros around
Tensor with_main_diagonal(const Tensor& x, const Tensor& values);
Tensor lower_part(const Tensor& x);  // zeros above the main diagonal
Tensor upper_part(const Tensor& x);
Tensor identity_like(const Tensor& x);  // of square matrices of x's shape
// x, or x cast to a complex dtype.
Tensor as_dtype(const Tensor& x, DType dtype);
// A part of the rows and columns of matrices.
Tensor block(const Tensor& x, int64_t row, int64_t rows, int64_t col, int64_t cols);
Tensor scalar_int(int64_t value);

// Samples of matrices: of random numbers, with 3 added on the diagonal (far from singular), and
// Hermitian with positive eigenvalues.
SampleInput regular(DType dtype, const Shape& shape);
SampleInput positive(DType dtype, const Shape& shape);
// A call for each of LAPACK's dtypes, a batch, one element and none.
std::vector<Sample> square_samples(SampleInput (*make)(DType, const Shape&) = regular);

}  // namespace penstock::linalg
