#include "exec/op_call.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include <penstock/base/strings.h>

namespace penstock::exec {

using Inputs = std::span<const Tensor* const>;

constinit thread_local Tag t_tag = Tag::kActivation;

namespace {

// True if the op also reads the tensor to be overwritten through another input. That is harmless
// only if every element is read before it is written.
bool is_read_twice(const OpDef& op, Inputs inputs, const Tensor& input) {
  if (op.traits.has(Trait::kElementwise)) return false;
  return std::count(inputs.begin(), inputs.end(), &input) > 1;
}

// The input whose buffer output `output` takes over, or null.
const Tensor* forwarded_input(const OpDef& op, Inputs inputs, uint64_t donated, size_t output,
                              const OutputSpec& spec) {
  for (const Forward& forward : op.forwards) {
    if (forward.output != output || ((donated >> forward.input) & 1) == 0) continue;
    const Tensor& input = *inputs[forward.input];
    if (input.dtype() == spec.dtype && input.shape() == spec.shape && input.can_be_overwritten() &&
        input.buffer()->bytes == input.num_bytes() && !is_read_twice(op, inputs, input)) {
      return &input;
    }
  }
  return nullptr;
}

}  // namespace

ledger::Owner owner_of(const OpDef& op) {
  const ledger::Owner owner = op.owner.load(std::memory_order_relaxed);
  if (__builtin_expect(owner != 0, 1)) return owner;
  const ledger::Owner added = ledger::add_owner(op.name);
  ledger::Owner expected = 0;
  if (op.owner.compare_exchange_strong(expected, added)) return added;
  ledger::remove_owner(added);  // another thread was first
  return expected;
}

Tensor make_output(const OpDef& op, Inputs inputs, uint64_t& donated, size_t i,
                   const OutputSpec& spec, const Tensor** donor) {
  if (spec.shares_input >= 0) {
    const Tensor& input = *inputs[static_cast<size_t>(spec.shares_input)];
    return Tensor::over(input.buffer(), input.offset() + spec.share_offset, spec.dtype, spec.shape);
  }
  if (donated != 0) {
    if (const Tensor* input = forwarded_input(op, inputs, donated, i, spec)) {
      *donor = input;
      for (size_t k = 0; k < inputs.size(); ++k) {
        if (inputs[k] == input) donated &= ~(uint64_t{1} << k);
      }
      return Tensor::over(input->buffer(), 0, spec.dtype, spec.shape);
    }
  }
  return Tensor::empty(spec.dtype, spec.shape, t_tag, owner_of(op));
}

[[gnu::noinline]] void fail_kernel(const OpDef& op, const KernelResult& result) {
  std::string text;
  size_t number = 0;
  for (const char* c = result.problem; *c != '\0'; ++c) {
    if (c[0] == '{' && c[1] == '}' && number < 3) {
      text += std::to_string(result.numbers[number++]);
      ++c;
    } else {
      text += *c;
    }
  }
  if (text.starts_with('[')) throw InvalidArgumentError(text);  // it names another op
  throw InvalidArgumentError(cat("[", op.name.value, "] ", text));
}

// An error from below the op (a size overflow) does not know the op's name.
[[gnu::noinline]] void name_the_op(const OpDef& op, const ResourceExhaustedError& error) {
  if (error.what()[0] == '[') throw error;
  char text[512];  // no heap: it may be exhausted
  std::snprintf(text, sizeof text, "[%.*s] %s", static_cast<int>(op.name.value.size()),
                op.name.value.data(), error.what());
  throw ResourceExhaustedError(text);
}

void take_donated(const OpDef& op, const Tensor& input) {
  if (Buffer& buffer = *input.buffer().get(); buffer.tag == Tag::kConstant)
    retag_buffer(buffer, t_tag, owner_of(op));
  Tensor& holder = *const_cast<Tensor*>(&input);  // its holder donated it
  holder = holder.without_data();
}

}  // namespace penstock::exec
