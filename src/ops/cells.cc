// LstmCell and GruCell: one step of a recurrent network, in Keras's layout of weights. The products
// are matrix products; the gates that follow are one fused step with its own gradient.
#include "kernels/cells.h"

#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

constexpr DTypeSet kStepTypes = DTypeSet(DType::kFloat32) | DType::kFloat64;

// Inputs `gates` … are [batch, count * units] for the state [batch, units] that input `state` is.
void check_gates(const InferContext& ctx, size_t state, std::initializer_list<size_t> gates,
                 int64_t count) {
  const Shape& h = ctx.shape(state);
  ctx.check_rank(state, 2);
  for (size_t i : gates) {
    ctx.check_rank(i, 2);
    const Shape& shape = ctx.shape(i);
    if (!shape.is_known() || !h.is_known()) continue;
    if (shape[0] != h[0] || shape[1] % count != 0 || shape[1] / count != h[1]) {
      ctx.fail("'", ctx.op().inputs[i].name, "' must have ", count, " numbers for each of '",
               ctx.op().inputs[state].name, "', but the shapes are ", shape, " and ", h);
    }
  }
}

void infer_lstm(InferContext& ctx) {
  check_gates(ctx, 1, {0}, 4);
  for (int i = 0; i < 2; ++i) ctx.add_output(ctx.dtype(0), ctx.shape(1));
}
KernelResult cpu_lstm(const KernelContext& ctx) {
  const View& c = ctx.inputs[1];
  kernels::lstm_step(c.dtype, c.shape[0], c.shape[1], ctx.inputs[0].data, c.data,
                     ctx.outputs[0].data, ctx.outputs[1].data);
  return KernelResult::ok();
}
Gradients grad_lstm(const GradContext& g) {
  auto [dgates, dc] = lstm_step_grad(g.input(0), g.input(1), g.output(1), g.dy(0), g.dy(1));
  return {dgates, dc};
}

void infer_lstm_grad(InferContext& ctx) {
  check_gates(ctx, 1, {0}, 4);
  check_gates(ctx, 1, {2, 3, 4}, 1);
  for (size_t i : {0, 1}) ctx.add_output(ctx.dtype(i), ctx.shape(i));
}
KernelResult cpu_lstm_grad(const KernelContext& ctx) {
  const View& c = ctx.inputs[1];
  kernels::lstm_step_grad(c.dtype, c.shape[0], c.shape[1], ctx.inputs[0].data, c.data,
                          ctx.inputs[2].data, ctx.inputs[3].data, ctx.inputs[4].data,
                          ctx.outputs[0].data, ctx.outputs[1].data);
  return KernelResult::ok();
}

Tensor sigmoid_slope(const Tensor& s) { return s * (1 - s); }
Tensor tanh_slope(const Tensor& t) { return 1 - square(t); }

// The second order. The first is, with D = dc + dh o (1 - t²): dgates = (D g i', D c f', D i g',
// dh t o') and dc_prev = D f, where s' = s (1 - s) and g' = 1 - g².
Gradients grad_lstm_grad(const GradContext& g) {
  const Tensors z = split(g.input(0), 4, 1);
  const Tensor i = sigmoid(z[0]), f = sigmoid(z[1]), n = tanh(z[2]), o = sigmoid(z[3]);
  const Tensor &before = g.input(1), &dh = g.input(3), &dc = g.input(4);
  const Tensor t = tanh(g.input(2));
  const Tensor i1 = sigmoid_slope(i), f1 = sigmoid_slope(f), n1 = tanh_slope(n);
  const Tensor o1 = sigmoid_slope(o), t1 = tanh_slope(t);
  const Tensor state = dc + dh * o * t1;
  const Tensors a = split(g.dy(0), 4, 1);
  const Tensor last = g.dy(1);
  const Tensor dstate = a[0] * n * i1 + a[1] * before * f1 + a[2] * i * n1 + last * f;
  const Tensor di = a[0] * state * n * (1 - 2 * i) + a[2] * state * n1;
  const Tensor df = a[1] * state * before * (1 - 2 * f) + last * state;
  const Tensor dn = a[0] * state * i1 - a[2] * state * i * n * 2;
  const Tensor d_o = dstate * dh * t1 + a[3] * dh * t * (1 - 2 * o);
  const Tensor dt = a[3] * dh * o1 - dstate * dh * o * t * 2;
  const Tensor gates[] = {di * i1, df * f1, dn * n1, d_o * o1};
  return {concat(gates, 1), a[1] * state * f1, dt * t1, dstate * o * t1 + a[3] * t * o1, dstate};
}

