// Helpers shared by string ops: elements as text, results one by one, broadcasting, samples.
//
// Their kernels create strings and so may run out of memory: they may throw, after which everything
// is released (Trait::kMakesStrings). They never run in parallel.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <penstock/memory/strings.h>
#include <penstock/ops/context.h>
#include <penstock/ops/sample.h>

namespace penstock::text {

inline std::string_view at(const View& strings, int64_t i) noexcept {
  return string_text(strings.as<StringRef>()[i]);
}

// One output of strings of input 0's shape.
inline void infer_same(InferContext& ctx) { ctx.add_output(DType::kString, ctx.shape(0)); }

// Sets every element of `out` to make(i).
template <typename Make>
KernelResult fill(const View& out, const Make& make) {
  StringRef* to = out.as<StringRef>();
  const int64_t count = out.size();
  for (int64_t i = 0; i < count; ++i) to[i] = make(i);
  return KernelResult::ok();
}

// The index in a smaller shape of element `i` of the shape it is broadcast to.
class Broadcast {
 public:
  Broadcast(const Shape& from, const Shape& to) : to_(to) {
    const int missing = to.rank() - from.rank();
    int64_t stride = 1;
    for (int i = to.rank() - 1; i >= 0; --i) {
      const int64_t dim = i < missing ? 1 : from[i - missing];
      strides_[i] = dim == 1 ? 0 : stride;
      stride *= dim;
    }
  }
  int64_t operator()(int64_t i) const {
    int64_t at = 0;
    for (int k = to_.rank() - 1; k >= 0; --k) {
      at += i % to_[k] * strides_[k];
      i /= to_[k];
    }
    return at;
  }

 private:
  Shape to_;
  int64_t strides_[kMaxRank] = {};
};

inline SampleInput words(Shape shape, std::vector<std::string> strings) {
  return {.dtype = DType::kString, .shape = shape, .strings = std::move(strings)};
}

}  // namespace penstock::text
