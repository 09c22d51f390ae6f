#include "kernels/fft.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "kernels/fft_stages.h"
#include "kernels/matrices.h"

namespace penstock::kernels {
namespace {

struct Radices {
  int count = 0;
  int radix[64];
  bool is_complete = false;  // nothing larger than kMaxRadix was left over
};

Radices factor(int64_t n) {
  Radices found;
  for (int radix : {4, 2, 3, 5}) {
    for (; n % radix == 0 && n > 1; n /= radix) found.radix[found.count++] = radix;
  }
  for (int radix = 7; radix <= kMaxRadix; radix += 2) {
    for (; n % radix == 0 && n > 1; n /= radix) found.radix[found.count++] = radix;
  }
  found.is_complete = n <= 1;
  return found;
}

// The least number of at least n that is a product of 2, 3 and 5.
int64_t smooth_length(int64_t n) {
  int64_t best = 1;
  while (best < n) best *= 2;
  for (int64_t five = 1; five < best; five *= 5) {
    for (int64_t three = five; three < best; three *= 3) {
      int64_t length = three;
      while (length < n) length *= 2;
      best = std::min(best, length);
    }
  }
  return best;
}

// The plan of one axis: complex transforms of `length`, in stages of `stages_length`.
struct Plan {
  explicit Plan(const FftAxis& axis) {
    const bool is_real = axis.kind != FftKind::kComplex;
    // A real line of even length is half as many complex numbers.
    is_packed = is_real && axis.n % 2 == 0;
    length = is_packed ? axis.n / 2 : axis.n;
    stages_length = length;
    radices = factor(length);
    is_smooth = radices.is_complete;
    if (!is_smooth) {
      stages_length = smooth_length(2 * length);
      radices = factor(stages_length);
    }
    num_lines = axis.outer * axis.inner;
    // Short lines are processed side by side to fill the vectors from the first stage on. Long ones
    // fill them alone, and would have to be gathered from far apart.
    constexpr int64_t kLongLine = 256;
    lines = std::min<int64_t>(16, stages_length < kLongLine ? num_lines : axis.inner);
    lines = std::max<int64_t>(1, lines);
    num_tiles = axis.inner > 1 ? axis.outer * ((axis.inner + lines - 1) / lines)
                               : (axis.outer + lines - 1) / lines;
    work_each = 5.0 * static_cast<double>(stages_length * lines) * (is_smooth ? radices.count : 24);
  }

  Radices radices;
  bool is_packed, is_smooth;
  int64_t length, stages_length, num_lines, lines, num_tiles;
  double work_each;
};

// Tables that all tiles share.
template <typename T>
struct Tables {
  Tables(Carver& carver, const FftAxis& axis, const Plan& plan) {
    roots = take(carver, plan.stages_length);
    full_roots = take(carver, plan.is_packed ? axis.n / 2 + 1 : 0);
    chirp = take(carver, plan.is_smooth ? 0 : plan.length);
    spectrum = take(carver, plan.is_smooth ? 0 : plan.stages_length);
  }
  static Split<T> take(Carver& carver, int64_t n) { return {carver.take<T>(n), carver.take<T>(n)}; }

