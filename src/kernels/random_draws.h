// Random numbers from distributions with parameters. Every draw has its own part of the stream, so
// it does not depend on how many words earlier draws took.
#pragma once

#include <cstdint>

#include <penstock/core/view.h>

#include "kernels/philox.h"

namespace penstock::kernels {

// `samples` draws for each element of `alpha`, one after the other: out is [samples, alphas], of a
// real dtype. Gamma: the shape parameter (the scale is 1). Poisson: the rate.
void draw_gamma(const PhiloxStream& stream, const View& alpha, int64_t samples,
                const View& out) noexcept;
void draw_poisson(const PhiloxStream& stream, const View& rate, int64_t samples,
                  const View& out) noexcept;
// counts and probs are broadcast to `batch`; out is [samples, batch].
void draw_binomial(const PhiloxStream& stream, const View& counts, const View& probs,
                   const Shape& batch, int64_t samples, const View& out) noexcept;
// Classes drawn by unnormalised log-probabilities: logits is [rows, classes], out [rows, samples]
// of int32 or int64. `sums` has room for `classes` numbers.
void draw_categorical(const PhiloxStream& stream, const View& logits, const View& out,
                      double* sums) noexcept;
// A random permutation of `count` items.
void draw_permutation(const PhiloxStream& stream, int64_t* order, int64_t count) noexcept;

}  // namespace penstock::kernels
