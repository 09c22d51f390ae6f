// shapes: what is known of results while sizes are open holds for every size. Each sample is traced
// with some of its inputs' dimensions unknown; then it is traced with sizes in their place (none,
// one, primes, multiples, those of the sample), and where the op takes these, each dimension that
// the open trace knew must be the one that comes out.
#include <cstdio>
#include <map>
#include <optional>

#include <penstock/exec/function.h>
#include <penstock/exec/trace.h>

#include "call.h"

namespace penstock::op_check {
namespace {

using Shapes = std::vector<Shape>;

class Check {
 public:
  int64_t signatures = 0, sizes = 0, dims = 0, known = 0, refused = 0, failures = 0;

  void run(const Op& op, uint64_t seed) {
    constexpr int kRandomSignatures = 2;
    Random random(seed);
    for (const Call& call : calls_of(op)) {
      check(call, opened(call, [](size_t, int) { return true; }), random);
      check(call, opened(call, [](size_t, int d) { return d == 0; }), random);
      check(call, opened(call, [](size_t i, int) { return i == 0; }), random);
      for (int k = 0; k < kRandomSignatures; ++k)
        check(call, opened(call, [&](size_t, int) { return random.chance(50); }), random);
    }
  }

 private:
  // The inputs' shapes without the dimensions that `is_open` names. What infer reads stays.
  template <typename IsOpen>
  static Shapes opened(const Call& call, IsOpen is_open) {
    Shapes shapes;
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      Shape shape = call.inputs[i].shape();
      for (int d = 0; d < shape.rank() && !call.op.def->input(i).host; ++d) {
        if (is_open(i, d)) shape.set(d, kUnknownDim);
      }
      shapes.push_back(shape);
    }
    return shapes;
  }

  // The shapes of the outputs for inputs of these shapes; none where the op does not take them.
  static std::optional<Shapes> traced(const Call& call, const Shapes& shapes, std::string* error) {
    try {
      Trace trace("shapes");
      std::vector<Tensor> inputs;
      for (size_t i = 0; i < shapes.size(); ++i) {
        const Tensor& input = call.inputs[i];
        inputs.push_back(call.op.def->input(i).host ? input
                                                    : trace.input(input.dtype(), shapes[i]));
      }
      Shapes found;
      for (const Tensor& output : call.run(inputs)) found.push_back(output.shape());
      return found;
    } catch (const Error& problem) {
      *error = problem.what();
      return std::nullopt;
    }
  }

  // Sizes in the place of unknown dimensions: often the same for those that are the same in the
  // sample, without which few calls would be good.
  static Shapes with_sizes(const Call& call, Shapes shapes, Random& random) {
    static constexpr int64_t kSizes[] = {0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 16, 24, 60, 127};
    const bool are_alike = random.chance(70);
    std::map<int64_t, int64_t> size_for;
    const auto draw = [&](int64_t own) {
      if (random.chance(25)) return own;
      if (random.chance(15)) return own * (2 + random.below(3));
      return kSizes[random.below(std::size(kSizes))];
    };
    for (size_t i = 0; i < shapes.size(); ++i) {
      for (int d = 0; d < shapes[i].rank(); ++d) {
        if (shapes[i][d] != kUnknownDim) continue;
        const int64_t own = call.inputs[i].shape()[d];
        if (!are_alike) {
          shapes[i].set(d, draw(own));
          continue;
        }
        if (!size_for.contains(own)) size_for[own] = draw(own);
        shapes[i].set(d, size_for[own]);
      }
    }
    return shapes;
  }

  void check(const Call& call, const Shapes& open, Random& random) {
    constexpr int kTries = 12;
    ++signatures;
    std::string error;
    const std::optional<Shapes> found = traced(call, open, &error);
    if (!found) {
      // Of what is made of many calls, sizes that fit them all are not always found.
      ++refused;
      if (call.op.def->compose == nullptr) fail(call, open, cat("refused: ", error));
      return;
    }
    Shapes own;
    for (const Tensor& input : call.inputs) own.push_back(input.shape());
    for (int k = -1; k < kTries; ++k) {
      const Shapes sizes_here = k < 0 ? own : with_sizes(call, open, random);
      const std::optional<Shapes> real = traced(call, sizes_here, &error);
      if (!real) {
        if (k < 0) return fail(call, open, cat("the sample itself is refused: ", error));
        continue;
      }
      ++sizes;
      if (std::string problem = compare(*found, *real, k < 0); !problem.empty())
        return fail(call, open, cat(problem, " for ", text(sizes_here)));
    }
  }

  std::string compare(const Shapes& found, const Shapes& real, bool counts) {
    if (found.size() != real.size()) return cat(real.size(), " outputs, not ", found.size());
    for (size_t i = 0; i < real.size(); ++i) {
      if (!real[i].has_rank()) continue;
      if (counts) dims += real[i].rank();
      if (!found[i].has_rank()) continue;
      bool fits = found[i].rank() == real[i].rank();
      for (int d = 0; fits && d < real[i].rank(); ++d) {
        if (counts && found[i][d] != kUnknownDim) ++known;
        fits = found[i][d] == kUnknownDim || real[i][d] == kUnknownDim || found[i][d] == real[i][d];
      }
      if (!fits) return cat("output ", i, " was said to be ", found[i], ", but is ", real[i]);
    }
    return "";
  }

  static std::string text(const Shapes& shapes) {
    std::string all;
    for (const Shape& shape : shapes) all += cat(all.empty() ? "" : ", ", shape);
    return all;
  }

  void fail(const Call& call, const Shapes& open, const std::string& problem) {
    ++failures;
    std::printf("FAILED %s as %s: %s\n", call.describe().c_str(), text(open).c_str(),
                problem.c_str());
  }
};

}  // namespace

int run_shapes(const Options& options) {
  Check check;
  for (const Op& op : options.ops) check.run(op, options.seed);
  const bool are_few = check.refused * 1000 <= check.signatures;
  if (!are_few) std::printf("FAILED more than one in a thousand signatures is refused\n");
  std::printf(
      "op_check shapes: %lld open signatures, %lld with sizes, %lld of %lld dimensions known, %lld "
      "refused, %lld failed\n",
      static_cast<long long>(check.signatures), static_cast<long long>(check.sizes),
      static_cast<long long>(check.known), static_cast<long long>(check.dims),
      static_cast<long long>(check.refused), static_cast<long long>(check.failures));
  return check.failures == 0 && are_few ? 0 : 1;
}

}  // namespace penstock::op_check