  Split<T> roots;       // of the stages
  Split<T> full_roots;  // exp(-2πi k / n) for a packed real line
  Split<T> chirp;       // exp(-πi k² / length), Bluestein's
  Split<T> spectrum;    // the transform of its conjugate
};

// The buffers of one tile: its lines before and after a stage.
template <typename T>
struct Tile {
  Tile(Carver& carver, const Plan& plan)
      : x(Tables<T>::take(carver, plan.stages_length * plan.lines)),
        y(Tables<T>::take(carver, plan.stages_length * plan.lines)) {}
  mutable Split<T> x, y;
};

// exp(-2πi k / n) in double precision, from the octant of the circle where it is most exact.
std::pair<double, double> root_of_unity(int64_t k, int64_t n) {
  const auto angle = [&](int64_t a) {
    return 2 * M_PI * static_cast<double>(a) / static_cast<double>(n);
  };
  if (8 * k < n) return {std::cos(angle(k)), -std::sin(angle(k))};
  const auto quarter = [&](int64_t a) {  // (4a) / (4n) of the circle away from a quarter
    return M_PI * static_cast<double>(a) / (2 * static_cast<double>(n));
  };
  if (8 * k < 3 * n) return {std::sin(quarter(n - 4 * k)), -std::cos(quarter(n - 4 * k))};
  if (8 * k < 5 * n) return {-std::cos(quarter(2 * n - 4 * k)), -std::sin(quarter(2 * n - 4 * k))};
  if (8 * k < 7 * n) return {-std::sin(quarter(3 * n - 4 * k)), std::cos(quarter(3 * n - 4 * k))};
  return {std::cos(angle(n - k)), std::sin(angle(n - k))};
}

// The roots of unity 0 … count - 1 of n, as products of a few exactly computed ones: of kStep
// neighbours, with every kStep-th one.
template <typename T>
void fill_roots(Split<T> roots, int64_t count, int64_t n) {
  constexpr int64_t kStep = 64;
  double re[kStep], im[kStep];
  for (int64_t k = 0; k < std::min(kStep, count); ++k)
    std::tie(re[k], im[k]) = root_of_unity(k % n, n);
  for (int64_t base = 0; base < count; base += kStep) {
    const auto [base_re, base_im] = root_of_unity(base % n, n);
    const int64_t end = std::min(kStep, count - base);
    for (int64_t k = 0; k < end; ++k) {
      roots.re[base + k] = static_cast<T>(base_re * re[k] - base_im * im[k]);
      roots.im[base + k] = static_cast<T>(base_re * im[k] + base_im * re[k]);
    }
  }
}

// Transforms `lines` lines in tile.x; the result is in tile.x again.
template <typename T>
void run_stages(const Plan& plan, const Tables<T>& tables, const Tile<T>& tile, int64_t lines) {
  FftStage<T> stage{0, plan.stages_length, 1, lines, {tables.roots.re, tables.roots.im}};
  for (int i = 0; i < plan.radices.count; ++i) {
    stage.radix = plan.radices.radix[i];
    run_fft_stage(stage, tile.x, tile.y);
    std::swap(tile.x, tile.y);
    stage.span *= stage.radix;
  }
}

// x[i] *= factor[i] for all lines; with `swap_parts`, real and imaginary parts are swapped.
template <typename T>
void multiply_lines(Split<T> x, Split<const T> factor, int64_t n, int64_t lines, bool swap_parts) {
  if (swap_parts) std::swap(x.re, x.im);
  for (int64_t i = 0; i < n; ++i) {
    const T re = factor.re[i], im = factor.im[i];
    for (int64_t l = i * lines; l < (i + 1) * lines; ++l) {
      const T a = x.re[l], b = x.im[l];
      x.re[l] = a * re - b * im;
      x.im[l] = a * im + b * re;
    }
  }
}

// Bluestein: with a chirp c, c · (the convolution of c x with the conjugate of c).
template <typename T>
void run_bluestein(const Plan& plan, const Tables<T>& tables, const Tile<T>& tile, int64_t lines) {
  const int64_t n = plan.length, m = plan.stages_length;
  const Split<const T> chirp{tables.chirp.re, tables.chirp.im};
  multiply_lines(tile.x, chirp, n, lines, false);
  std::fill(tile.x.re + n * lines, tile.x.re + m * lines, T(0));
  std::fill(tile.x.im + n * lines, tile.x.im + m * lines, T(0));
  run_stages(plan, tables, tile, lines);
  multiply_lines(tile.x, {tables.spectrum.re, tables.spectrum.im}, m, lines, false);
  // The inverse is the transform of numbers with their parts swapped.
  std::swap(tile.x.re, tile.x.im);
  run_stages(plan, tables, tile, lines);
  std::swap(tile.x.re, tile.x.im);
  multiply_lines(tile.x, chirp, n, lines, false);
}

template <typename T>
void fill_tables(const FftAxis& axis, const Plan& plan, const Tables<T>& tables,
                 const Tile<T>& tile) {
  const int64_t n = plan.length, m = plan.stages_length;
  fill_roots(tables.roots, m, m);
  if (plan.is_packed) fill_roots(tables.full_roots, axis.n / 2 + 1, axis.n);
  if (plan.is_smooth) return;
  int64_t square = 0;  // k² modulo 2n
  fill_roots(tile.y, 2 * n, 2 * n);
  std::fill_n(tile.x.re, m, T(0));
  std::fill_n(tile.x.im, m, T(0));
  for (int64_t k = 0; k < n; ++k) {
    const T re = tile.y.re[square], im = tile.y.im[square];
    tables.chirp.re[k] = re;
    tables.chirp.im[k] = im;
    const T share = static_cast<T>(1.0 / static_cast<double>(m));  // of the inverse transform
    const int64_t mirrored = k == 0 ? 0 : m - k;
    tile.x.re[k] = tile.x.re[mirrored] = re * share;
    tile.x.im[k] = tile.x.im[mirrored] = -im * share;
    square = (square + 2 * k + 1) % (2 * n);
  }
  run_stages(plan, tables, tile, 1);
  std::copy_n(tile.x.re, m, tables.spectrum.re);
  std::copy_n(tile.x.im, m, tables.spectrum.im);
}

// The positions of a tile's lines: line l starts at `first + l * apart`, its elements `step` apart.
struct Place {
  int64_t first, apart, step;
};
Place place(const FftAxis& axis, const Plan& plan, int64_t tile, int64_t length, int64_t* lines) {
  if (axis.inner == 1) {
    const int64_t line = tile * plan.lines;
    *lines = std::min(plan.lines, axis.outer - line);
    return {line * length, length, 1};
  }
  const int64_t tiles = (axis.inner + plan.lines - 1) / plan.lines;
  const int64_t column = tile % tiles * plan.lines;
  *lines = std::min(plan.lines, axis.inner - column);
  return {tile / tiles * length * axis.inner + column, 1, axis.inner};
}

// Loads `count` elements of each line into rows of x, zeros beyond `available`.
// read(position, re, im) gives one element.
template <typename T, typename Read>
void load(const Place& p, int64_t lines, int64_t count, int64_t available, Split<T> x,
          const Read& read) {
  for (int64_t i = 0; i < std::min(count, available); ++i) {
    for (int64_t l = 0; l < lines; ++l) {
      const int64_t at = p.first + l * p.apart + i * p.step;
      read(at, &x.re[i * lines + l], &x.im[i * lines + l]);
    }
  }
  for (int64_t i = std::max<int64_t>(0, std::min(count, available)) * lines; i < count * lines; ++i)
    x.re[i] = x.im[i] = T(0);
}

template <typename T>
class Transform {
 public:
  Transform(const FftAxis& axis, const Plan& plan, const Tables<T>& tables, const Tile<T>& tile)
      : axis_(axis), plan_(plan), tables_(tables), tile_(tile) {}