void infer_gru(InferContext& ctx) {
  check_gates(ctx, 2, {0, 1}, 3);
  ctx.add_output(ctx.dtype(0), ctx.shape(2));
}
KernelResult cpu_gru(const KernelContext& ctx) {
  const View& h = ctx.inputs[2];
  kernels::gru_step(h.dtype, h.shape[0], h.shape[1], ctx.inputs[0].data, ctx.inputs[1].data, h.data,
                    ctx.outputs[0].data);
  return KernelResult::ok();
}
Gradients grad_gru(const GradContext& g) {
  auto [dx, dhidden, dh] = gru_step_grad(g.input(0), g.input(1), g.input(2), g.dy());
  return {dx, dhidden, dh};
}

void infer_gru_grad(InferContext& ctx) {
  check_gates(ctx, 2, {0, 1}, 3);
  check_gates(ctx, 2, {3}, 1);
  for (size_t i : {0, 1, 2}) ctx.add_output(ctx.dtype(i), ctx.shape(i));
}
KernelResult cpu_gru_grad(const KernelContext& ctx) {
  const View& h = ctx.inputs[2];
  kernels::gru_step_grad(h.dtype, h.shape[0], h.shape[1], ctx.inputs[0].data, ctx.inputs[1].data,
                         h.data, ctx.inputs[3].data, ctx.outputs[0].data, ctx.outputs[1].data,
                         ctx.outputs[2].data);
  return KernelResult::ok();
}

// The second order. The first is dz = dy (h - n) z', dn = dy (1 - z) n', dr = dn q r', dq = dn r
// and dh = dy z, with q the hidden part of the candidate n = tanh(x + r q).
Gradients grad_gru_grad(const GradContext& g) {
  const Tensors x = split(g.input(0), 3, 1), hidden = split(g.input(1), 3, 1);
  const Tensor &h = g.input(2), &dy = g.input(3), &q = hidden[2];
  const Tensor z = sigmoid(x[0] + hidden[0]), r = sigmoid(x[1] + hidden[1]);
  const Tensor n = tanh(x[2] + r * q);
  const Tensor z1 = sigmoid_slope(z), r1 = sigmoid_slope(r), n1 = tanh_slope(n);
  const Tensor first = dy * (1 - z) * n1;  // the gradient inside tanh
  const Tensors ax = split(g.dy(0), 3, 1), ah = split(g.dy(1), 3, 1);
  const Tensor az = ax[0] + ah[0], ar = ax[1] + ah[1], last = g.dy(2);
  const Tensor dfirst = ax[2] + ah[2] * r + ar * q * r1;
  const Tensor dn = -az * dy * z1 - dfirst * dy * (1 - z) * n * 2;
  const Tensor inside = dn * n1;
  const Tensor dq = ar * first * r1 + inside * r;
  const Tensor dr = (ah[2] * first + ar * first * q * (1 - 2 * r) + inside * q) * r1;
  const Tensor dz = (az * dy * (h - n) * (1 - 2 * z) - dfirst * dy * n1 + last * dy) * z1;
  const Tensor x_parts[] = {dz, dr, inside}, h_parts[] = {dz, dr, dq};
  return {concat(x_parts, 1), concat(h_parts, 1), az * dy * z1,
          az * (h - n) * z1 + dfirst * (1 - z) * n1 + last * z};
}

Tensor as_dtype(const Tensor& x, DType dtype) { return x.dtype() == dtype ? x : cast(x, dtype); }

// The dtype of the fused steps' arithmetic.
DType step_dtype(DType dtype) { return kHalfTypes.has(dtype) ? DType::kFloat32 : dtype; }

Tensors compose_lstm(const ComposeContext& ctx) {
  const Tensor &x = ctx.tensor(0), &h = ctx.tensor(1), &c = ctx.tensor(2);
  ctx.check_rank(5, 1);
  const Tensor products = matmul(x, ctx.tensor(3)) + matmul(h, ctx.tensor(4));
  const DType dtype = step_dtype(x.dtype());
  auto [h_next, c_next] =
      lstm_step(as_dtype(bias_add(products, ctx.tensor(5)), dtype), as_dtype(c, dtype));
  return {as_dtype(h_next, x.dtype()), as_dtype(c_next, x.dtype())};
}

