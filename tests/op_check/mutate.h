// RandomCall: a sample bent out of shape, for the fuzzer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "call.h"

namespace penstock::op_check {

struct RandomInput {
  SampleInput spec;
  enum class Kind { kPlain, kUndefined, kWithoutData, kAtOffset } kind = Kind::kPlain;
};

struct RandomCall {
  Op op;
  std::vector<RandomInput> inputs;
  std::vector<std::pair<std::string, AttrLiteral>> attrs;
  bool with_gradient = false;
  uint64_t given = 0;  // inputs handed over

  std::string describe() const;
};

// Takes a sample of `op` and changes zero to four things about it.
RandomCall random_call(const Op& op, const std::vector<Sample>& samples, Random& random);
// May throw: a shape may be too large, a dtype invalid.
Tensor make_tensor(const RandomInput& input, Random& random);

}  // namespace penstock::op_check