  void run(int64_t index, const void* in, void* out) {
    const Place from = place(axis_, plan_, index, axis_.in_length, &lines_);
    const Place to = place(axis_, plan_, index, axis_.out_length, &lines_);
    switch (axis_.kind) {
      case FftKind::kComplex:
        return complex_lines(from, static_cast<const std::complex<T>*>(in), to,
                             static_cast<std::complex<T>*>(out));
      case FftKind::kRealToHalf:
        return real_to_half(from, static_cast<const T*>(in), to,
                            static_cast<std::complex<T>*>(out));
      case FftKind::kHalfToReal:
        return half_to_real(from, static_cast<const std::complex<T>*>(in), to,
                            static_cast<T*>(out));
    }
  }

 private:
  using C = std::complex<T>;

  void transform() {
    if (plan_.is_smooth) return run_stages(plan_, tables_, tile_, lines_);
    run_bluestein(plan_, tables_, tile_, lines_);
  }
  // Element i of line l after the transform.
  C at(int64_t i, int64_t l) const {
    return {tile_.x.re[i * lines_ + l], tile_.x.im[i * lines_ + l]};
  }

  void complex_lines(const Place& from, const C* in, const Place& to, C* out) {
    load(from, lines_, axis_.n, axis_.in_length, tile_.x, [in](int64_t k, T* re, T* im) {
      *re = in[k].real();
      *im = in[k].imag();
    });
    if (axis_.inverse) std::swap(tile_.x.re, tile_.x.im);
    transform();
    if (axis_.inverse) std::swap(tile_.x.re, tile_.x.im);
    const T scale = axis_.inverse ? static_cast<T>(1.0 / static_cast<double>(axis_.n)) : T(1);
    for (int64_t i = 0; i < axis_.out_length; ++i) {
      for (int64_t l = 0; l < lines_; ++l)
        out[to.first + l * to.apart + i * to.step] = at(i, l) * scale;
    }
  }

  // A packed line z has even elements as real parts and odd ones as imaginary parts. With Z its
  // transform, E = (Z[k] + conj Z[h-k]) / 2 and O = (Z[k] - conj Z[h-k]) / 2i are those of either.
  void real_to_half(const Place& from, const T* in, const Place& to, C* out) {
    const int64_t half = plan_.length, available = axis_.in_length;
    if (!plan_.is_packed) {
      load(from, lines_, axis_.n, available, tile_.x, [in](int64_t k, T* re, T* im) {
        *re = in[k];
        *im = T(0);
      });
      transform();
      return store_half(to, out, [this](int64_t i, int64_t l) { return at(i, l); });
    }
    for (int64_t i = 0; i < half; ++i) {
      for (int64_t l = 0; l < lines_; ++l) {
        const int64_t k = from.first + l * from.apart + 2 * i * from.step;
        tile_.x.re[i * lines_ + l] = 2 * i < available ? in[k] : T(0);
        tile_.x.im[i * lines_ + l] = 2 * i + 1 < available ? in[k + from.step] : T(0);
      }
    }
    transform();
    store_half(to, out, [this, half](int64_t i, int64_t l) {
      const C z = at(i == half ? 0 : i, l), mirror = std::conj(at(i == 0 ? 0 : half - i, l));
      const C even = (z + mirror) * T(0.5), odd = (z - mirror) * T(0.5);
      const T re = tables_.full_roots.re[i], im = tables_.full_roots.im[i];
      // -i · root · odd
      return C(even.real() + re * odd.imag() + im * odd.real(),
               even.imag() - re * odd.real() + im * odd.imag());
    });
  }

