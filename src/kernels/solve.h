// Triangular factorisations and their uses: Cholesky, LU, inverses and determinants.
//
// Views hold float32, float64 or a complex dtype. Functions with a result return the index of the
// first matrix that failed, or -1. Pre: load_lapack() was true.
#pragma once

#include <cstdint>

#include <penstock/core/view.h>

#include "kernels/matrices.h"

namespace penstock::kernels {

// The lower factor, from the lower triangle; `out` may be `in`. NaN if there is none.
void cholesky(const View& in, const View& out);

// x with op(a) x = b, a triangular and op the adjoint or nothing; batches broadcast. `shape` is the
// batch shape of `out`.
void triangular_solve(const View& a, const View& b, bool lower, bool adjoint, const Shape& batch,
                      const View& out);

// x with a x = b (or the adjoint of a). A singular matrix fails.
int64_t solve_scratch(DType dtype, Matrices a);
int64_t solve(const View& a, const View& b, bool adjoint, const View& out, void* scratch);

// `out` may be `in` unless `adjoint`.
int64_t inverse_scratch(DType dtype, Matrices a);
int64_t inverse(const View& in, bool adjoint, const View& out, void* scratch);

int64_t determinant_scratch(DType dtype, Matrices a);
void determinant(const View& in, const View& out, void* scratch);
// The determinant as sign · exp(log_abs).
void log_determinant(const View& in, const View& sign, const View& log_abs, void* scratch);

// L (of unit diagonal) and U in one matrix; row i of L · U is row permutation[i] of `in`.
int64_t lu_scratch(DType dtype, Matrices a);
int64_t lu(const View& in, const View& out, const View& permutation, void* scratch);

}  // namespace penstock::kernels
