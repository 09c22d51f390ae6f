#include "kernels/select.h"

#include <cstring>

#define HWY_TARGET_INCLUDE "kernels/select.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {

// One value of the condition for the whole run.
template <typename Word>
void copy_run(const Word* from, Word* out, int64_t n, int stride) {
  if (stride == 0) {
    const Word word = *from;
    for (int64_t i = 0; i < n; ++i) out[i] = word;
  } else if (from != out) {
    std::memcpy(out, from, static_cast<size_t>(n) * sizeof(Word));
  }
}

template <typename Word>
void select(const void* condition_data, const void* then_data, const void* else_data,
            void* out_data, int64_t n, int stride_condition, int stride_then, int stride_else) {
  const auto* condition = static_cast<const uint8_t*>(condition_data);
  const Word* yes = static_cast<const Word*>(then_data);
  const Word* no = static_cast<const Word*>(else_data);
  Word* out = static_cast<Word*>(out_data);
  if (stride_condition == 0) {
    return *condition != 0 ? copy_run(yes, out, n, stride_then) : copy_run(no, out, n, stride_else);
  }
  if (stride_then != 0 && stride_else != 0) {
    PEN_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) {
      const Word x = yes[i];
      const Word y = no[i];
      out[i] = condition[i] != 0 ? x : y;
    }
  } else if (stride_then != 0) {
    const Word y = *no;
    PEN_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) {
      const Word x = yes[i];
      out[i] = condition[i] != 0 ? x : y;
    }
  } else {
    const Word x = *yes;
    for (int64_t i = 0; i < n; ++i) {
      const Word y = no[i * stride_else];
      out[i] = condition[i] != 0 ? x : y;
    }
  }
}

TernaryLoop fast_loop(size_t size) {
  if (size == 4) return select<uint32_t>;
  return size == 8 ? select<uint64_t> : nullptr;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {

HWY_EXPORT(fast_loop);

struct Pair {
  uint64_t low, high;
};

}  // namespace

TernaryLoop select_loop(size_t size) noexcept {
  switch (size) {
    case 1:
      return HWY_NAMESPACE::select<uint8_t>;
    case 2:
      return HWY_NAMESPACE::select<uint16_t>;
    case 16:
      return HWY_NAMESPACE::select<Pair>;
    default:
      return HWY_DYNAMIC_DISPATCH(fast_loop)(size);
  }
}

}  // namespace penstock::kernels
#endif
