// Signals, composed over the Fourier transforms: shifts of the spectrum, cosine transforms,
// windows, frames, and short-time spectra.
#include <cmath>
#include <numbers>

#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

constexpr DTypeSet kSignals = DTypeSet(DType::kFloat32) | DType::kFloat64;
constexpr int64_t kMaxLength = int64_t{1} << 40;

DType complex_of(DType real) {
  return real == DType::kFloat32 ? DType::kComplex64 : DType::kComplex128;
}
Tensor one_int(int64_t value) { return int_tensor({&value, 1}); }

// A list of numbers, one for each i in [0, n), as `dtype`.
template <typename F>
Tensor table(int64_t n, DType dtype, const F& f) {
  std::vector<double> values(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) values[static_cast<size_t>(i)] = f(static_cast<double>(i));
  return cast(Tensor::from<double>(values, Shape{n}), dtype);
}

// factor · exp(i · angle(k)) for k in [0, n).
template <typename F>
Tensor phases(int64_t n, double factor, DType dtype, const F& angle) {
  std::vector<complex128> values(static_cast<size_t>(n));
  for (int64_t k = 0; k < n; ++k)
    values[static_cast<size_t>(k)] = std::polar(factor, angle(static_cast<double>(k)));
  return cast(Tensor::from<complex128>(values, Shape{n}), dtype);
}

// Elements [begin, end) of the last axis, `step` apart.
Tensor part(const Tensor& x, int64_t begin, int64_t end, int64_t step = 1) {
  IntVector begins, ends, steps;
  int64_t all = 0;
  for (int i = 0; i < x.rank(); ++i) {
    const bool is_last = i == x.rank() - 1;
    if (!is_last) all |= int64_t{1} << i;
    begins.push_back(is_last ? begin : 0);
    ends.push_back(is_last ? end : 0);
    steps.push_back(is_last ? step : 1);
  }
  return strided_slice(x, int_tensor(begins), int_tensor(ends), int_tensor(steps), all, all);
}

// The last axis cut or filled up with `value` to `length`.
Tensor fitted(const Tensor& x, int64_t length, double value = 0) {
  const int64_t n = x.dim(-1);
  if (n == length) return x;
  if (n > length) return part(x, 0, length);
  IntVector paddings;
  paddings.resize(static_cast<size_t>(2 * x.rank()));
  std::fill(paddings.begin(), paddings.end(), 0);
  paddings.back() = length - n;
  const Tensor pairs = reshape(int_tensor(paddings), shape_tensor(Shape{x.rank(), 2}));
  return pad(x, pairs, scalar_like(x, value));
}

// Shifts

template <bool kBack>
Tensors compose_shift(const ComposeContext& ctx) {
  const Shape& shape = ctx.shape(0);
  const uint32_t axes = ctx.axes(ctx.attr(0).as_ints(), shape.rank());
  IntVector shifts, listed;
  for (int i = 0; i < shape.rank(); ++i) {
    if (((axes >> i) & 1) == 0) continue;
    shifts.push_back(kBack ? -(shape[i] / 2) : shape[i] / 2);
    listed.push_back(i);
  }
  if (listed.empty()) return {identity(ctx.tensor(0))};
  return {roll(ctx.tensor(0), int_tensor(shifts), int_tensor(listed))};
}

// Cosine transforms

Tensor cosine_2(const Tensor& x, int64_t length, bool ortho) {
  const DType dtype = x.dtype();
  const auto n = static_cast<double>(length);
  const Tensor half = part(rfft(fitted(x, length), one_int(2 * length)), 0, length);
  const Tensor scale = phases(length, 2, complex_of(dtype),
                              [&](double k) { return -k * std::numbers::pi * 0.5 / n; });
  const Tensor result = cast(half * scale, dtype);
  if (!ortho) return result;
  return result * table(length, dtype,
                        [&](double k) { return (k == 0 ? 0.5 : std::sqrt(0.5)) / std::sqrt(n); });
}

