// Functions of rows, the last axis of an array: softmax, cross entropy, layer normalisation.
//
// Half types are widened row by row into scratch, separately for each thread; `row_scratch` gives
// its size. A dtype below is float16, bfloat16, float32 or float64; a Stat (a mean, a reciprocal
// deviation) is float32 for half types.
#pragma once

#include <cstdint>

#include <penstock/core/view.h>

namespace penstock::kernels {

struct Rows {
  int64_t count, n;
};
// The rows of a shape. Pre: its rank is at least 1.
Rows rows_of(const Shape& shape);

// Floats of scratch for a function that widens `arrays` rows at a time; 0 for float32 and float64.
int64_t row_scratch(DType dtype, Rows rows, int arrays);
inline constexpr int kSoftmaxArrays = 1;
inline constexpr int kCrossEntropyArrays = 2;
inline constexpr int kSparseCrossEntropyArrays = 1;
inline constexpr int kLayerNormArrays = 3;
int64_t layer_norm_grad_scratch(DType dtype, Rows rows);  // in bytes

// `out` may be `x`.
void softmax(const View& x, bool as_log, const View& out, void* scratch);

// `backprop` may be `features`.
void cross_entropy(const View& features, const View& labels, const View& loss, const View& backprop,
                   void* scratch);
// Pre: the labels (int32 or int64) are in range.
void sparse_cross_entropy(const View& features, const View& labels, const View& loss,
                          const View& backprop, void* scratch);
// The position of the first label that is not in [0, classes); -1 if there is none.
int64_t first_bad_label(const View& labels, int64_t classes);
int64_t label_at(const View& labels, int64_t i);

// `y` may be `x`. mean and rstd (1 / sqrt(variance + epsilon)) hold a Stat for each row.
void layer_norm(const View& x, const View& gamma, const View& beta, double epsilon, const View& y,
                const View& mean, const View& rstd, void* scratch);
// `dx` may be `dy`.
void layer_norm_grad(const View& dy, const View& x, const View& gamma, const View& mean,
                     const View& rstd, const View& dx, const View& dgamma, const View& dbeta,
                     void* scratch);

// Half the sum of the squares of all elements.
void l2_loss(const View& x, const View& out);

}  // namespace penstock::kernels
