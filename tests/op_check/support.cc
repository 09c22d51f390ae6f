// support: a Markdown table of ops, the dtypes that they run with, and whether they have gradients.
//
// An op's dtype is that of its inputs of type T, host ones (a shape, a size) aside; where there are
// none, its dtype attribute, or else its first input's. A dtype that an OpDef accepts but none of
// whose samples run with it is a failure, except where inputs have each their own dtype.
#include <cstdio>

#include "call.h"

namespace penstock::op_check {
namespace {

// What the table's columns are about: an input, or an attribute.
struct Subject {
  const InputDef* input = nullptr;
  const AttrDef* attr = nullptr;

  // An attribute does not say which dtypes it takes: all are tried.
  bool accepts(DType dtype) const {
    return input != nullptr ? input->dtypes.has(dtype) : attr != nullptr;
  }
};

Subject subject_of(const OpDef& op) {
  for (const InputDef& def : op.inputs) {
    if (!def.host && def.type == 'T') return {&def, nullptr};
  }
  for (const AttrDef& def : op.attrs) {
    if (def.kind == AttrKind::kDType) return {nullptr, &def};
  }
  // Of several host inputs the one whose dtype the output has.
  for (const InputDef& def : op.inputs) {
    if (def.type == 'T') return {&def, nullptr};
  }
  return {op.inputs.size() > 0 ? &op.inputs[0] : nullptr, nullptr};
}

// The sample with the subject turned into `dtype`: every input of its type letter (the last one of
// inputs with dtypes of their own), or the attribute.
Sample with_dtype(const OpDef& op, const Sample& sample, const Subject& subject, DType dtype) {
  Sample changed = sample;
  if (subject.attr != nullptr) {
    std::erase_if(changed.attrs, [&](const SampleAttr& a) { return a.name == subject.attr->name; });
    changed.attrs.push_back({subject.attr->name, dtype});
    return changed;
  }
  for (size_t i = 0; i < changed.inputs.size(); ++i) {
    if (op.input(i).type != subject.input->type) continue;
    if (subject.input->type == kMixed && i + 1 < changed.inputs.size()) continue;
    changed.inputs[i].dtype = dtype;
    if (dtype != DType::kString) changed.inputs[i].strings.clear();
  }
  return changed;
}

struct Attempt {
  bool runs = false;
  std::string problem = "no samples";
};

Attempt try_dtype(const Op& op, const Subject& subject, DType dtype) {
  Attempt attempt;
  std::vector<Sample> samples = op.def->samples.value();
  for (size_t i = 0; i < samples.size() && !attempt.runs; ++i) {
    if (samples[i].for_speed) continue;
    try {
      static_cast<void>(make_call(op, i, with_dtype(*op.def, samples[i], subject, dtype)).run());
      attempt.runs = true;
    } catch (const Error& error) {
      attempt.problem = error.what();
    }
  }
  return attempt;
}

constexpr int kNameWidth = 36;

// Cells as wide as the dtype's name, so that the table is readable as plain text.
void print_cell(std::string_view text, size_t width) {
  std::printf(" %-*.*s |", static_cast<int>(width), static_cast<int>(text.size()), text.data());
}

void print_head() {
  std::printf("|");
  print_cell("op", kNameWidth);
  print_cell("gradient", 8);
  for (int d = 1; d < kNumDTypes; ++d) {
    const std::string_view name = dtype_name(static_cast<DType>(d));
    print_cell(name, name.size());
  }
  std::printf("\n|%s|%s|", std::string(kNameWidth + 2, '-').c_str(), std::string(10, '-').c_str());
  for (int d = 1; d < kNumDTypes; ++d)
    std::printf("%s|", std::string(dtype_name(static_cast<DType>(d)).size() + 2, '-').c_str());
  std::printf("\n");
}

}  // namespace

int run_support(const Options& options) {
  std::string problems;
  int failures = 0, with_gradient = 0;
  print_head();
  for (const Op& op : options.ops) {
    const bool has_gradient = op.def->is_differentiable();
    with_gradient += has_gradient;
    std::printf("|");
    print_cell(op.def->name.value, kNameWidth);
    print_cell(has_gradient ? "yes" : "", 8);
    const Subject subject = subject_of(*op.def);
    for (int d = 1; d < kNumDTypes; ++d) {
      const auto dtype = static_cast<DType>(d);
      const bool accepted = subject.accepts(dtype);
      const Attempt attempt = accepted ? try_dtype(op, subject, dtype) : Attempt{};
      const bool must_run = subject.input != nullptr && subject.input->type != kMixed;
      const bool fails = accepted && must_run && !attempt.runs;
      print_cell(attempt.runs ? "x" : fails ? "FAILS" : "", dtype_name(dtype).size());
      if (!fails) continue;
      ++failures;
      problems += cat("FAILED ", op.def->name.value, " as ", dtype, ": ", attempt.problem, "\n");
    }
    std::printf("\n");
  }
  std::printf("\n%sop_check support: %zu ops, %d with a gradient, %d accepted dtypes do not run\n",
              problems.c_str(), options.ops.size(), with_gradient, failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace penstock::op_check
