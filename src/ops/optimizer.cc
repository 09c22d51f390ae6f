#include "ops/optimizer.h"

namespace penstock {
namespace {

bool is_number(const UpdateInputs& inputs, size_t i) {
  return i >= inputs.states && i != inputs.grad && (inputs.indices == 0 || i != inputs.indices);
}

// The gradient's rows belong to the variable's rows that the indices name.
void check_rows(const InferContext& ctx, const UpdateInputs& inputs) {
  const Shape &var = ctx.shape(0), &grad = ctx.shape(inputs.grad);
  ctx.check_rank(inputs.indices, 1);
  if (!var.is_known() || !grad.is_known() || !ctx.shape(inputs.indices).is_known()) return;
  if (var.rank() == 0) ctx.fail("the variable must have at least one dimension");
  Shape wanted = var;
  wanted.set(0, ctx.shape(inputs.indices)[0]);
  if (grad != wanted) {
    ctx.fail("the gradient must have shape ", wanted, " for a variable of shape ", var, " and ",
             wanted[0], " indices, but its shape is ", grad);
  }
}

template <typename T>
KernelResult check_indices(const View& indices, int64_t rows) {
  const T* values = indices.as<T>();
  for (int64_t i = 0; i < indices.shape[0]; ++i) {
    if (values[i] < 0 || values[i] >= rows)
      return KernelResult::invalid("indices[{}] = {} is not in [0, {})", i, values[i], rows);
  }
  return KernelResult::ok();
}

double number(const View& scalar) {
  switch (scalar.dtype) {
    case DType::kFloat16:
      return *scalar.as<float16>();
    case DType::kBFloat16:
      return *scalar.as<bfloat16>();
    case DType::kFloat32:
      return *scalar.as<float>();
    default:
      return *scalar.as<double>();
  }
}

kernels::UpdateNumbers read_numbers(const KernelContext& ctx, const UpdateInputs& inputs) {
  kernels::UpdateNumbers numbers;
  size_t count = 0;
  for (size_t i = 0; i < ctx.inputs.size(); ++i) {
    if (is_number(inputs, i)) numbers.values[count++] = number(ctx.inputs[i]);
  }
  if (ctx.attrs.size() > 0) numbers.nesterov = ctx.attrs[0].as_bool();
  if (ctx.attrs.size() > 1) numbers.weight_decay = ctx.attrs[1].as_float();
  return numbers;
}

}  // namespace

void infer_update(InferContext& ctx, const UpdateInputs& inputs) {
  const Shape& var = ctx.shape(0);
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    if (is_number(inputs, i)) ctx.check_rank(i, 0);
    const bool like_var = i < inputs.states || (i == inputs.grad && inputs.indices == 0);
    if (like_var && var.is_known() && ctx.shape(i).is_known() && ctx.shape(i) != var) {
      ctx.fail("var and ", ctx.op().inputs[i].name, " do not have the same shape: ", var, " vs. ",
               ctx.shape(i));
    }
  }
  if (inputs.indices != 0) check_rows(ctx, inputs);
  for (size_t i = 0; i < inputs.states; ++i) ctx.add_output(ctx.dtype(0), var);
}

KernelResult run_update(const KernelContext& ctx, const UpdateInputs& inputs) {
  const View& var = ctx.inputs[0];
  kernels::UpdateCall call{.rule = inputs.rule,
                           .dtype = var.dtype,
                           .states = static_cast<int>(inputs.states),
                           .in = {},
                           .out = {},
                           .grad = ctx.inputs[inputs.grad].data,
                           .numbers = read_numbers(ctx, inputs)};
  for (size_t i = 0; i < inputs.states; ++i) {
    call.in[i] = ctx.inputs[i].data;
    call.out[i] = ctx.outputs[i].data;
  }
  if (inputs.indices == 0) {
    kernels::update(call, var.size());
    return KernelResult::ok();
  }
  const View& indices = ctx.inputs[inputs.indices];
  const int64_t rows = var.shape[0];
  const KernelResult checked = indices.dtype == DType::kInt32
                                   ? check_indices<int32_t>(indices, rows)
                                   : check_indices<int64_t>(indices, rows);
  if (checked.problem != nullptr || var.size() == 0) return checked;
  kernels::update_rows(call, {.indices = indices.data,
                              .index_dtype = indices.dtype,
                              .num_indices = indices.shape[0],
                              .rows = rows,
                              .row_size = var.size() / rows});
  return KernelResult::ok();
}

}  // namespace penstock
