#include "kernels/move.h"

#include <algorithm>
#include <cstring>

#include <penstock/base/threads.h>

#include "kernels/transpose.h"

namespace penstock::kernels {
namespace {

constexpr int64_t kGrainBytes = 1 << 19;      // what a thread should move at least
constexpr int64_t kTile = 32;                 // words along each side of a transposed tile
constexpr int64_t kPastCacheBytes = 8 << 20;  // from here on results do not stay in the caches

// As Move, but in bytes: words of any size can then represent runs of elements.
struct Box {
  int rank = 0;
  int64_t dims[kMaxMoveRank];
  int64_t from[kMaxMoveRank];
  int64_t to[kMaxMoveRank];
  int64_t word = 1;  // bytes of what moves at once

  int64_t count(int end) const {
    int64_t total = 1;
    for (int i = 0; i < end; ++i) total *= dims[i];
    return total;
  }
};

bool is_word(int64_t bytes) { return bytes <= 16 && (bytes & (bytes - 1)) == 0; }

// Drops axes of one element, merges axes that are contiguous on both sides, and turns short runs at
// the end into one word. Pre: no axis is empty.
Box simplified(const Move& move, int64_t element) {
  Box box;
  box.word = element;
  for (int i = 0; i < move.rank; ++i) {
    const int64_t dim = move.dims[i];
    if (dim == 1) continue;
    const int64_t from = move.from[i] * element;
    const int64_t to = move.to[i] * element;
    const int last = box.rank - 1;
    if (last >= 0 && box.from[last] == from * dim && box.to[last] == to * dim) {
      box.dims[last] *= dim;
      box.from[last] = from;
      box.to[last] = to;
      continue;
    }
    box.dims[box.rank] = dim;
    box.from[box.rank] = from;
    box.to[box.rank++] = to;
  }
  const int last = box.rank - 1;
  if (last >= 0 && box.from[last] == box.word && box.to[last] == box.word &&
      is_word(box.dims[last] * box.word)) {
    box.word *= box.dims[last];
    box.rank = last;
  }
  return box;
}

// The position in a box's outer axes during an ordered walk.
class Walker {
 public:
  Walker(const Box& box, const bool* skipped, int rank, int64_t start) {
    for (int i = 0; i < rank; ++i) {
      if (skipped != nullptr && skipped[i]) continue;
      dims_[rank_] = box.dims[i];
      from_[rank_] = box.from[i];
      to_[rank_++] = box.to[i];
    }
    for (int i = rank_ - 1; i >= 0; --i) {
      at_[i] = start % dims_[i];
      start /= dims_[i];
      from_offset += at_[i] * from_[i];
      to_offset += at_[i] * to_[i];
    }
  }
  void step() {
    for (int i = rank_ - 1; i >= 0; --i) {
      from_offset += from_[i];
      to_offset += to_[i];
      if (++at_[i] < dims_[i]) return;
      from_offset -= from_[i] * dims_[i];
      to_offset -= to_[i] * dims_[i];
      at_[i] = 0;
    }
  }

  int64_t from_offset = 0;
  int64_t to_offset = 0;

