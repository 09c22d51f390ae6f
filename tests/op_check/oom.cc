// oom: every allocation of every sample fails in turn, forwards and backwards.
//
// After each failure the ledger must be where it was, and the next call must give the same bits.
#include <algorithm>
#include <cstdio>
#include <functional>

#include <penstock/autodiff/tape.h>
#include <penstock/memory/memory.h>

#include "call.h"

namespace penstock::op_check {
namespace {

using Outputs = std::vector<Tensor>;
using Body = std::function<Outputs()>;

Outputs run_forward(const Call& call) {
  const Tensors outputs = call.run();
  return {outputs.begin(), outputs.end()};
}

Outputs run_backward(const Call& call) {
  Tape tape;
  std::vector<Source> sources;
  for (const Tensor& input : call.inputs) {
    if (!is_differentiable(input.dtype())) continue;
    tape.watch(input);
    sources.emplace_back(input);
  }
  const Tensors outputs = call.run();
  Outputs found;
  for (const Gradient& gradient : tape.gradient(outputs, sources)) {
    if (gradient.defined()) found.push_back(gradient.dense());
  }
  return found;
}

// Ends an injection however its scope is left.
class Injection {
 public:
  explicit Injection(int64_t nth) { memory::inject({.nth = nth, .every = 0, .tag = {}}); }
  ~Injection() { end(); }
  int64_t end() { return memory::end_injection(); }
};

int64_t count_allocations(const Body& body) {
  Injection counting(0);
  static_cast<void>(body());
  return counting.end();
}

bool same(const Outputs& a, const Outputs& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_contents);
}

class Check {
 public:
  int64_t faults = 0;
  int64_t failures = 0;

  // Pre: `body` has run before, so that what is made once is made.
  void run(const Call& call, const char* what, bool repeats, const Body& body) {
    const Outputs expected = body();
    const int64_t count = count_allocations(body);
    for (int64_t n = 1; n <= count; ++n) {
      ++faults;
      const std::string problem = fail_at(n, expected, repeats, body);
      if (problem.empty()) continue;
      ++failures;
      std::printf("FAILED %s (%s, allocation %lld of %lld): %s\n", call.describe().c_str(), what,
                  static_cast<long long>(n), static_cast<long long>(count), problem.c_str());
    }
  }

 private:
  static std::string fail_at(int64_t n, const Outputs& expected, bool repeats, const Body& body) {
    const int64_t before = held_bytes();
    std::string problem = "no error was raised";
    {
      const Injection injection(n);
      try {
        static_cast<void>(body());
      } catch (const ResourceExhaustedError&) {
        problem.clear();
      } catch (const std::exception& error) {
        problem = cat("the wrong error was raised: ", error.what());
      }
    }
    if (!problem.empty()) return problem;
    if (held_bytes() != before)
      return cat("the ledger holds ", held_bytes() - before, " bytes more");
    try {
      if (const Outputs again = body(); repeats && !same(again, expected))
        return "the next call gave another result";
    } catch (const std::exception& error) {
      return cat("the next call failed: ", error.what());
    }
    return held_bytes() == before ? "" : "the next call left bytes behind";
  }
};

}  // namespace

int run_oom(const Options& options) {
  Check check;
  int64_t num_samples = 0;
  for (const Op& op : options.ops) {
    const bool repeats = !op.def->traits.has(Trait::kStateful);
    for (const Call& call : calls_of(op)) {
      ++num_samples;
      try {
        static_cast<void>(run_forward(call));
        check.run(call, "forward", repeats, [&] { return run_forward(call); });
        if (!op.def->is_differentiable()) continue;
        try {
          static_cast<void>(run_backward(call));
        } catch (const UnimplementedError&) {
          continue;  // no gradient with these attributes
        }
        check.run(call, "backward", repeats, [&] { return run_backward(call); });
      } catch (const std::exception& error) {
        ++check.failures;
        std::printf("FAILED %s: %s\n", call.describe().c_str(), error.what());
      }
    }
  }
  std::printf("op_check oom: %lld samples, %lld faults injected, %lld failed\n",
              static_cast<long long>(num_samples), static_cast<long long>(check.faults),
              static_cast<long long>(check.failures));
  return check.failures == 0 ? 0 : 1;
}

}  // namespace penstock::op_check
