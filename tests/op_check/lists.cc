// lists: an attribute that is a list is read as what it is. One that was not given is taken only
// where the op declares a default for it, and no list that a caller can make stands for it: the
// empty list and the out-of-range number are lists like any other.
#include <cstdio>

#include "call.h"

namespace penstock::op_check {
namespace {

// The outputs of a call with one of its attributes replaced, or why it was refused.
struct Answer {
  Tensors outputs;
  std::string refusal;
};

Answer answer(const Call& call, std::string_view name, Attr value) {
  std::vector<NamedAttr> attrs;
  for (const NamedAttr& attr : call.attrs()) {
    if (attr.name != name) attrs.push_back(attr);
  }
  attrs.push_back({name, value});
  try {
    return {penstock::call(*call.op.def, call.inputs, attrs), ""};
  } catch (const InvalidArgumentError& error) {
    return {{}, error.what()};
  }
}

bool has_same_shapes(const Tensors& a, const Tensors& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].shape() != b[i].shape()) return false;
  }
  return true;
}

// What is wrong with how the call's op reads a list that was not given; empty when nothing is.
std::string problem_of(const Call& call, const AttrDef& def) {
  const Answer not_given = answer(call, def.name, kOptionalInts);
  if (!def.is_optional()) {
    const bool is_named = not_given.refusal.find(cat("'", def.name, "'")) != std::string::npos;
    return is_named ? "" : cat("it must be given, but: ", not_given.refusal);
  }
  if (!not_given.refusal.empty()) return cat("it need not be given, but: ", not_given.refusal);
  static constexpr int64_t kFarOut[] = {INT64_MIN};
  const Answer far_out = answer(call, def.name, Attr(std::span<const int64_t>(kFarOut)));
  if (far_out.refusal.empty() && has_same_shapes(far_out.outputs, not_given.outputs))
    return "a number out of every range is read as if no list were given";
  return "";
}

bool has_attr(const Call& call, std::string_view name) {
  for (const NamedAttr& attr : call.attrs()) {
    if (attr.name == name) return true;
  }
  return false;
}

}  // namespace

int run_lists(const Options& options) {
  int lists = 0, failures = 0;
  for (const Op& op : options.ops) {
    const std::vector<Call> calls = calls_of(op);
    for (const AttrDef& def : op.def->attrs) {
      if (def.kind != AttrKind::kInts) continue;
      ++lists;
      for (const Call& call : calls) {
        if (def.is_optional() && has_attr(call, def.name)) continue;
        const std::string problem = problem_of(call, def);
        if (problem.empty()) continue;
        ++failures;
        std::printf("FAILED %s, attribute '%.*s': %s\n", call.describe().c_str(),
                    static_cast<int>(def.name.size()), def.name.data(), problem.c_str());
      }
    }
  }
  std::printf("op_check lists: %d attributes, %d failed\n", lists, failures);
  return failures == 0 && lists > 0 ? 0 : 1;
}

}  // namespace penstock::op_check