Tensor cosine_3(const Tensor& x, int64_t length, bool ortho) {
  const DType complex = complex_of(x.dtype());
  const auto n = static_cast<double>(length);
  const Tensor fit = fitted(x, length);  // first: a length without measure ends here
  const Tensor weights = table(length, x.dtype(), [&](double k) {
    if (!ortho) return n;
    return std::sqrt(n) * (k == 0 ? 1 : std::sqrt(0.5));
  });
  const Tensor scale =
      phases(length, 2, complex, [&](double k) { return k * std::numbers::pi * 0.5 / n; });
  return part(irfft(cast(fit * weights, complex) * scale, one_int(2 * length)), 0, length);
}

Tensor cosine(const ComposeContext& ctx, int64_t type) {
  const int64_t given = ctx.attr(1).as_int();
  const std::string_view norm = ctx.attr(3).as_string();
  const Tensor& x = ctx.tensor(0);
  if (x.rank() < 1) ctx.fail("the input must have at least one axis");
  if (ctx.attr(2).as_int() != -1) ctx.fail("axis must be -1, but is ", ctx.attr(2));
  if (given == 0 || given < -1 || given > kMaxLength)
    ctx.fail("n should be a positive integer, but is ", given);
  if (norm != "" && norm != "ortho") ctx.fail("unknown normalization ", norm);
  const int64_t n = given == -1 ? x.dim(-1) : given;
  const bool ortho = norm == "ortho";
  if (x.num_elements() == 0) ctx.fail("the input must not be empty, but its shape is ", x.shape());
  switch (type) {
    case 1: {
      if (ortho) ctx.fail("Normalization is not supported for the Type-I DCT.");
      if (n < 2) ctx.fail("Dimension should be greater than 1 for DCT-I, but is ", n);
      const Tensor fit = fitted(x, n);
      const Tensor mirrored[] = {fit, reverse(part(fit, 1, n - 1), {x.rank() - 1})};
      return cast(rfft(concat(mirrored, -1), one_int(2 * n - 2)), x.dtype());
    }
    case 2:
      return cosine_2(x, n, ortho);
    case 3:
      return cosine_3(x, n, ortho);
    case 4: {
      const Tensor odd = part(cosine_2(fitted(x, n), 2 * n, false), 1, 2 * n, 2);
      return ortho ? odd * std::sqrt(0.5 / static_cast<double>(n)) : odd;
    }
    default:
      ctx.fail("Only Types I, II, III and IV (I)DCT are supported, not ", type);
  }
}

Tensors compose_dct(const ComposeContext& ctx) { return {cosine(ctx, ctx.attr(0).as_int())}; }
Tensors compose_idct(const ComposeContext& ctx) {
  const int64_t type = ctx.attr(0).as_int();
  return {cosine(ctx, type == 2 ? 3 : type == 3 ? 2 : type)};
}

// Windows

Tensor raised_cosine(const InferContext& ctx, int64_t length, bool periodic, DType dtype,
                     int percent) {
  if (length < 0 || length > kMaxLength) ctx.fail("window_length cannot be ", length);
  if (!kRealFloatTypes.has(dtype)) ctx.fail_type("a window cannot be ", dtype);
  if (length == 1) return ones(dtype, Shape{1});
  const int64_t extra = periodic && length % 2 == 0 ? 1 : 0;
  const auto n = static_cast<double>(length + extra - 1);
  const Tensor count =
      range(Tensor(double{0}), Tensor(static_cast<double>(length)), Tensor(double{1}));
  const double mean = percent / 100.0, wave = (100 - percent) / 100.0;
  return cast(mean - cos(count * (2 * std::numbers::pi / n)) * wave, dtype);
}

template <int kPercent>
Tensors compose_window(const ComposeContext& ctx) {
  return {raised_cosine(ctx, ctx.attr(0).as_int(), ctx.attr(1).as_bool(), ctx.attr(2).as_dtype(),
                        kPercent)};
}

// Frames

