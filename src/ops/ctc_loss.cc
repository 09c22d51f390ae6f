// CTCLoss: how well logits over time spell a label. CTCLossDense takes the labels as rows. CTCLoss
// takes them as TensorFlow's raw op does, as (item, position) with values, and returns the gradient
// with the loss.
#include <algorithm>
#include <cstring>

#include <penstock/base/checked.h>
#include <penstock/base/threads.h>
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/ctc.h"
#include "kernels/indices.h"

namespace penstock {
namespace {

constexpr DTypeSet kLogitTypes = DTypeSet(DType::kFloat32) | DType::kFloat64;

// The scratch of a batch whose items have `labels` labels in all: each item's own, in order, after
// the labels themselves.
void set_scratch(InferContext& ctx, int64_t batch, int64_t time, int64_t labels) {
  int64_t states = 0, doubles = 0, steps = 0;
  if (!checked_mul(labels, 2, &states) || !checked_add(states, batch, &states) ||
      !checked_mul(states, time + 2, &doubles) || !checked_mul(batch, time, &steps) ||
      !checked_add(doubles, steps, &doubles) || !checked_add(doubles, labels, &doubles)) {
    ctx.fail_size("the work space for ", labels, " labels and ", time, " steps");
  }
  ctx.set_scratch(doubles, sizeof(double));
}

// The axes of logits: [time, batch, classes] or [batch, time, classes].
struct Layout {
  int64_t time, batch, classes, time_stride, batch_stride;
  Layout(const Shape& logits, bool time_major)
      : time(logits[time_major ? 0 : 1]), batch(logits[time_major ? 1 : 0]), classes(logits[2]) {
    time_stride = time_major ? batch * classes : classes;
    batch_stride = time_major ? classes : time * classes;
  }
};

void check_vector(const InferContext& ctx, size_t i, int64_t batch) {
  ctx.check_rank(i, 1);
  if (ctx.shape(i).is_known() && ctx.shape(i)[0] != batch) {
    ctx.fail("'", ctx.op().inputs[i].name, "' must have one number for each of ", batch,
             " items, but its shape is ", ctx.shape(i));
  }
}

// --- Dense ------------------------------------------------------------------------------------

// Checks and scratch of both dense ops.
void infer_common(InferContext& ctx) {
  ctx.check_rank(0, 3);
  ctx.check_rank(1, 2);
  if (!ctx.shape(0).is_known() || !ctx.shape(1).is_known()) return;
  const Layout layout(ctx.shape(0), ctx.attr(1).as_bool());
  const Shape& labels = ctx.shape(1);
  const int64_t blank = ctx.attr(0).as_int();
  if (blank < -layout.classes || blank >= layout.classes) {
    ctx.fail("blank_index ", blank, " is not one of the ", layout.classes, " classes of logits ",
             ctx.shape(0));
  }
  if (labels[0] != layout.batch) {
    ctx.fail("labels must have a row for each of ", layout.batch, " items, but their shape is ",
             labels);
  }
  check_vector(ctx, 2, layout.batch);
  check_vector(ctx, 3, layout.batch);
  int64_t count = 0;
  if (!checked_mul(labels[0], labels[1], &count)) ctx.fail_size("the number of labels");
  set_scratch(ctx, layout.batch, layout.time, count);
}

void infer_dense(InferContext& ctx) {
  infer_common(ctx);
  const Shape& logits = ctx.shape(0);
  const int axis = ctx.attr(1).as_bool() ? 1 : 0;
  ctx.add_output(ctx.dtype(0), Shape{logits.has_rank() ? logits[axis] : kUnknownDim});
}
void infer_dense_grad(InferContext& ctx) {
  infer_common(ctx);
  ctx.add_output(ctx.dtype(0), ctx.shape(0));
}

KernelResult check_dense(const KernelContext& ctx, const Layout& layout) {
  const View &labels = ctx.inputs[1], &lengths = ctx.inputs[2], &steps = ctx.inputs[3];
  const int64_t most = labels.shape[1];
  for (int64_t b = 0; b < layout.batch; ++b) {
    const int64_t length = kernels::index_at(lengths, b), time = kernels::index_at(steps, b);
    if (length < 0 || length > most)
      return KernelResult::invalid("label_length[{}] = {} is not in [0, {}]", b, length, most);
    if (time < 0 || time > layout.time)
      return KernelResult::invalid("logit_length[{}] = {} is not in [0, {}]", b, time, layout.time);
    for (int64_t i = b * most; i < b * most + length; ++i) {
      const int64_t label = kernels::index_at(labels, i);
      if (label < 0 || label >= layout.classes)
        return KernelResult::invalid("labels[{}] = {} is not in [0, {})", i, label, layout.classes);
    }
  }
  return KernelResult::ok();
}

// Runs all items; `loss` or `gradient` may be null.
template <typename T>
void run_dense(const KernelContext& ctx, const Layout& layout, T* loss, T* gradient) {
  const View &labels = ctx.inputs[1], &lengths = ctx.inputs[2], &steps = ctx.inputs[3];
  const int64_t most = labels.shape[1], blank = ctx.attrs[0].as_int();
  const kernels::Ctc ctc{ctx.inputs[0].dtype, layout.time, layout.classes, layout.time_stride,
                         blank < 0 ? blank + layout.classes : blank};
  const int64_t per_item = most + kernels::ctc_scratch(layout.time, most);
  parallel_for(layout.batch, 1, [&](int64_t b, int64_t last) {
    for (; b < last; ++b) {
      double* scratch = static_cast<double*>(ctx.scratch) + b * per_item;
      int64_t* own_labels = reinterpret_cast<int64_t*>(scratch);
      const int64_t length = kernels::index_at(lengths, b);
      for (int64_t i = 0; i < length; ++i) own_labels[i] = kernels::index_at(labels, b * most + i);
      const int64_t at = b * layout.batch_stride;
      const kernels::CtcItem item{ctx.inputs[0].as<T>() + at, kernels::index_at(steps, b),
                                  own_labels, length};
      const double value = kernels::ctc_loss(ctc, item, scratch + most,
                                             gradient == nullptr ? nullptr : gradient + at);
      if (loss != nullptr) loss[b] = static_cast<T>(value);
    }
  });
}

KernelResult cpu_dense(const KernelContext& ctx) {
  const View &logits = ctx.inputs[0], &loss = ctx.outputs[0];
  const Layout layout(logits.shape, ctx.attrs[1].as_bool());
  if (const KernelResult result = check_dense(ctx, layout); result.problem != nullptr)
    return result;
  if (logits.dtype == DType::kFloat32) {
    run_dense<float>(ctx, layout, loss.as<float>(), nullptr);
  } else {
    run_dense<double>(ctx, layout, loss.as<double>(), nullptr);
  }
  return KernelResult::ok();
}
KernelResult cpu_dense_grad(const KernelContext& ctx) {
  const View &logits = ctx.inputs[0], &out = ctx.outputs[0];
  const Layout layout(logits.shape, ctx.attrs[1].as_bool());
  if (const KernelResult result = check_dense(ctx, layout); result.problem != nullptr)
    return result;
  if (out.size() == 0) return KernelResult::ok();
  std::memset(out.data, 0, static_cast<size_t>(out.shape.num_bytes(dtype_size(out.dtype))));
  if (logits.dtype == DType::kFloat32) {
    run_dense<float>(ctx, layout, nullptr, out.as<float>());
  } else {
    run_dense<double>(ctx, layout, nullptr, out.as<double>());
  }
  return KernelResult::ok();
}

// A number for each item, as it broadcasts to logits.
Tensor per_item(const Tensor& numbers, bool time_major) {
  const int64_t batch = numbers.dim(0);
  return reshape(numbers, shape_tensor(time_major ? Shape{batch, 1} : Shape{batch, 1, 1}));
}

Gradients grad_dense(const GradContext& g) {
  const bool time_major = g.attr(1).as_bool();
  const Tensor each = ctc_loss_dense_grad(g.input(0), g.input(1), g.input(2), g.input(3),
                                          g.attr(0).as_int(), time_major);
  return {each * per_item(g.dy(), time_major), {}, {}, {}};
}

// --- Sparse -----------------------------------------------------------------------------------

void infer_sparse(InferContext& ctx) {
  ctx.check_rank(0, 3);
  ctx.check_rank(1, 2);
  ctx.check_rank(2, 1);
  const Shape &logits = ctx.shape(0), &indices = ctx.shape(1), &values = ctx.shape(2);
  if (!logits.has_rank()) {
    ctx.add_output(ctx.dtype(0), Shape{kUnknownDim});
    return ctx.add_output(ctx.dtype(0), logits);
  }
  ctx.add_output(ctx.dtype(0), Shape{logits[1]});
  ctx.add_output(ctx.dtype(0), logits);
  if (!logits.is_known() || !indices.is_known() || !values.is_known()) return;
  if (indices[1] != 2 || indices[0] != values[0]) {
    ctx.fail("labels_indices must have two numbers for each of labels_values, but the shapes are ",
             indices, " and ", values);
  }
  if (logits[2] == 0) ctx.fail("there must be a class at least, but inputs have shape ", logits);
  check_vector(ctx, 3, logits[1]);
  set_scratch(ctx, logits[1], logits[0], values[0]);
}

// The labels of each item: [begin, begin + count) of the values, without trailing ones that name no
// class.
struct Span {
  int64_t begin = 0, count = 0;
};

// The next item's labels after `begin`, or the problem with them.
KernelResult next_labels(const KernelContext& ctx, int64_t item, int64_t begin, int64_t blank,
                         Span* span, int64_t* end) {
  const View& indices = ctx.inputs[1];
  const int32_t* values = ctx.inputs[2].as<int32_t>();
  const int64_t total = ctx.inputs[2].shape[0];
  *span = {begin, 0};
  bool is_over = false;
  int64_t i = begin;
  for (; i < total && indices.as<int64_t>()[2 * i] == item; ++i) {
    if (values[i] < 0)
      return KernelResult::invalid("labels_values[{}] = {}: labels must be nonnegative", i,
                                   values[i]);
    if (values[i] >= blank) {
      is_over = true;
    } else if (is_over) {
      return KernelResult::invalid(
          "Saw a non-null label (index >= num_classes - 1) following a null label, batch: {}",
          item);
    } else {
      ++span->count;
    }
  }
  *end = i;
  if (span->count == 0 && !is_over)
    return KernelResult::invalid("Labels length is zero in batch {}", item);
  return KernelResult::ok();
}

class Sparse {
 public:
  explicit Sparse(const KernelContext& ctx)
      : ctx_(ctx),
        layout_(ctx.inputs[0].shape, true),
        ctc_{ctx.inputs[0].dtype, layout_.time,        layout_.classes,
             layout_.time_stride, layout_.classes - 1, ctx.attrs[1].as_bool()} {}

