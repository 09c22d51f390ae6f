// support: a Markdown table of ops, the dtypes that they run with, and whether they have gradients.
//
// A dtype that an OpDef accepts but none of whose samples run with it is a failure.
#include <cstdio>

#include "call.h"

namespace penstock::op_check {
namespace {

// The first input that is not a host one: its dtype is the op's, for the table.
const InputDef* main_input(const OpDef& op) {
  for (const InputDef& def : op.inputs) {
    if (!def.host) return &def;
  }
  return nullptr;
}

// The sample with every input of type letter `type` turned into `dtype`.
Sample with_dtype(const OpDef& op, const Sample& sample, char type, DType dtype) {
  Sample changed = sample;
  for (size_t i = 0; i < changed.inputs.size(); ++i) {
    if (input_def(op, i).type != type) continue;
    changed.inputs[i].dtype = dtype;
    if (dtype != DType::kString) changed.inputs[i].strings.clear();
  }
  return changed;
}

struct Attempt {
  bool runs = false;
  std::string problem = "no samples";
};

Attempt try_dtype(const Op& op, char type, DType dtype) {
  Attempt attempt;
  std::vector<Sample> samples = op.def->samples.value();
  for (size_t i = 0; i < samples.size() && !attempt.runs; ++i) {
    if (samples[i].for_speed) continue;
    try {
      static_cast<void>(make_call(op, i, with_dtype(*op.def, samples[i], type, dtype)).run());
      attempt.runs = true;
    } catch (const Error& error) {
      attempt.problem = error.what();
    }
  }
  return attempt;
}

}  // namespace

int run_support(const Options& options) {
  std::string problems;
  int failures = 0;
  std::printf("| op | gradient |");
  for (int d = 1; d < kNumDTypes; ++d)
    std::printf(" %s |", dtype_name(static_cast<DType>(d)).data());
  std::printf("\n|---|---|");
  for (int d = 1; d < kNumDTypes; ++d) std::printf("---|");
  std::printf("\n");
  for (const Op& op : options.ops) {
    std::printf("| %s | %s |", op.def->name.value.data(),
                op.def->grad.value != nullptr ? "yes" : "no");
    const InputDef* input = main_input(*op.def);
    for (int d = 1; d < kNumDTypes; ++d) {
      const auto dtype = static_cast<DType>(d);
      const bool accepted = input != nullptr && input->dtypes.has(dtype);
      const Attempt attempt = accepted ? try_dtype(op, input->type, dtype) : Attempt{};
      std::printf(" %s |", !accepted ? "" : attempt.runs ? "x" : "fails");
      if (!accepted || attempt.runs) continue;
      ++failures;
      problems += cat("FAILED ", op.def->name.value, " as ", dtype, ": ", attempt.problem, "\n");
    }
    std::printf("\n");
  }
  std::printf("\n%sop_check support: %zu ops, %d accepted dtypes do not run\n", problems.c_str(),
              options.ops.size(), failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace penstock::op_check