struct Framing {
  int64_t length, step;
};
Framing framing(const InferContext& ctx) {
  const Framing found{ctx.attr(0).as_int(), ctx.attr(1).as_int()};
  if (found.length < 1 || found.step < 1 || found.length > kMaxLength || found.step > kMaxLength)
    ctx.fail("frames of length ", found.length, " and step ", found.step);
  return found;
}

// Frames along the last axis: a new axis before it counts them.
Tensor frames_of(const InferContext& ctx, Tensor x, Framing f, bool pad_end, double pad_value) {
  const int64_t n = x.dim(-1);
  const int64_t count = pad_end
                            ? (n + f.step - 1) / f.step
                            : std::max<int64_t>(0, n < f.length ? 0 : 1 + (n - f.length) / f.step);
  if (count > kMaxLength / std::max(f.length, f.step)) ctx.fail_size("the size of the frames");
  if (pad_end && count > 0) x = fitted(x, std::max(n, (count - 1) * f.step + f.length), pad_value);
  const Tensor step = Tensor(int64_t{1}), zero = Tensor(int64_t{0});
  const Tensor starts = range(zero, Tensor(count), step) * Tensor(f.step);
  const Tensor inside = range(zero, Tensor(f.length), step);
  return gather(x, expand_dims(starts, 1) + inside, x.rank() - 1);
}

Tensors compose_frame(const ComposeContext& ctx) {
  const Framing f = framing(ctx);
  const Tensor& x = ctx.tensor(0);
  const int axis = ctx.axis(ctx.attr(4).as_int(), x.rank());
  IntVector last, back;
  for (int i = 0; i < x.rank(); ++i) {
    if (i != axis) last.push_back(i);
  }
  last.push_back(axis);
  const Tensor moved = transpose(x, std::span<const int64_t>(last));
  const Tensor frames = frames_of(ctx, moved, f, ctx.attr(2).as_bool(), ctx.attr(3).as_float());
  for (int i = 0; i < x.rank() - 1; ++i) {
    if (i == axis) back.push_back(x.rank() - 1), back.push_back(x.rank());
    back.push_back(i);
  }
  if (axis == x.rank() - 1) back.push_back(x.rank() - 1), back.push_back(x.rank());
  return {transpose(frames, std::span<const int64_t>(back))};
}

Tensor added_up(const InferContext& ctx, const Tensor& x, int64_t step) {
  const Shape& shape = x.shape();
  const int64_t frames = x.dim(-2), length = x.dim(-1);
  if (step < 1 || step > kMaxLength || frames > kMaxLength / step)
    ctx.fail("frame_step cannot be ", step, " for ", shape);
  const int64_t total = frames == 0 ? 0 : (frames - 1) * step + length;
  Shape out(shape.dims().first(static_cast<size_t>(shape.rank() - 2)));
  const int64_t outer = out.num_elements();
  out.append(total);
  const Tensor one = Tensor(int64_t{1}), zero = Tensor(int64_t{0});
  const Tensor starts = range(zero, Tensor(frames), one) * Tensor(step);
  const Tensor places = expand_dims(starts, 1) + range(zero, Tensor(length), one);
  const Tensor rows = transpose(reshape(x, shape_tensor(Shape{outer, frames * length})));
  const Tensor ids = reshape(places, shape_tensor(Shape{frames * length}));
  return reshape(transpose(unsorted_segment_sum(rows, ids, Tensor(total))), shape_tensor(out));
}

Tensors compose_overlap(const ComposeContext& ctx) {
  if (ctx.shape(0).rank() < 2) ctx.fail("signal must have at least rank 2, but is ", ctx.shape(0));
  return {added_up(ctx, ctx.tensor(0), ctx.attr(0).as_int())};
}

// Short-time spectra

Tensor named_window(const InferContext& ctx, std::string_view name, int64_t length, DType dtype) {
  if (name == "hann") return raised_cosine(ctx, length, true, dtype, 50);
  if (name == "hamming") return raised_cosine(ctx, length, true, dtype, 54);
  if (name != "") ctx.fail("window must be hann, hamming or empty, not ", name);
  return ones(dtype, Shape{length});
}

