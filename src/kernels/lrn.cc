#include "kernels/lrn.h"

#include <algorithm>
#include <cmath>

#include <penstock/base/threads.h>

#include "kernels/widen.h"

namespace penstock::kernels {
namespace {

template <typename T>
double number(const T* x, int64_t i) {
  return static_cast<double>(static_cast<Plain<T>>(x[i]));
}

// bias + alpha * (the sum of squares around `at`), as `at` moves along a row.
template <typename T>
class Norms {
 public:
  Norms(const Lrn& shape, const T* x) : shape_(shape), x_(x) {
    for (int64_t k = 0; k < std::min(shape.radius, shape.depth); ++k) sum_ += square(k);
  }
  // The norm at the next position, from 0 on.
  double next() {
    const int64_t enters = at_ + shape_.radius, leaves = at_ - shape_.radius - 1;
    if (enters < shape_.depth) sum_ += square(enters);
    if (leaves >= 0) sum_ -= square(leaves);
    ++at_;
    return shape_.bias + shape_.alpha * sum_;
  }

 private:
  double square(int64_t i) const { return number(x_, i) * number(x_, i); }
  const Lrn& shape_;
  const T* x_;
  double sum_ = 0;
  int64_t at_ = 0;
};

double power(double norm, double beta) {
  if (beta == 0.5) return std::sqrt(norm);
  if (beta == 1) return norm;
  return std::pow(norm, beta);
}

template <typename T>
void row(const Lrn& shape, const T* x, T* y) {
  Norms<T> norms(shape, x);
  for (int64_t i = 0; i < shape.depth; ++i) {
    y[i] = narrow<T>(number(x, i) / power(norms.next(), shape.beta));
  }
}

// dx = dy / norm^beta - 2 alpha beta x * sum around x of dy * y / norm. Terms entering and leaving
// that sum have their own norms.
template <typename T>
void grad_row(const Lrn& shape, const T* dy, const T* x, const T* y, T* dx) {
  Norms<T> entering(shape, x), here(shape, x), leaving(shape, x);
  const auto share = [&](Norms<T>& norms, int64_t i) {
    return number(dy, i) * number(y, i) / norms.next();
  };
  double sum = 0;
  for (int64_t k = 0; k < std::min(shape.radius, shape.depth); ++k) sum += share(entering, k);
  for (int64_t i = 0; i < shape.depth; ++i) {
    if (i + shape.radius < shape.depth) sum += share(entering, i + shape.radius);
    if (i - shape.radius - 1 >= 0) sum -= share(leaving, i - shape.radius - 1);
    const double direct = number(dy, i) / power(here.next(), shape.beta);
    dx[i] = narrow<T>(direct - 2 * shape.alpha * shape.beta * number(x, i) * sum);
  }
}

template <typename Body>
void for_rows(const Lrn& shape, Body body) {
  const int64_t grain = std::max<int64_t>(1, (1 << 12) / std::max<int64_t>(1, shape.depth));
  parallel_for(shape.rows, grain, [&](int64_t i, int64_t last) {
    for (; i < last; ++i) body(i * shape.depth);
  });
}

}  // namespace

void lrn(const Lrn& shape, const void* x, void* y) {
  with_float_type(shape.dtype, [&]<typename T>(T*) {
    for_rows(shape, [&](int64_t at) {
      row(shape, static_cast<const T*>(x) + at, static_cast<T*>(y) + at);
    });
  });
}

void lrn_grad(const Lrn& shape, const void* dy, const void* x, const void* y, void* dx) {
  with_float_type(shape.dtype, [&]<typename T>(T*) {
    for_rows(shape, [&](int64_t at) {
      grad_row(shape, static_cast<const T*>(dy) + at, static_cast<const T*>(x) + at,
               static_cast<const T*>(y) + at, static_cast<T*>(dx) + at);
    });
  });
}

}  // namespace penstock::kernels