  template <typename Value>
  void store_half(const Place& to, C* out, const Value& value) {
    for (int64_t i = 0; i < axis_.out_length; ++i) {
      for (int64_t l = 0; l < lines_; ++l) out[to.first + l * to.apart + i * to.step] = value(i, l);
    }
  }

  void half_to_real(const Place& from, const C* in, const Place& to, T* out) {
    const int64_t n = axis_.n, available = axis_.in_length;
    const T scale = static_cast<T>(1.0 / static_cast<double>(n));
    const auto element = [&](int64_t i, int64_t l) {
      return i < available ? in[from.first + l * from.apart + i * from.step] : C(0);
    };
    const auto put = [&](int64_t i, int64_t l, C value) {
      tile_.x.re[i * lines_ + l] = value.imag();  // swapped: an inverse transform
      tile_.x.im[i * lines_ + l] = value.real();
    };
    for (int64_t l = 0; l < lines_; ++l) {
      if (plan_.is_packed) {
        unpack(element, put, l);
        continue;
      }
      put(0, l, C(element(0, l).real()));
      for (int64_t i = 1; i <= n / 2; ++i) {
        put(i, l, element(i, l));
        put(n - i, l, std::conj(element(i, l)));
      }
    }
    transform();
    for (int64_t i = 0; i < axis_.out_length; ++i) {
      for (int64_t l = 0; l < lines_; ++l) {
        const int64_t at = (plan_.is_packed ? i / 2 : i) * lines_ + l;
        const bool is_odd = plan_.is_packed && i % 2 == 1;
        out[to.first + l * to.apart + i * to.step] =
            (is_odd ? tile_.x.re[at] : tile_.x.im[at]) * scale;
      }
    }
  }

  // Z[k] = E + i O, with E = X[k] + conj X[h-k] and O = (X[k] - conj X[h-k]) / root.
  template <typename Element, typename Put>
  void unpack(const Element& element, const Put& put, int64_t l) {
    const int64_t half = plan_.length;
    for (int64_t i = 0; i < half; ++i) {
      C x = element(i, l), mirror = std::conj(element(half - i, l));
      if (i == 0) x = C(x.real()), mirror = C(mirror.real());
      const C even = x + mirror, odd = x - mirror;
      const T re = tables_.full_roots.re[i], im = -tables_.full_roots.im[i];
      put(i, l,
          C(even.real() - (odd.real() * im + odd.imag() * re),
            even.imag() + (odd.real() * re - odd.imag() * im)));
    }
  }

  const FftAxis& axis_;
  const Plan& plan_;
  const Tables<T>& tables_;
  const Tile<T>& tile_;
  int64_t lines_ = 0;
};

template <typename T>
int64_t scratch_of(const FftAxis& axis) {
  const Plan plan(axis);
  Carver shared;
  static_cast<void>(Tables<T>(shared, axis, plan));
  const int64_t tiles = batch_scratch<Tile<T>>(plan.num_tiles, plan.work_each, plan);
  int64_t bytes = 0;
  return __builtin_add_overflow(shared.used(), tiles, &bytes) ? INT64_MAX : bytes;
}

template <typename T>
void run(const FftAxis& axis, const void* in, void* out, void* scratch) {
  const Plan plan(axis);
  Carver shared(scratch);
  const Tables<T> tables(shared, axis, plan);
  char* rest = static_cast<char*>(scratch) + shared.used();
  Carver first(rest);
  fill_tables(axis, plan, tables, Tile<T>(first, plan));
  const auto body = [&](const Tile<T>& tile, int64_t i) {
    Transform<T>(axis, plan, tables, tile).run(i, in, out);
  };
  for_matrices<Tile<T>>(plan.num_tiles, plan.work_each, rest, body, plan);
}

}  // namespace

int64_t fft_scratch(DType dtype, const FftAxis& axis) {
  return dtype == DType::kFloat32 ? scratch_of<float>(axis) : scratch_of<double>(axis);
}

void fft(DType dtype, const FftAxis& axis, const void* in, void* out, void* scratch) {
  if (dtype == DType::kFloat32) return run<float>(axis, in, out, scratch);
  run<double>(axis, in, out, scratch);
}

}  // namespace penstock::kernels