  // All checks, before anything is written.
  KernelResult check() {
    int64_t begin = 0;
    for (int64_t b = 0; b < layout_.batch; ++b) {
      Span span;
      if (const auto result = next_labels(ctx_, b, begin, ctc_.blank, &span, &begin);
          result.problem != nullptr)
        return result;
      const int64_t steps = ctx_.inputs[3].as<int32_t>()[b];
      if (steps < 0 || steps > layout_.time)
        return KernelResult::invalid("sequence_length({}) = {} is not in [0, {}]", b, steps,
                                     layout_.time);
      const int64_t least = copy_labels(span);
      if (least > steps && !ctx_.attrs[2].as_bool()) {
        return KernelResult::invalid(
            "Not enough time for target transition sequence (required: {}, available: {}), item {}",
            least, steps, b);
      }
    }
    if (begin < ctx_.inputs[2].shape[0])
      return KernelResult::invalid("labels_indices are out of order or of bounds at {}", begin);
    return KernelResult::ok();
  }

  // Pre: check() found nothing.
  template <typename T>
  void run() {
    int64_t begin = 0;
    double* scratch = static_cast<double*>(ctx_.scratch) + ctx_.inputs[2].shape[0];
    for (int64_t b = 0; b < layout_.batch; ++b) {
      Span span;
      static_cast<void>(next_labels(ctx_, b, begin, ctc_.blank, &span, &begin));
      const int64_t steps = ctx_.inputs[3].as<int32_t>()[b];
      const bool is_skipped = copy_labels(span) > steps;
      const int64_t at = b * layout_.batch_stride;
      const kernels::CtcItem item{ctx_.inputs[0].as<T>() + at, steps, labels(), count_};
      T& loss = ctx_.outputs[0].as<T>()[b];
      loss = is_skipped ? T(0)
                        : static_cast<T>(
                              kernels::ctc_loss(ctc_, item, scratch, ctx_.outputs[1].as<T>() + at));
    }
  }