// The given length of a transform, or the next power of two.
int64_t transform_length(const InferContext& ctx, int64_t given, int64_t frame) {
  if (given < -1 || given == 0 || given > kMaxLength) ctx.fail("fft_length cannot be ", given);
  if (given > 0) return given;
  int64_t length = 1;
  while (length < frame) length *= 2;
  return length;
}

Tensors compose_stft(const ComposeContext& ctx) {
  const Framing f = framing(ctx);
  const Tensor& x = ctx.tensor(0);
  if (x.rank() < 1) ctx.fail("signals must have at least one axis");
  const int64_t n = transform_length(ctx, ctx.attr(2).as_int(), f.length);
  const Tensor window = named_window(ctx, ctx.attr(3).as_string(), f.length, x.dtype());
  const Tensor frames = frames_of(ctx, x, f, ctx.attr(4).as_bool(), 0);
  return {rfft(frames * window, one_int(n))};
}

Tensors compose_inverse_stft(const ComposeContext& ctx) {
  const Framing f = framing(ctx);
  const Tensor& x = ctx.tensor(0);
  if (x.rank() < 2) ctx.fail("stfts must have at least two axes, but is ", ctx.shape(0));
  const int64_t n = transform_length(ctx, ctx.attr(2).as_int(), f.length);
  const Tensor frames = fitted(irfft(x, one_int(n)), f.length);
  const Tensor window = named_window(ctx, ctx.attr(3).as_string(), f.length, frames.dtype());
  return {added_up(ctx, frames * window, f.step)};
}

std::vector<Sample> samples_shift() {
  using enum DType;
  return {
      {{f32({5})}},
      {{f32({4, 3})}},
      {{of(kFloat64, {2, 5, 3})}, {{"axes", {1}}}},
      {{of(kComplex64, {4, 3})}, {{"axes", {-1, 0}}}},
      {{of(kInt32, {6})}},
      {{of(kFloat16, {0, 3})}},
  };
}

std::vector<Sample> samples_dct() {
  using enum DType;
  std::vector<Sample> samples;
  for (int type = 1; type <= 4; ++type) {
    samples.push_back({{f32({2, 5})}, {{"type", type}}});
    samples.push_back({{of(kFloat64, {8})}, {{"type", type}}});
    samples.push_back({{of(kFloat64, {6})}, {{"type", type}, {"n", 4}}});
    samples.push_back({{of(kFloat64, {2, 3})}, {{"type", type}, {"n", 7}}});
    if (type > 1) samples.push_back({{of(kFloat64, {5})}, {{"type", type}, {"norm", "ortho"}}});
  }
  samples.push_back({.inputs = {f32({64, 1024})}, .attrs = {{"type", 2}}, .for_speed = true});
  return samples;
}

std::vector<Sample> samples_window() {
  return {
      {{}, {{"window_length", 8}}},
      {{}, {{"window_length", 7}}},
      {{}, {{"window_length", 8}, {"periodic", false}}},
      {{}, {{"window_length", 1}}},
      {{}, {{"window_length", 0}}},
      {{}, {{"window_length", 5}, {"dtype", DType::kFloat64}}},
  };
}

std::vector<Sample> samples_frame() {
  using enum DType;
  return {
      {{f32({9})}, {{"frame_length", 4}, {"frame_step", 2}}},
      {{f32({2, 9})}, {{"frame_length", 4}, {"frame_step", 3}, {"pad_end", true}}},
      {{of(kFloat64, {7, 2})},
       {{"frame_length", 3},
        {"frame_step", 2},
        {"pad_end", true},
        {"pad_value", 5.0},
        {"axis", 0}}},
      {{f32({3})}, {{"frame_length", 4}, {"frame_step", 2}}},
      {{of(kInt32, {6})}, {{"frame_length", 2}, {"frame_step", 3}}},
      {{of(kComplex64, {2, 5, 2})}, {{"frame_length", 2}, {"frame_step", 1}, {"axis", 1}}},
  };
}

