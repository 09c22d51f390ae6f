#include "kernels/fill.h"

#include <algorithm>
#include <cstring>

#include <penstock/base/threads.h>

namespace penstock::kernels {
namespace {

constexpr int64_t kGrain = 1 << 18;  // elements a thread should have at least

template <typename Word>
void fill_words(void* out, const void* value, int64_t count) {
  Word word;
  std::memcpy(&word, value, sizeof word);
  Word* words = static_cast<Word*>(out);
  parallel_for(count, kGrain,
               [&](int64_t begin, int64_t end) { std::fill(words + begin, words + end, word); });
}

struct Word16 {
  uint64_t low, high;
};

}  // namespace

void fill(void* out, const void* value, size_t size, int64_t count) {
  switch (size) {
    case 1:
      return fill_words<uint8_t>(out, value, count);
    case 2:
      return fill_words<uint16_t>(out, value, count);
    case 4:
      return fill_words<uint32_t>(out, value, count);
    case 8:
      return fill_words<uint64_t>(out, value, count);
    default:
      return fill_words<Word16>(out, value, count);
  }
}

}  // namespace penstock::kernels
