// The Fourier transforms over the last one, two or three axes: of complex numbers (FFT, IFFT, …),
// of real numbers to half of their spectrum (RFFT, …) and back (IRFFT, …).
#include "kernels/fft.h"

#include <algorithm>

#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/move.h"

namespace penstock {
namespace {

using kernels::FftAxis;
using kernels::FftKind;

constexpr DTypeSet kRealInputs = DTypeSet(DType::kFloat32) | DType::kFloat64;
constexpr int64_t kMaxLength = int64_t{1} << 40;

DType real_of(DType dtype) {
  return dtype == DType::kComplex64 || dtype == DType::kFloat32 ? DType::kFloat32 : DType::kFloat64;
}
DType complex_of(DType real) {
  return real == DType::kFloat32 ? DType::kComplex64 : DType::kComplex128;
}

int64_t half(int64_t n) { return n == 0 ? 0 : n / 2 + 1; }

void check_rank(const InferContext& ctx, int rank) {
  if (ctx.shape(0).rank() < rank)
    ctx.fail("Input must have rank of at least ", rank, " but got: ", ctx.shape(0));
}

// The complex transform along axis `axis` of an array.
FftAxis along(const Shape& shape, int axis, bool inverse) {
  const kernels::AxisParts parts = kernels::parts_at(shape, axis);
  return {FftKind::kComplex, inverse, parts.outer, parts.size, parts.inner, parts.size, parts.size};
}

// Scratch for complex transforms along the axes [first, end) of an array.
int64_t axes_scratch(DType real, const Shape& shape, int first, int end) {
  int64_t most = 0;
  for (int axis = first; axis < end; ++axis)
    most = std::max(most, kernels::fft_scratch(real, along(shape, axis, false)));
  return most;
}

void run_axes(DType real, const Shape& shape, int first, int end, bool inverse, const void* in,
              void* out, void* scratch) {
  for (int axis = end - 1; axis >= first; --axis) {
    kernels::fft(real, along(shape, axis, inverse), in, out, scratch);
    in = out;
  }
}

// Complex numbers

template <int kRank>
void infer_complex(InferContext& ctx) {
  const Shape& shape = ctx.shape(0);
  ctx.add_output(ctx.dtype(0), shape);
  if (!shape.is_known()) return;
  check_rank(ctx, kRank);
  if (shape.num_elements() == 0) return;
  ctx.set_scratch(axes_scratch(real_of(ctx.dtype(0)), shape, shape.rank() - kRank, shape.rank()));
}

template <int kRank, bool kInverse>
KernelResult cpu_complex(const KernelContext& ctx) {
  const View &in = ctx.inputs[0], &out = ctx.outputs[0];
  if (out.size() == 0) return KernelResult::ok();
  const int rank = in.shape.rank();
  run_axes(real_of(in.dtype), in.shape, rank - kRank, rank, kInverse, in.data, out.data,
           ctx.scratch);
  return KernelResult::ok();
}

// The numbers of elements that are transformed together.
double transformed(const Shape& shape, int rank) {
  double count = 1;
  for (int i = shape.rank() - rank; i < shape.rank(); ++i) count *= static_cast<double>(shape[i]);
  return count;
}

using Function = Tensor (*)(const Operand&);
template <int kRank, Function kOther, bool kInverse>
Gradients grad_complex(const GradContext& g) {
  const Tensor dy = g.dy();
  const double count = transformed(dy.shape(), kRank);
  if (count == 0) return {dy};
  return {kOther(dy) * (kInverse ? 1 / count : count)};
}

// Real numbers

// The lengths in host input 1; empty when they are not known yet.
IntVector lengths(const InferContext& ctx, int rank) {
  bool known = false;
  const IntVector found = ctx.ints(1, &known);
  if (!known) return {};
  if (static_cast<int>(found.size()) != rank)
    ctx.fail("fft_length must have ", rank, " elements, but its shape is ", ctx.shape(1));
  for (int64_t n : found) {
    if (n < 0) ctx.fail("fft_length must be >= 0, but got: ", n);
    if (n > kMaxLength) ctx.fail_size("a transform of length ", n);
  }
  return found;
}

IntVector lengths(const View& view) {
  IntVector found;
  for (int64_t i = 0; i < view.size(); ++i)
    found.push_back(view.dtype == DType::kInt32 ? view.as<int32_t>()[i] : view.as<int64_t>()[i]);
  return found;
}

// `shape` with the last axes replaced.
Shape with_last(const Shape& shape, std::span<const int64_t> last, int64_t innermost) {
  Shape out = shape;
  const int first = shape.rank() - static_cast<int>(last.size());
  for (size_t i = 0; i < last.size(); ++i) out.set(first + static_cast<int>(i), last[i]);
  out.set(out.rank() - 1, innermost);
  return out;
}

// Rows to half spectra, and back.
FftAxis rows(FftKind kind, int64_t count, int64_t n, int64_t in_length) {
  const bool forward = kind == FftKind::kRealToHalf;
  return {kind, !forward, count, n, 1, in_length, forward ? half(n) : n};
}

int64_t row_count(const Shape& shape) { return kernels::product(shape, 0, shape.rank() - 1); }

template <int kRank>
void infer_real(InferContext& ctx) {
  const DType real = ctx.dtype(0), complex = complex_of(real);
  const Shape& shape = ctx.shape(0);
  const IntVector n = lengths(ctx, kRank);
  if (!shape.is_known() || n.empty()) return ctx.add_output(complex, Shape::unknown_rank());
  check_rank(ctx, kRank);
  const Shape out = with_last(shape, n, half(n[kRank - 1]));
  ctx.add_output(complex, out);
  if (out.num_elements() == 0) return;
  const FftAxis last = rows(FftKind::kRealToHalf, row_count(out), n[kRank - 1], 0);
  const int rank = out.rank();
  ctx.set_scratch(
      std::max(kernels::fft_scratch(real, last), axes_scratch(real, out, rank - kRank, rank - 1)));
}

// Transforms the rows of `in` that fit into `out`; the other rows of `out` become zero. Arrays have
// the same shape except for their last `rank` axes.
void rows_to_half(const View& in, const View& out, int rank, int64_t n, void* scratch) {
  const Shape &from = in.shape, &to = out.shape;
  const int first = from.rank() - rank, last = from.rank() - 1;
  const auto run = [&](int64_t from_row, int64_t to_row, int64_t count) {
    const auto size = static_cast<int64_t>(dtype_size(in.dtype));
    const FftAxis axis = rows(FftKind::kRealToHalf, count, n, from[last]);
    kernels::fft(in.dtype, axis, in.as<char>() + from_row * from[last] * size,
                 out.as<char>() + to_row * to[last] * 2 * size, scratch);
  };
  bool same = true;
  for (int i = first; i < last; ++i) same = same && from[i] == to[i];
  if (same) return run(0, 0, row_count(to));
  // Block by block: the innermost axis of rows lies in one piece.
  std::fill_n(out.as<char>(), out.size() * static_cast<int64_t>(dtype_size(out.dtype)), '\0');
  const int64_t from_rows = from[last - 1], to_rows = to[last - 1];
  const int64_t from_planes = rank == 3 ? from[last - 2] : 1,
                to_planes = rank == 3 ? to[last - 2] : 1;
  const int64_t count = std::min(from_rows, to_rows);
  if (count == 0) return;
  for (int64_t b = 0; b < kernels::product(to, 0, first); ++b) {
    for (int64_t plane = 0; plane < std::min(from_planes, to_planes); ++plane) {
      run((b * from_planes + plane) * from_rows, (b * to_planes + plane) * to_rows, count);
    }
  }
}

template <int kRank>
KernelResult cpu_real(const KernelContext& ctx) {
  const View &in = ctx.inputs[0], &out = ctx.outputs[0];
  if (out.size() == 0) return KernelResult::ok();
  const IntVector n = lengths(ctx.inputs[1]);
  const int rank = out.shape.rank();
  rows_to_half(in, out, kRank, n[kRank - 1], ctx.scratch);
  run_axes(in.dtype, out.shape, rank - kRank, rank - 1, false, out.data, out.data, ctx.scratch);
  return KernelResult::ok();
}

// The half spectra that an inverse transform works on, in scratch; rounded up for what follows.
int64_t spectrum_bytes(const Shape& spectrum, DType complex) {
  return (spectrum.num_bytes(dtype_size(complex)) + 63) / 64 * 64;
}

template <int kRank>
void infer_half(InferContext& ctx) {
  const DType complex = ctx.dtype(0), real = real_of(complex);
  const Shape& shape = ctx.shape(0);
  const IntVector n = lengths(ctx, kRank);
  if (!shape.is_known() || n.empty()) return ctx.add_output(real, Shape::unknown_rank());
  check_rank(ctx, kRank);
  const Shape out = with_last(shape, n, n[kRank - 1]);
  ctx.add_output(real, out);
  if (out.num_elements() == 0) return;
  const Shape spectrum = with_last(shape, n, half(n[kRank - 1]));
  const FftAxis last = rows(FftKind::kHalfToReal, row_count(out), n[kRank - 1], 0);
  const int rank = out.rank();
  const int64_t work = std::max(kernels::fft_scratch(real, last),
                                axes_scratch(real, spectrum, rank - kRank, rank - 1));
  int64_t bytes = kRank > 1 ? spectrum_bytes(spectrum, complex) : 0;
  if (__builtin_add_overflow(bytes, work, &bytes)) ctx.fail_size("the size of its scratch memory");
  ctx.set_scratch(bytes);
}

// Copies the common part, and leaves zeros elsewhere.
void copy_common(const View& in, const View& out) {
  const auto size = dtype_size(in.dtype);
  std::fill_n(out.as<char>(), out.size() * static_cast<int64_t>(size), '\0');
  const auto from = row_major_strides(in.shape), to = row_major_strides(out.shape);
  kernels::Move box;
  for (int i = 0; i < in.shape.rank(); ++i) {
    box.add(std::min(in.shape[i], out.shape[i]), from[static_cast<size_t>(i)],
            to[static_cast<size_t>(i)]);
  }
  if (in.size() > 0) kernels::move(box, in.data, out.data, size);
}

template <int kRank>
KernelResult cpu_half(const KernelContext& ctx) {
  const View &in = ctx.inputs[0], &out = ctx.outputs[0];
  if (out.size() == 0) return KernelResult::ok();
  const IntVector n = lengths(ctx.inputs[1]);
  const int rank = out.shape.rank();
  const int64_t length = n[kRank - 1];
  if (kRank == 1) {
    const FftAxis axis =
        rows(FftKind::kHalfToReal, row_count(out.shape), length, in.shape[rank - 1]);
    kernels::fft(out.dtype, axis, in.data, out.data, ctx.scratch);
    return KernelResult::ok();
  }
  const View spectrum{ctx.scratch, in.dtype, with_last(in.shape, n, half(length))};
  void* work = static_cast<char*>(ctx.scratch) + spectrum_bytes(spectrum.shape, in.dtype);
  const void* from = in.data;
  if (!(in.shape == spectrum.shape)) {
    copy_common(in, spectrum);
    from = spectrum.data;
  }
  run_axes(out.dtype, spectrum.shape, rank - kRank, rank - 1, true, from, spectrum.data, work);
  const FftAxis axis = rows(FftKind::kHalfToReal, row_count(out.shape), length, half(length));
  kernels::fft(out.dtype, axis, spectrum.data, out.data, work);
  return KernelResult::ok();
}

// x truncated and zero-padded to `shape`.
Tensor fitted(const Tensor& x, const Shape& shape) {
  IntVector begin, size, paddings;
  for (int i = 0; i < shape.rank(); ++i) {
    begin.push_back(0);
    size.push_back(std::min(shape[i], x.dim(i)));
    paddings.push_back(0);
    paddings.push_back(shape[i] - size.back());
  }
  const Tensor cut = slice(x, int_tensor(begin), int_tensor(size));
  const Tensor pairs = reshape(int_tensor(paddings), shape_tensor(Shape{shape.rank(), 2}));
  return pad(cut, pairs, scalar_like(x, 0));
}

// A factor for each element of a half spectrum: `middle`, but 1 for those without a mirror image
// (the first, and the last of an even length).
Tensor shares(int64_t n, double middle, DType dtype) {
  const auto count = static_cast<size_t>(half(n));
  std::vector<double> factors(count, middle);
  factors[0] = 1;
  if (n % 2 == 0) factors[count - 1] = 1;
  return cast(Tensor::from<double>(factors, Shape{half(n)}), dtype);
}

using RealFunction = Tensor (*)(const Operand&, const Operand&);
// The product of the lengths.
double total_length(const Tensor& lengths) {
  double total = 1;
  for (int64_t i = 0; i < lengths.num_elements(); ++i) total *= lengths.number_at(i);
  return total;
}
int64_t last_length(const Tensor& lengths) {
  return static_cast<int64_t>(lengths.number_at(lengths.num_elements() - 1));
}

template <RealFunction kOther>
Gradients grad_real(const GradContext& g) {
  const Tensor &x = g.input(0), &n = g.input(1);
  const double total = total_length(n);
  const Tensor dy = g.dy();
  if (dy.num_elements() == 0) return {zeros_like(x), {}};
  const Tensor dx = kOther(dy * shares(last_length(n), 0.5, dy.dtype()), n) * total;
  return {fitted(dx, x.shape()), {}};
}

template <RealFunction kOther>
Gradients grad_half(const GradContext& g) {
  const Tensor &x = g.input(0), &n = g.input(1);
  const double total = total_length(n);
  const Tensor dy = g.dy();
  if (dy.num_elements() == 0) return {zeros_like(x), {}};
  const Tensor spectrum = kOther(dy, n);
  const Tensor dx = spectrum * shares(last_length(n), 2, spectrum.dtype()) * (1 / total);
  return {fitted(dx, x.shape()), {}};
}

// Shapes whose last `rank` axes are transformed: smooth lengths, a prime, a large prime.
std::vector<Sample> complex_samples(int rank) {
  using enum DType;
  std::vector<Sample> samples;
  const auto add = [&](DType dtype, std::initializer_list<int64_t> last, bool batch) {
    Shape shape = batch ? Shape{3} : Shape{};
    for (int64_t size : std::span(last.begin(), static_cast<size_t>(rank))) shape.append(size);
    samples.push_back({{of(dtype, shape)}});
    samples.back().check_grad = shape.num_elements() < 80;
  };
  add(kComplex64, {8, 3, 4}, false);
  add(kComplex128, {6, 5, 2}, true);
  add(kComplex128, {1, 1, 1}, true);
  add(kComplex64, {7, 2, 2}, false);
  add(kComplex128, {60, 2, 3}, false);
  add(kComplex128, {77, 16, 2}, false);
  add(kComplex128, {37, 2, 2}, false);
  add(kComplex64, {41, 3, 2}, true);
  add(kComplex128, {3, 20, 4}, true);
  add(kComplex64, {0, 2, 2}, false);
  samples.push_back({{of(kComplex64, rank == 1   ? Shape{0, 3}
                                     : rank == 2 ? Shape{0, 3, 2}
                                                 : Shape{0, 2, 3, 2})}});
  if (rank == 1) {
    samples.push_back({{of(kComplex128, {20, 1024})}, {}, 0, false});
    samples.push_back({{of(kComplex128, {2, 16384})}, {}, 1e-9, false});
    samples.push_back({.inputs = {of(kComplex64, {1024})}, .for_speed = true});
    samples.push_back({.inputs = {of(kComplex64, {1 << 20})}, .for_speed = true});
    samples.push_back({.inputs = {of(kComplex64, {1009})}, .for_speed = true});
    samples.push_back({.inputs = {of(kComplex64, {10007})}, .for_speed = true});
    samples.push_back({.inputs = {of(kComplex64, {100003})}, .for_speed = true});
  }
  samples.push_back({.inputs = {of(kComplex64, rank == 3 ? Shape{64, 64, 64} : Shape{512, 512})},
                     .for_speed = true});
  return samples;
}

std::vector<Sample> real_samples(int rank, bool is_spectrum) {
  using enum DType;
  std::vector<Sample> samples;
  const auto add = [&](bool is_double, std::initializer_list<int64_t> sizes,
                       std::initializer_list<double> n, bool batch) {
    Shape shape = batch ? Shape{2} : Shape{};
    for (int64_t size : std::span(sizes.end() - rank, sizes.end())) shape.append(size);
    const DType dtype =
        is_spectrum ? (is_double ? kComplex128 : kComplex64) : (is_double ? kFloat64 : kFloat32);
    samples.push_back({{of(dtype, shape), ints({n.end() - rank, n.end()})}});
    samples.back().check_grad = shape.num_elements() < 80;
  };
  add(false, {2, 3, 8}, {2, 3, 8}, false);
  add(true, {2, 3, 5}, {2, 3, 5}, true);
  add(true, {3, 4, 5}, {3, 4, 8}, false);
  add(true, {3, 4, 9}, {2, 2, 6}, true);
  add(true, {2, 2, 4}, {3, 4, 7}, true);
  add(false, {1, 2, 1}, {1, 2, 1}, false);
  add(true, {2, 2, 41}, {2, 2, 41}, false);
  add(true, {2, 2, 30}, {2, 2, 82}, false);
  add(true, {1, 3, 2}, {1, 3, 2}, false);
  add(false, {2, 2, 3}, {2, 2, 0}, false);
  add(false, {2, 2, 0}, {2, 2, 3}, false);
  const Shape large = rank == 1 ? Shape{64, 4096} : rank == 2 ? Shape{512, 512} : Shape{64, 64, 64};
  const double n = static_cast<double>(large[large.rank() - 1]);
  std::vector<double> fft_length(static_cast<size_t>(rank), n);
  if (is_spectrum) fft_length.back() = 2 * n - 2;
  samples.push_back({.inputs = {of(is_spectrum ? kComplex64 : kFloat32, large), ints(fft_length)},
                     .for_speed = true});
  return samples;
}

template <int kRank>
std::vector<Sample> samples_complex() {
  return complex_samples(kRank);
}
template <int kRank>
std::vector<Sample> samples_real() {
  return real_samples(kRank, false);
}
template <int kRank>
std::vector<Sample> samples_half() {
  return real_samples(kRank, true);
}

}  // namespace

PEN_OP_DEF(fft) = {
    .name = "FFT",
    .doc = "The Fourier transform over the last axis.",
    .inputs = {in("input", kComplexTypes)},
    .forwards = {{0, 0}},
    .infer = infer_complex<1>,
    .cpu = cpu_complex<1, false>,
    .grad = grad_complex<1, ifft, false>,
    .samples = samples_complex<1>,
};

PEN_OP_DEF(ifft) = {
    .name = "IFFT",
    .doc = "The inverse Fourier transform over the last axis.",
    .inputs = {in("input", kComplexTypes)},
    .forwards = {{0, 0}},
    .infer = infer_complex<1>,
    .cpu = cpu_complex<1, true>,
    .grad = grad_complex<1, fft, true>,
    .samples = samples_complex<1>,
};

PEN_OP_DEF(fft2d) = {
    .name = "FFT2D",
    .doc = "The Fourier transform over the last two axes.",
    .inputs = {in("input", kComplexTypes)},
    .forwards = {{0, 0}},
    .infer = infer_complex<2>,
    .cpu = cpu_complex<2, false>,
    .grad = grad_complex<2, ifft2d, false>,
    .samples = samples_complex<2>,
};

PEN_OP_DEF(ifft2d) = {
    .name = "IFFT2D",
    .doc = "The inverse Fourier transform over the last two axes.",
    .inputs = {in("input", kComplexTypes)},
    .forwards = {{0, 0}},
    .infer = infer_complex<2>,
    .cpu = cpu_complex<2, true>,
    .grad = grad_complex<2, fft2d, true>,
    .samples = samples_complex<2>,
};

PEN_OP_DEF(fft3d) = {
    .name = "FFT3D",
    .doc = "The Fourier transform over the last three axes.",
    .inputs = {in("input", kComplexTypes)},
    .forwards = {{0, 0}},
    .infer = infer_complex<3>,
    .cpu = cpu_complex<3, false>,
    .grad = grad_complex<3, ifft3d, false>,
    .samples = samples_complex<3>,
};

PEN_OP_DEF(ifft3d) = {
    .name = "IFFT3D",
    .doc = "The inverse Fourier transform over the last three axes.",
    .inputs = {in("input", kComplexTypes)},
    .forwards = {{0, 0}},
    .infer = infer_complex<3>,
    .cpu = cpu_complex<3, true>,
    .grad = grad_complex<3, fft3d, true>,
    .samples = samples_complex<3>,
};

PEN_OP_DEF(rfft) = {
    .name = "RFFT",
    .doc =
        "Half of the spectrum of real numbers over the last axis, cut or filled to `fft_length`.",
    .inputs = {in("input", kRealInputs), host("fft_length", kIndexTypes)},
    .infer = infer_real<1>,
    .cpu = cpu_real<1>,
    .grad = grad_real<irfft>,
    .saves = {.inputs = 0b10},
    .samples = samples_real<1>,
    .graph_name = {"rfft"},
};

PEN_OP_DEF(irfft) = {
    .name = "IRFFT",
    .doc = "The real numbers of `fft_length` with that half of a spectrum over the last axis.",
    .inputs = {in("input", kComplexTypes), host("fft_length", kIndexTypes)},
    .infer = infer_half<1>,
    .cpu = cpu_half<1>,
    .grad = grad_half<rfft>,
    .saves = {.inputs = 0b10},
    .samples = samples_half<1>,
    .graph_name = {"irfft"},
};

PEN_OP_DEF(rfft2d) = {
    .name = "RFFT2D",
    .doc =
        "Half of the spectrum of real numbers over the last two axes, cut or filled to "
        "`fft_length`.",
    .inputs = {in("input", kRealInputs), host("fft_length", kIndexTypes)},
    .infer = infer_real<2>,
    .cpu = cpu_real<2>,
    .grad = grad_real<irfft2d>,
    .saves = {.inputs = 0b10},
    .samples = samples_real<2>,
};

PEN_OP_DEF(irfft2d) = {
    .name = "IRFFT2D",
    .doc = "The real numbers of `fft_length` with that half of a spectrum over the last two axes.",
    .inputs = {in("input", kComplexTypes), host("fft_length", kIndexTypes)},
    .infer = infer_half<2>,
    .cpu = cpu_half<2>,
    .grad = grad_half<rfft2d>,
    .saves = {.inputs = 0b10},
    .samples = samples_half<2>,
};

PEN_OP_DEF(rfft3d) = {
    .name = "RFFT3D",
    .doc =
        "Half of the spectrum of real numbers over the last three axes, cut or filled to "
        "`fft_length`.",
    .inputs = {in("input", kRealInputs), host("fft_length", kIndexTypes)},
    .infer = infer_real<3>,
    .cpu = cpu_real<3>,
    .grad = grad_real<irfft3d>,
    .saves = {.inputs = 0b10},
    .samples = samples_real<3>,
};

PEN_OP_DEF(irfft3d) = {
    .name = "IRFFT3D",
    .doc =
        "The real numbers of `fft_length` with that half of a spectrum over the last three axes.",
    .inputs = {in("input", kComplexTypes), host("fft_length", kIndexTypes)},
    .infer = infer_half<3>,
    .cpu = cpu_half<3>,
    .grad = grad_half<rfft3d>,
    .saves = {.inputs = 0b10},
    .samples = samples_half<3>,
};

}  // namespace penstock