std::vector<Sample> samples_overlap() {
  using enum DType;
  return {
      {{f32({3, 4})}, {{"frame_step", 2}}}, {{of(kFloat64, {2, 3, 4})}, {{"frame_step", 3}}},
      {{f32({2, 2})}, {{"frame_step", 5}}}, {{of(kInt32, {2, 3})}, {{"frame_step", 1}}},
      {{f32({0, 3})}, {{"frame_step", 1}}},
  };
}

std::vector<Sample> samples_stft() {
  using enum DType;
  return {
      {{f32({20})}, {{"frame_length", 8}, {"frame_step", 4}}},
      {{of(kFloat64, {2, 11})},
       {{"frame_length", 5}, {"frame_step", 3}, {"window", "hamming"}, {"pad_end", true}}},
      {{of(kFloat64, {12})},
       {{"frame_length", 6}, {"frame_step", 3}, {"fft_length", 6}, {"window", ""}}},
      {.inputs = {f32({16, 16000})},
       .attrs = {{"frame_length", 400}, {"frame_step", 160}},
       .for_speed = true},
  };
}

std::vector<Sample> samples_inverse_stft() {
  using enum DType;
  return {
      {{of(kComplex64, {4, 5})}, {{"frame_length", 8}, {"frame_step", 4}}},
      {{of(kComplex128, {2, 3, 4})},
       {{"frame_length", 5}, {"frame_step", 3}, {"fft_length", 6}, {"window", ""}}},
      {{of(kComplex128, {3, 3})}, {{"frame_length", 6}, {"frame_step", 2}, {"fft_length", 4}}},
  };
}

// The number of products and slices in a cosine transform depends on whether the size is known and
// whether the signal is truncated.
LateName late_cosine(const GraphCall& call, int64_t type) {
  const int64_t size = call.last_size(), n = call.attr("n").as_int();
  const bool is_open = size == kUnknownDim, is_cut = !is_open && n >= 0 && n < size;
  const bool is_scaled = call.attr("norm").as_string() == "ortho";
  if (type == 2 && is_scaled) return {is_open ? "mul_7" : "mul_6"};
  if (type <= 2) return {"Real"};
  if (type == 4 && is_scaled) return {is_open ? "mul_2" : "mul_1"};
  return {is_open ? "strided_slice_2" : is_cut ? "strided_slice_1" : "strided_slice"};
}

LateName late_dct(const GraphCall& call) { return late_cosine(call, call.attr("type").as_int()); }

// Types 2 and 3 undo each other, the others themselves.
LateName late_idct(const GraphCall& call) {
  const int64_t type = call.attr("type").as_int();
  return late_cosine(call, type == 2 || type == 3 ? 5 - type : type);
}

LateName late_frame(const GraphCall& call) {
  return {call.shape().is_known() ? "Reshape_3" : "Reshape_4"};
}

LateName late_window(const GraphCall& call) {
  return {call.attr("window_length").as_int() == 1 ? "ones" : "sub_2"};
}

LateName late_overlap(const GraphCall& call) {
  if (call.last_size() == call.attr("frame_step").as_int()) return {"fast_path"};
  return {call.shape().is_known() ? "strided_slice_1" : "strided_slice_4"};
}

}  // namespace

PEN_OP_DEF(fftshift) = {
    .name = "Fftshift",
    .doc = "The zero frequency moved to the middle, along `axes` or all of them.",
    .inputs = {in("x", kNumberTypes)},
    .attrs = {ints_attr("axes", kAllAxes)},
    .infer = composed,
    .compose = compose_shift<false>,
    .grad = composed_gradient,
    .samples = samples_shift,
    .graph_name = {"fftshift"},
};

PEN_OP_DEF(ifftshift) = {
    .name = "Ifftshift",
    .doc = "What fftshift has moved, back in its place.",
    .inputs = {in("x", kNumberTypes)},
    .attrs = {ints_attr("axes", kAllAxes)},
    .infer = composed,
    .compose = compose_shift<true>,
    .grad = composed_gradient,
    .samples = samples_shift,
    .graph_name = {"ifftshift"},
};