 private:
  int64_t* labels() const { return static_cast<int64_t*>(ctx_.scratch); }

  // Sets labels() and gives the steps that they need at least.
  int64_t copy_labels(const Span& span) {
    const int32_t* values = ctx_.inputs[2].as<int32_t>() + span.begin;
    const bool collapses = ctx_.attrs[0].as_bool();
    count_ = 0;
    for (int64_t i = 0; i < span.count; ++i) {
      if (collapses && i > 0 && values[i] == values[i - 1]) continue;
      labels()[count_++] = values[i];
    }
    return kernels::ctc_least_steps(ctc_, labels(), count_);
  }

  const KernelContext& ctx_;
  Layout layout_;
  kernels::Ctc ctc_;
  int64_t count_ = 0;
};

KernelResult cpu_sparse(const KernelContext& ctx) {
  Sparse batch(ctx);
  if (const KernelResult result = batch.check(); result.problem != nullptr) return result;
  const View& out = ctx.outputs[1];
  std::memset(out.data, 0, static_cast<size_t>(out.shape.num_bytes(dtype_size(out.dtype))));
  out.dtype == DType::kFloat32 ? batch.run<float>() : batch.run<double>();
  return KernelResult::ok();
}

// For the loss alone: the gradient that the op returns is not differentiable, as in TensorFlow.
Gradients grad_sparse(const GradContext& g) {
  return {g.output(1) * per_item(g.dy(), true), {}, {}, {}};
}

// --- Samples ----------------------------------------------------------------------------------

std::vector<Sample> dense_samples() {
  using enum DType;
  const auto labels = [](std::vector<double> values) {
    const auto count = static_cast<int64_t>(values.size());
    return given(kInt32, {2, count / 2}, std::move(values));
  };
  return {
      {{f32({5, 2, 4}), labels({1, 2, 1, 0}), ints({2, 1}), ints({5, 4})}},
      {{of(kFloat64, {5, 2, 4}), labels({1, 1, 3, 2}), ints({2, 2}), ints({5, 3})}},
      {{of(kFloat64, {2, 5, 3}), labels({0, 1, 0, 1}), ints({2, 2}), ints({5, 4})},
       {{"blank_index", -1}, {"logits_time_major", false}}},
      {{of(kFloat64, {3, 2, 3}), labels({1, 2}), ints({0, 1}), ints({3, 2})}},
      {{f32({3, 0, 3}), i32({0, 2}), i32({0}), i32({0})}},
      {.inputs = {f32({100, 16, 64}), i32({16, 20}, 1, 64), i32({16}, 20, 21), i32({16}, 100, 101)},
       .for_speed = true},
  };
}

std::vector<Sample> sparse_samples() {
  using enum DType;
  const SampleInput at = given(kInt64, {3, 2}, {0, 0, 0, 1, 1, 0});
  const auto call = [&](DType dtype, std::vector<double> values) {
    return std::vector<SampleInput>{of(dtype, {5, 2, 4}), at, ints(std::move(values)),
                                    ints({5, 4})};
  };
  // The second output has no gradient, so differences agree only where it does not depend on the
  // inputs: in a skipped item.
  return {
      {{of(kFloat64, {2, 1, 3}), given(kInt64, {2, 2}, {0, 0, 0, 1}), ints({1, 1}), ints({2})},
       {{"ignore_longer_outputs_than_inputs", true}}},
      {call(kFloat32, {1, 2, 0}), {}, 0, false},
      {call(kFloat64, {1, 1, 0}), {}, 0, false},
      {call(kFloat64, {1, 1, 0}), {{"ctc_merge_repeated", false}}, 0, false},
      {call(kFloat32, {1, 1, 0}), {{"preprocess_collapse_repeated", true}}, 0, false},
      {call(kFloat32, {1, 3, 0}), {}, 0, false},
      {.inputs = {f32({100, 1, 64}), given(kInt64, {1, 2}, {0, 0}), ints({5}), ints({100})},
       .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(ctc_loss_dense) = {
    .name = "CTCLossDense",
    .doc = "The negative log-probability that logits over time spell each item's labels.",
    .inputs = {in("logits", kLogitTypes), in("labels", kIndexTypes, 'L'),
               in("label_length", kIndexTypes, 'M'), in("logit_length", kIndexTypes, 'N')},
    .attrs = {int_attr("blank_index", 0), bool_attr("logits_time_major", true)},
    .infer = infer_dense,
    .cpu = cpu_dense,
    .grad = grad_dense,
    .saves = {.inputs = kAll},
    .samples = dense_samples,
};

PEN_OP_DEF(ctc_loss_dense_grad) = {
    .name = "CTCLossDenseGrad",
    .doc = "The gradient of each item's CTCLossDense for the logits.",
    .inputs = {in("logits", kLogitTypes), in("labels", kIndexTypes, 'L'),
               in("label_length", kIndexTypes, 'M'), in("logit_length", kIndexTypes, 'N')},
    .attrs = {int_attr("blank_index", 0), bool_attr("logits_time_major", true)},
    .infer = infer_dense_grad,
    .cpu = cpu_dense_grad,
    .grad = missing_gradient,
    .samples = dense_samples,
};

PEN_OP_DEF(ctc_loss) = {
    .name = "CTCLoss",
    .doc =
        "The negative log-probability that inputs over time spell each item's labels, and its "
        "gradient for the inputs.",
    .inputs = {in("inputs", kLogitTypes), in("labels_indices", DType::kInt64, 'I'),
               in("labels_values", DType::kInt32, 'V'), in("sequence_length", DType::kInt32, 'V')},
    .attrs = {bool_attr("preprocess_collapse_repeated", false),
              bool_attr("ctc_merge_repeated", true),
              bool_attr("ignore_longer_outputs_than_inputs", false)},
    .outputs = {"loss", "gradient"},
    .infer = infer_sparse,
    .cpu = cpu_sparse,
    .grad = grad_sparse,
    .saves = {.outputs = 2},
    .samples = sparse_samples,
};

}  // namespace penstock
