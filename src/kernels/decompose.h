// Orthogonal decompositions: QR, singular values and eigenvalues.
//
// Views hold float32, float64 or a complex dtype. Functions with a result return the index of the
// first matrix for which the iteration failed, or -1. Pre: load_lapack() was true.
#pragma once

#include <cstdint>

#include <penstock/core/view.h>

#include "kernels/matrices.h"

namespace penstock::kernels {

// a = q · r. `q` has as many columns as `r` has rows: min(rows, cols), or all.
int64_t qr_scratch(DType dtype, Matrices a, bool full);
void qr(const View& a, const View& q, const View& r, bool full, void* scratch);

// a = u · diag(s) · vᴴ, s descending; `u` and `v` without data are not computed. NaN if the
// iteration does not converge.
int64_t svd_scratch(DType dtype, Matrices a, bool vectors, bool full);
void svd(const View& a, const View& s, const View& u, const View& v, bool vectors, bool full,
         void* scratch);

// Eigenvalues (real, ascending) and eigenvectors (columns) of Hermitian matrices, from their lower
// triangles.
int64_t eigh_scratch(DType dtype, Matrices a, bool vectors);
int64_t eigh(const View& a, const View& e, const View& v, bool vectors, void* scratch);

// The same for any matrices; `e` and `v` are complex.
int64_t eig_scratch(DType dtype, Matrices a, bool vectors);
int64_t eig(const View& a, const View& e, const View& v, bool vectors, void* scratch);

}  // namespace penstock::kernels