Tensors compose_gru(const ComposeContext& ctx) {
  const Tensor &x = ctx.tensor(0), &h = ctx.tensor(1);
  if (ctx.shape(4).rank() != 2 || ctx.shape(4)[0] != 2)
    ctx.fail("bias must have 2 rows, for x and for h, but its shape is ", ctx.shape(4));
  const Tensors biases = unstack(ctx.tensor(4), 2, 0);
  const DType dtype = step_dtype(x.dtype());
  const Tensor x_gates = bias_add(matmul(x, ctx.tensor(2)), biases[0]);
  const Tensor h_gates = bias_add(matmul(h, ctx.tensor(3)), biases[1]);
  const Tensor next =
      gru_step(as_dtype(x_gates, dtype), as_dtype(h_gates, dtype), as_dtype(h, dtype));
  return {as_dtype(next, x.dtype())};
}

std::vector<Sample> lstm_samples() {
  return {
      {{f32({3, 8}), f32({3, 2})}},
      {{of(DType::kFloat64, {2, 12}), of(DType::kFloat64, {2, 3})}},
      {{f32({2, 80}, -4, 4), f32({2, 20})}},
      {{f32({0, 8}), f32({0, 2})}},
      {{f32({2, 0}), f32({2, 0})}},
      {.inputs = {f32({64, 1024}), f32({64, 256})}, .for_speed = true},
  };
}
std::vector<Sample> lstm_grad_samples() {
  const auto call = [](DType dtype, int64_t batch, int64_t n) {
    const Shape state{batch, n};
    return std::vector<SampleInput>{of(dtype, {batch, 4 * n}), of(dtype, state), of(dtype, state),
                                    of(dtype, state), of(dtype, state)};
  };
  return {
      {call(DType::kFloat32, 3, 2)},
      {call(DType::kFloat64, 2, 3)},
      {call(DType::kFloat32, 2, 20)},
      {call(DType::kFloat32, 0, 2)},
      {.inputs = call(DType::kFloat32, 64, 256), .for_speed = true},
  };
}
std::vector<SampleInput> gru_call(DType dtype, int64_t batch, int64_t n) {
  return {of(dtype, {batch, 3 * n}), of(dtype, {batch, 3 * n}), of(dtype, {batch, n})};
}
std::vector<Sample> gru_samples() {
  return {
      {gru_call(DType::kFloat32, 3, 2)},
      {gru_call(DType::kFloat64, 2, 3)},
      {gru_call(DType::kFloat32, 2, 20)},
      {gru_call(DType::kFloat32, 0, 2)},
      {.inputs = gru_call(DType::kFloat32, 64, 256), .for_speed = true},
  };
}
std::vector<Sample> gru_grad_samples() {
  std::vector<Sample> list = gru_samples();
  for (Sample& sample : list) sample.inputs.push_back(sample.inputs[2]);
  return list;
}
std::vector<SampleInput> lstm_cell_call(DType dtype, int64_t batch, int64_t in, int64_t n) {
  return {of(dtype, {batch, in}),        of(dtype, {batch, n}),        of(dtype, {batch, n}),
          of(dtype, {in, 4 * n}, -1, 1), of(dtype, {n, 4 * n}, -1, 1), of(dtype, {4 * n})};
}
std::vector<Sample> lstm_cell_samples() {
  return {
      {lstm_cell_call(DType::kFloat32, 2, 3, 2)},
      {lstm_cell_call(DType::kFloat64, 1, 2, 3)},
      {lstm_cell_call(DType::kFloat32, 0, 2, 3)},
      {lstm_cell_call(DType::kBFloat16, 2, 3, 2), {}, 0.08},
      {.inputs = lstm_cell_call(DType::kFloat32, 64, 256, 256), .for_speed = true},
  };
}
std::vector<SampleInput> gru_cell_call(DType dtype, int64_t batch, int64_t in, int64_t n) {
  return {of(dtype, {batch, in}), of(dtype, {batch, n}), of(dtype, {in, 3 * n}, -1, 1),
          of(dtype, {n, 3 * n}, -1, 1), of(dtype, {2, 3 * n})};
}
std::vector<Sample> gru_cell_samples() {
  return {
      {gru_cell_call(DType::kFloat32, 2, 3, 2)},
      {gru_cell_call(DType::kFloat64, 1, 2, 3)},
      {gru_cell_call(DType::kFloat32, 0, 2, 3)},
      {gru_cell_call(DType::kFloat16, 2, 3, 2), {}, 0.02},
      {.inputs = gru_cell_call(DType::kFloat32, 64, 256, 256), .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(lstm_step) = {
    .name = "LstmStep",
    .doc =
        "The state of an LSTM from its gates (input, forget, candidate, output) before their "
        "activations.",
    .inputs = {in("gates", kStepTypes), in("c_prev", kStepTypes)},
    .outputs = {"h", "c"},
    .forwards = {{1, 1}},
    .infer = infer_lstm,
    .cpu = cpu_lstm,
    .grad = grad_lstm,
    .saves = {.inputs = 0b11, .outputs = 0b10},
    .samples = lstm_samples,
};

PEN_OP_DEF(lstm_step_grad) = {
    .name = "LstmStepGrad",
    .doc = "The gradients of LstmStep for gates and c_prev, from those of h and c.",
    .inputs = {in("gates", kStepTypes), in("c_prev", kStepTypes), in("c", kStepTypes),
               in("dh", kStepTypes), in("dc", kStepTypes)},
    .outputs = {"dgates", "dc_prev"},
    .forwards = {{0, 0}, {3, 1}, {4, 1}},
    .infer = infer_lstm_grad,
    .cpu = cpu_lstm_grad,
    .grad = grad_lstm_grad,
    .saves = {.inputs = kAll},
    .samples = lstm_grad_samples,
};

PEN_OP_DEF(gru_step) = {
    .name = "GruStep",
    .doc = "The state of a GRU from its gates (update, reset, candidate) before their activations.",
    .inputs = {in("x_gates", kStepTypes), in("h_gates", kStepTypes), in("h", kStepTypes)},
    .forwards = {{2, 0}},
    .infer = infer_gru,
    .cpu = cpu_gru,
    .grad = grad_gru,
    .saves = {.inputs = 0b111},
    .samples = gru_samples,
};

PEN_OP_DEF(gru_step_grad) = {
    .name = "GruStepGrad",
    .doc = "The gradients of GruStep for the gates and h, from that of its result.",
    .inputs = {in("x_gates", kStepTypes), in("h_gates", kStepTypes), in("h", kStepTypes),
               in("dy", kStepTypes)},
    .outputs = {"dx_gates", "dh_gates", "dh"},
    .forwards = {{0, 0}, {1, 1}, {3, 2}},
    .infer = infer_gru_grad,
    .cpu = cpu_gru_grad,
    .grad = grad_gru_grad,
    .saves = {.inputs = kAll},
    .samples = gru_grad_samples,
};

PEN_OP_DEF(lstm_cell) = {
    .name = "LstmCell",
    .doc =
        "One step of an LSTM: weights for the input, forget, candidate and output gates side by "
        "side.",
    .inputs = {in("x", kRealFloatTypes), in("h", kRealFloatTypes), in("c", kRealFloatTypes),
               in("kernel", kRealFloatTypes), in("recurrent_kernel", kRealFloatTypes),
               in("bias", kRealFloatTypes)},
    .outputs = {"h_next", "c_next"},
    .infer = composed,
    .compose = compose_lstm,
    .grad = composed_gradient,
    .samples = lstm_cell_samples,
};

PEN_OP_DEF(gru_cell) = {
    .name = "GruCell",
    .doc =
        "One step of a GRU that resets after the product: weights for the update, reset and "
        "candidate gates side by side, and a row of biases for each product.",
    .inputs = {in("x", kRealFloatTypes), in("h", kRealFloatTypes), in("kernel", kRealFloatTypes),
               in("recurrent_kernel", kRealFloatTypes), in("bias", kRealFloatTypes)},
    .infer = composed,
    .compose = compose_gru,
    .grad = composed_gradient,
    .samples = gru_cell_samples,
};

}  // namespace penstock
