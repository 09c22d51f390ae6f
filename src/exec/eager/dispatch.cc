// dispatch: runs an op call: memory, kernel, ledger and tapes meet here.
#include <penstock/ops/dispatch.h>

#include <cstring>
#include <optional>

#include <penstock/base/check.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/memory/strings.h>
#include <penstock/ops/compose.h>

#include "autodiff/recording.h"
#include "exec/op_call.h"
#include "exec/trace/random_states.h"
#include "exec/trace/trace_op.h"
#include "exec/trace/trace_state.h"

namespace penstock {

using Inputs = std::span<const Tensor* const>;
using exec::make_output;
using exec::owner_of;

namespace {

template <typename... Parts>
[[noreturn, gnu::noinline]] void fail(const OpDef& op, const Parts&... parts) {
  throw InvalidArgumentError(cat("[", op.name.value, "] ", parts...));
}
template <typename... Parts>
[[noreturn, gnu::noinline]] void fail_type(const OpDef& op, const Parts&... parts) {
  throw TypeError(cat("[", op.name.value, "] ", parts...));
}

void check_count(const OpDef& op, size_t count) {
  const size_t defined = op.inputs.size();
  const bool takes_many = defined > 0 && op.inputs[defined - 1].many;
  if (takes_many ? count < defined : count != defined) {
    fail(op, "takes ", defined, takes_many ? " or more" : "", " inputs, but got ", count);
  }
}

void check_dtypes(const OpDef& op, Inputs inputs) {
  DType seen[26] = {};
  for (size_t i = 0; i < inputs.size(); ++i) {
    const InputDef& def = op.input(i);
    if (!inputs[i]->defined()) fail(op, "input '", def.name, "' is not a tensor");
    if (!inputs[i]->has_data() && !inputs[i]->is_symbolic())
      fail(op, "input '", def.name, "' has no data: it was handed over before");
    const DType dtype = inputs[i]->dtype();
    if (!def.dtypes.has(dtype)) fail_type(op, "input '", def.name, "' cannot be ", dtype);
    if (def.type == kMixed) continue;
    DType& same = seen[def.type - 'A'];
    if (same == DType::kInvalid) same = dtype;
    if (same != dtype) {
      fail_type(op, "input '", def.name, "' was expected to be ", same,
                ", as the others are, but is ", dtype);
    }
  }
}

void check_attrs(const OpDef& op, Attrs attrs) {
  if (attrs.size() != op.attrs.size()) {
    fail(op, "takes ", op.attrs.size(), " attributes, but got ", attrs.size());
  }
  for (size_t i = 0; i < attrs.size(); ++i) {
    if (attrs[i].kind() != op.attrs[i].kind) {
      fail(op, "attribute '", op.attrs[i].name, "' must be of kind ", op.attrs[i].kind, ", but is ",
           attrs[i].kind());
    }
    if (attrs[i].kind() == AttrKind::kInts && !is_given(attrs[i].as_ints()) &&
        !op.attrs[i].is_optional()) {
      fail(op, "attribute '", op.attrs[i].name, "' must be given: it has no default");
    }
    if (attrs[i].kind() == AttrKind::kDType) {
      const int dtype = static_cast<int>(attrs[i].as_dtype());
      if (dtype <= 0 || dtype >= kNumDTypes)
        fail_type(op, "attribute '", op.attrs[i].name, "' is no dtype");
    }
  }
}

// Gives a bounded output its real shape and returns the unused memory.
void settle_shape(const OpDef& op, Tensor& output, const Shape& shape) {
  if (shape == output.shape()) return;
  const int64_t bytes = shape.num_bytes(dtype_size(output.dtype()));
  PEN_CHECK(bytes <= output.buffer()->bytes);
  const size_t block_bytes = output.buffer()->block_bytes;
  if (static_cast<size_t>(bytes) + sizeof(Buffer) > block_bytes / 2 ||
      output.dtype() == DType::kString) {
    shrink_buffer(*output.buffer().get(), bytes);
    output = output.shared_as(shape);
    return;
  }
  Tensor exact = Tensor::empty(output.dtype(), shape, exec::t_tag, owner_of(op));
  std::memcpy(exact.raw(), output.raw(), static_cast<size_t>(bytes));
  output = std::move(exact);
}

std::span<const StringRef> strings_of(const Tensor& tensor) {
  return {static_cast<const StringRef*>(tensor.raw()), static_cast<size_t>(tensor.num_elements())};
}

void run_kernel(const OpDef& op, std::span<const View> in, InferContext& infer, Attrs attrs,
                Tensors& outputs) {
  SmallVector<View, 2> out;
  for (const Tensor& output : outputs) out.push_back(output.view());
  BufferRef scratch;
  if (infer.scratch_bytes() > 0) {
    scratch = BufferRef(allocate_buffer({.bytes = infer.scratch_bytes(),
                                         .device = {},
                                         .tag = Tag::kWorkspace,
                                         .owner = owner_of(op)}));
  }
  const KernelResult result = op.cpu({in, out, attrs, scratch ? scratch->data : nullptr});
  const bool counts_strings = !op.traits.has(Trait::kMakesStrings);
  if (__builtin_expect(result.problem != nullptr, 0)) {
    for (const Tensor& output : outputs) {
      // Strings that the kernel has copied so far were never counted.
      if (output.dtype() == DType::kString && counts_strings)
        std::memset(output.raw(), 0, static_cast<size_t>(output.num_bytes()));
    }
    exec::fail_kernel(op, result);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].dtype() == DType::kString && counts_strings)
      retain_strings(strings_of(outputs[i]));
    if (op.traits.has(Trait::kDynamicShape)) settle_shape(op, outputs[i], out[i].shape);
  }
}

