#include "kernels/transpose.h"

#define HWY_TARGET_INCLUDE "kernels/transpose.cc"
#include "kernels/targets.h"

#include <cstring>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

using Words = hn::ScalableTag<uint32_t>;
using Quad = hn::FixedTag<uint32_t, 4>;
using Vector = hn::Vec<Words>;
constexpr int64_t kLanes = HWY_MAX_BYTES / 4;
// Quads of a source row that are turned at once: whole cache lines where there are registers for
// it, because rows a power of two apart push each other out of the first cache.
constexpr int64_t kQuads = kLanes == 16 ? 4 : 2;

HWY_ATTR HWY_INLINE hn::Vec<Quad> load_quad(const char* from) {
  return hn::LoadU(Quad(), reinterpret_cast<const uint32_t*>(from));
}

// Four words of every fourth source row, a block of the vector for each.
HWY_ATTR HWY_INLINE Vector load_blocks(const char* from, int64_t stride) {
#if HWY_MAX_BYTES == 64
  const hn::FixedTag<uint32_t, 8> half;
  return hn::Combine(Words(),
                     hn::Combine(half, load_quad(from + 12 * stride), load_quad(from + 8 * stride)),
                     hn::Combine(half, load_quad(from + 4 * stride), load_quad(from)));
#elif HWY_MAX_BYTES == 32
  return hn::Combine(Words(), load_quad(from + 4 * stride), load_quad(from));
#else
  static_cast<void>(stride);  // a vector of 128 bits is one block
  return load_quad(from);
#endif
}

template <bool kPastCache>
HWY_ATTR HWY_INLINE void store(Vector words, char* to) {
  uint32_t* target = reinterpret_cast<uint32_t*>(to);
  if constexpr (kPastCache) {
    hn::Stream(words, Words(), target);
  } else {
    hn::StoreU(words, Words(), target);
  }
}

// Turns kLanes source rows of 4 * kQuads words.
template <bool kPastCache>
HWY_ATTR HWY_INLINE void turn(const char* from, int64_t from_stride, char* to, int64_t to_stride) {
  const hn::Repartition<uint64_t, Words> pairs;
  Vector in[kQuads][4];
  for (int64_t j = 0; j < 4; ++j) {
    for (int64_t q = 0; q < kQuads; ++q)
      in[q][j] = load_blocks(from + j * from_stride + q * 16, from_stride);
  }
  for (int64_t q = 0; q < kQuads; ++q) {
    const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(Words(), in[q][0], in[q][1]));
    const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(Words(), in[q][0], in[q][1]));
    const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(Words(), in[q][2], in[q][3]));
    const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(Words(), in[q][2], in[q][3]));
    char* row = to + q * 4 * to_stride;
    const auto put = [&](auto words, int64_t r) HWY_ATTR {
      store<kPastCache>(hn::BitCast(Words(), words), row + r * to_stride);
    };
    put(hn::InterleaveLower(pairs, low01, low23), 0);
    put(hn::InterleaveUpper(pairs, low01, low23), 1);
    put(hn::InterleaveLower(pairs, high01, high23), 2);
    put(hn::InterleaveUpper(pairs, high01, high23), 3);
  }
}

template <bool kPastCache>
HWY_ATTR void turn_whole(const WordTile& tile, int64_t rows, int64_t columns) {
  for (int64_t r = 0; r < rows; r += 4 * kQuads) {
    for (int64_t c = 0; c < columns; c += kLanes) {
      turn<kPastCache>(tile.from + c * tile.from_stride + r * 4, tile.from_stride,
                       tile.to + r * tile.to_stride + c * 4, tile.to_stride);
    }
  }
}

#endif

HWY_ATTR void transpose_words(const WordTile& tile, bool past_cache) {
  int64_t rows = 0;
  int64_t columns = 0;
#if HWY_TARGET != HWY_SCALAR
  rows = tile.rows - tile.rows % (4 * kQuads);
  columns = tile.columns - tile.columns % kLanes;
  const auto places = reinterpret_cast<uintptr_t>(tile.to) | static_cast<uintptr_t>(tile.to_stride);
  const bool is_aligned = places % HWY_MAX_BYTES == 0;
  past_cache&& is_aligned ? turn_whole<true>(tile, rows, columns)
                          : turn_whole<false>(tile, rows, columns);
#else
  static_cast<void>(past_cache);
#endif
  for (int64_t r = 0; r < tile.rows; ++r) {
    for (int64_t c = r < rows ? columns : 0; c < tile.columns; ++c) {
      std::memcpy(tile.to + r * tile.to_stride + c * 4, tile.from + c * tile.from_stride + r * 4,
                  4);
    }
  }
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {

HWY_EXPORT(transpose_words);

void transpose_words(const WordTile& tile, bool past_cache) {
  HWY_DYNAMIC_DISPATCH(transpose_words)(tile, past_cache);
}

void finish_past_cache() { hwy::FlushStream(); }

}  // namespace penstock::kernels
#endif