PEN_OP_DEF(dct) = {
    .name = "Dct",
    .doc = "The cosine transform of type 1 to 4 over the last axis, cut or filled to `n`.",
    .inputs = {in("input", kSignals)},
    .attrs = {int_attr("type", 2), int_attr("n", -1), int_attr("axis", -1),
              string_attr("norm", "")},
    .infer = composed,
    .compose = compose_dct,
    .grad = composed_gradient,
    .samples = samples_dct,
    .graph_name = {.scope = "dct", .late = late_dct},
};

PEN_OP_DEF(idct) = {
    .name = "Idct",
    .doc = "The cosine transform that undoes the one of that type, up to a factor without norm.",
    .inputs = {in("input", kSignals)},
    .attrs = {int_attr("type", 2), int_attr("n", -1), int_attr("axis", -1),
              string_attr("norm", "")},
    .infer = composed,
    .compose = compose_idct,
    .grad = composed_gradient,
    .samples = samples_dct,
    .graph_name = {.scope = "dct", .late = late_idct},
};

PEN_OP_DEF(hann_window) = {
    .name = "HannWindow",
    .doc = "A window 0.5 - 0.5 cos.",
    .attrs = {int_attr("window_length"), bool_attr("periodic", true),
              dtype_attr("dtype", DType::kFloat32)},
    .infer = composed,
    .compose = compose_window<50>,
    .grad = no_gradient,
    .samples = samples_window,
    .graph_name = {.scope = "hann_window", .late = late_window},
};

PEN_OP_DEF(hamming_window) = {
    .name = "HammingWindow",
    .doc = "A window 0.54 - 0.46 cos.",
    .attrs = {int_attr("window_length"), bool_attr("periodic", true),
              dtype_attr("dtype", DType::kFloat32)},
    .infer = composed,
    .compose = compose_window<54>,
    .grad = no_gradient,
    .samples = samples_window,
    .graph_name = {.scope = "hamming_window", .late = late_window},
};

PEN_OP_DEF(frame) = {
    .name = "Frame",
    .doc = "Overlapping pieces of `axis`, which becomes two: the frames and what is in them.",
    .inputs = {in("signal", kNumberTypes)},
    .attrs = {int_attr("frame_length"), int_attr("frame_step"), bool_attr("pad_end", false),
              float_attr("pad_value", 0.0), int_attr("axis", -1)},
    .infer = composed,
    .compose = compose_frame,
    .grad = composed_gradient,
    .samples = samples_frame,
    .graph_name = {.scope = "frame", .late = late_frame},
};

PEN_OP_DEF(overlap_and_add) = {
    .name = "OverlapAndAdd",
    .doc = "A signal from frames that begin `frame_step` apart, added up where they overlap.",
    .inputs = {in("signal", kNumberTypes)},
    .attrs = {int_attr("frame_step")},
    .infer = composed,
    .compose = compose_overlap,
    .grad = composed_gradient,
    .samples = samples_overlap,
    .graph_name = {.scope = "overlap_and_add", .late = late_overlap},
};

PEN_OP_DEF(stft) = {
    .name = "Stft",
    .doc = "The spectra of windowed frames; `fft_length` -1 is the next power of two.",
    .inputs = {in("signals", kSignals)},
    .attrs = {int_attr("frame_length"), int_attr("frame_step"), int_attr("fft_length", -1),
              string_attr("window", "hann"), bool_attr("pad_end", false)},
    .infer = composed,
    .compose = compose_stft,
    .grad = composed_gradient,
    .samples = samples_stft,
    .graph_name = {"stft", "rfft"},
};

PEN_OP_DEF(inverse_stft) = {
    .name = "InverseStft",
    .doc = "A signal from the spectra of its frames, which are windowed once more and added up.",
    .inputs = {in("stfts", kComplexTypes)},
    .attrs = {int_attr("frame_length"), int_attr("frame_step"), int_attr("fft_length", -1),
              string_attr("window", "hann")},
    .infer = composed,
    .compose = compose_inverse_stft,
    .grad = composed_gradient,
    .samples = samples_inverse_stft,
};

}  // namespace penstock