// For a call in place: after the kernel has overwritten its input nothing may fail any more, so the
// tapes allocate their memory first.
void run_recorded_first(const OpDef& op, Inputs inputs, std::span<const View> in,
                        InferContext& infer, Attrs attrs, Tensors& outputs) {
  try {
    autodiff::record(op, inputs, attrs, outputs);
    run_kernel(op, in, infer, attrs, outputs);
  } catch (...) {
    autodiff::unrecord(outputs);
    throw;
  }
}

// Inside a trace: the outputs as values of its graph, or none if the op can run now.
[[gnu::noinline]] std::optional<Tensors> traced(const OpDef& op, Inputs inputs, Attrs attrs,
                                                InferContext& infer) {
  if (exec::t_trace != nullptr) return exec::trace_op(*exec::t_trace, op, inputs, attrs, infer);
  for (const Tensor* input : inputs) {
    if (input->is_symbolic()) exec::fail_out_of_scope(*input);
  }
  return std::nullopt;
}

Tensors run(const OpDef& op, Inputs inputs, Attrs attrs, uint64_t donated) {
  check_count(op, inputs.size());
  check_dtypes(op, inputs);
  check_attrs(op, attrs);
  SmallVector<View, 4> views;
  bool is_symbolic = exec::t_trace != nullptr;
  for (const Tensor* input : inputs) {
    views.push_back(input->view());
    is_symbolic = is_symbolic || input->is_symbolic();
  }
  if (__builtin_expect(is_symbolic, 0) && exec::t_trace != nullptr &&
      exec::is_open_call(*exec::t_trace, op, inputs))
    return exec::trace_open(*exec::t_trace, op, inputs, attrs);
  if (op.compose != nullptr) return op.compose(ComposeContext(op, inputs, views, attrs));
  InferContext infer(op, views, attrs);
  op.infer(infer);
  if (__builtin_expect(is_symbolic, 0)) {
    if (std::optional<Tensors> values = traced(op, inputs, attrs, infer)) return std::move(*values);
  }

  const bool records = autodiff::is_recording() && op.grad.value != nullptr;
  if (records) donated &= autodiff::has_accumulator() ? 0 : ~uint64_t{op.saves.inputs};
  Tensors outputs;
  SmallVector<const Tensor*, 2> donors;
  bool needs_kernel = false;
  for (size_t i = 0; i < infer.outputs().size(); ++i) {
    const OutputSpec& spec = infer.outputs()[i];
    const Tensor* from = nullptr;
    outputs.push_back(make_output(op, inputs, donated, i, spec, &from));
    if (from != nullptr) donors.push_back(from);
    needs_kernel = needs_kernel || spec.shares_input < 0;
  }
  exec::OwnAttrs own;
  if (__builtin_expect(op.traits.has(Trait::kStateful), 0))
    attrs = exec::placed(op, views, infer.outputs()[0].shape, attrs, own);
  if (records && !donors.empty()) {
    run_recorded_first(op, inputs, views, infer, attrs, outputs);
  } else {
    if (needs_kernel) run_kernel(op, views, infer, attrs, outputs);
    if (records) autodiff::record(op, inputs, attrs, outputs);
  }
  if (!records && autodiff::is_recording()) autodiff::record_loss(op, inputs, outputs);
  for (const Tensor* input : donors) exec::take_donated(op, *input);
  return outputs;
}

}  // namespace

Tensors dispatch(const OpDef& op, Inputs inputs, Attrs attrs, uint64_t donated) {
  return exec::with_op_named(op, [&] {
    if (__builtin_expect(exec::t_trace != nullptr && exec::t_trace->keeps_all, 0)) {
      const exec::KnownInputs known(*exec::t_trace, op, inputs);
      return run(op, known.get(), attrs, donated);
    }
    return run(op, inputs, attrs, donated);
  });
}

TagScope::TagScope(Tag tag) : before_(exec::t_tag) { exec::t_tag = tag; }
TagScope::~TagScope() { exec::t_tag = before_; }

}  // namespace penstock
