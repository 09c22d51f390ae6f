// Functions of whole matrices: the exponential, the principal square root and logarithm.
// Pre: load_lapack() was true; Views hold float32, float64 or a complex dtype.
#pragma once

#include <cstdint>

#include <penstock/core/view.h>

#include "kernels/matrices.h"

namespace penstock::kernels {

int64_t matrix_exponential_scratch(DType dtype, Matrices a);
void matrix_exponential(const View& in, const View& out, void* scratch);

// NaN if a real matrix has no real root, and if the iteration does not converge.
int64_t matrix_root_scratch(Matrices a);
void matrix_square_root(const View& in, const View& out, void* scratch);
void matrix_logarithm(const View& in, const View& out, void* scratch);

}  // namespace penstock::kernels