 private:
  int rank_ = 0;
  int64_t dims_[kMaxMoveRank];
  int64_t from_[kMaxMoveRank];
  int64_t to_[kMaxMoveRank];
  int64_t at_[kMaxMoveRank];
};

int64_t grain_of(int64_t bytes_each) {
  return std::max<int64_t>(1, kGrainBytes / std::max<int64_t>(1, bytes_each));
}

using Word16 = uint64_t __attribute__((vector_size(16)));

// Words have the elements' alignment only.
template <typename Word>
inline void copy_word(const char* from, char* to) {
  std::memcpy(to, from, sizeof(Word));
}

// Rows that are runs on both sides.
void move_rows(const Box& box, const char* from, char* to) {
  const int last = box.rank - 1;
  const int64_t bytes = box.dims[last] * box.word;
  if (last == 0) {
    parallel_for(bytes, kGrainBytes, [&](int64_t begin, int64_t end) {
      std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
    });
    return;
  }
  parallel_for(box.count(last), grain_of(bytes), [&](int64_t begin, int64_t end) {
    Walker at(box, nullptr, last, begin);
    for (int64_t i = begin; i < end; ++i, at.step()) {
      std::memcpy(to + at.to_offset, from + at.from_offset, static_cast<size_t>(bytes));
    }
  });
}

// One row, word by word. The strides that matter most are constants, so that they vectorise.
template <typename Word>
void move_row(const char* from, int64_t from_stride, char* to, int64_t to_stride, int64_t count) {
  using Loose [[gnu::aligned(1), gnu::may_alias]] = Word;
  constexpr auto kWord = static_cast<int64_t>(sizeof(Word));
  const Loose* __restrict source = reinterpret_cast<const Loose*>(from);
  Loose* __restrict target = reinterpret_cast<Loose*>(to);
  if (to_stride == kWord && from_stride == 0) {
    for (int64_t k = 0; k < count; ++k) target[k] = source[0];
  } else if (to_stride == kWord && from_stride == -kWord) {
    for (int64_t k = 0; k < count; ++k) target[k] = source[-k];
  } else if (to_stride == kWord && from_stride == 2 * kWord) {
    for (int64_t k = 0; k < count; ++k) target[k] = source[2 * k];
  } else if (to_stride == 2 * kWord && from_stride == kWord) {
    for (int64_t k = 0; k < count; ++k) target[2 * k] = source[k];
  } else {
    for (int64_t k = 0; k < count; ++k) {
      copy_word<Word>(from + k * from_stride, to + k * to_stride);
    }
  }
}

// Rows word by word, with any strides.
template <typename Word>
void move_words(const Box& box, const char* from, char* to) {
  if (box.rank == 0) return copy_word<Word>(from, to);
  const int last = box.rank - 1;
  const int64_t dim = box.dims[last];
  const int64_t from_stride = box.from[last];
  const int64_t to_stride = box.to[last];
  if (last == 0) {
    parallel_for(dim, grain_of(box.word), [&](int64_t begin, int64_t end) {
      move_row<Word>(from + begin * from_stride, from_stride, to + begin * to_stride, to_stride,
                     end - begin);
    });
    return;
  }
  parallel_for(box.count(last), grain_of(dim * box.word), [&](int64_t begin, int64_t end) {
    Walker at(box, nullptr, last, begin);
    for (int64_t i = begin; i < end; ++i, at.step()) {
      move_row<Word>(from + at.from_offset, from_stride, to + at.to_offset, to_stride, dim);
    }
  });
}

// Words of a column lie side by side in the source.
template <typename Word>
void transpose_tile(const WordTile& tile, bool past_cache) {
  if constexpr (sizeof(Word) == 4) return transpose_words(tile, past_cache);
  constexpr auto kWord = static_cast<int64_t>(sizeof(Word));
  for (int64_t r = 0; r < tile.rows; ++r) {
    for (int64_t c = 0; c < tile.columns; ++c) {
      copy_word<Word>(tile.from + c * tile.from_stride + r * kWord,
                      tile.to + r * tile.to_stride + c * kWord);
    }
  }
}

// The last axis is a run in the destination, axis `row_axis` one in the source: tile by tile, so
// that both sides stay in the cache.
template <typename Word>
void move_transposed(const Box& box, int row_axis, const char* from, char* to) {
  constexpr int64_t kRows = sizeof(Word) == 4 ? kWordTileRows : kTile;
  constexpr int64_t kColumns = sizeof(Word) == 4 ? kWordTileColumns : kTile;
  const int last = box.rank - 1;
  bool inner[kMaxMoveRank] = {};
  inner[row_axis] = inner[last] = true;
  const int64_t rows = box.dims[row_axis];
  const int64_t columns = box.dims[last];
  const int64_t row_tiles = (rows + kRows - 1) / kRows;
  const int64_t column_tiles = (columns + kColumns - 1) / kColumns;
  const int64_t tiles = row_tiles * column_tiles;
  const int64_t outer = box.count(box.rank) / (rows * columns);
  const int64_t tile_bytes = std::min(rows, kRows) * std::min(columns, kColumns) * box.word;
  const bool past_cache = box.count(box.rank) * box.word >= kPastCacheBytes;
  parallel_for(outer * tiles, grain_of(tile_bytes), [&](int64_t begin, int64_t end) {
    Walker at(box, inner, last, begin / tiles);
    int64_t tile = begin % tiles;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t r = tile / column_tiles * kRows;
      const int64_t c = tile % column_tiles * kColumns;
      transpose_tile<Word>({.from = from + at.from_offset + r * box.word + c * box.from[last],
                            .from_stride = box.from[last],
                            .to = to + at.to_offset + r * box.to[row_axis] + c * box.word,
                            .to_stride = box.to[row_axis],
                            .rows = std::min(kRows, rows - r),
                            .columns = std::min(kColumns, columns - c)},
                           past_cache);
      if (++tile < tiles) continue;
      tile = 0;
      at.step();
    }
    if (past_cache) finish_past_cache();
  });
}

template <typename Word>
void move_box(const Box& box, const char* from, char* to) {
  const int last = box.rank - 1;
  if (last > 0 && box.to[last] == box.word) {
    for (int i = 0; i < last; ++i) {
      if (box.from[i] == box.word) return move_transposed<Word>(box, i, from, to);
    }
  }
  move_words<Word>(box, from, to);
}

}  // namespace

void move(const Move& move, const void* from, void* to, size_t element_size) {
  for (int i = 0; i < move.rank; ++i) {
    if (move.dims[i] == 0) return;
  }
  const auto element = static_cast<int64_t>(element_size);
  const Box box = simplified(move, element);
  const char* source = static_cast<const char*>(from) + move.from_start * element;
  char* target = static_cast<char*>(to) + move.to_start * element;
  const int last = box.rank - 1;
  if (last >= 0 && box.from[last] == box.word && box.to[last] == box.word) {
    return move_rows(box, source, target);
  }
  switch (box.word) {
    case 1:
      return move_box<uint8_t>(box, source, target);
    case 2:
      return move_box<uint16_t>(box, source, target);
    case 4:
      return move_box<uint32_t>(box, source, target);
    case 8:
      return move_box<uint64_t>(box, source, target);
    default:
      return move_box<Word16>(box, source, target);
  }
}

int64_t product(const Shape& shape, int begin, int end) {
  uint64_t total = 1;
  for (int i = begin; i < end; ++i) total *= static_cast<uint64_t>(shape[i]);
  return static_cast<int64_t>(total);
}

AxisParts parts_at(const Shape& shape, int axis) {
  return {product(shape, 0, axis), shape[axis], product(shape, axis + 1, shape.rank())};
}

}  // namespace penstock::kernels
