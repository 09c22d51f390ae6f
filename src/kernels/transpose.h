// The inner loop of transposing four-byte words.
#pragma once

#include <cstdint>

namespace penstock::kernels {

// A rectangle of words: row r of the destination has `columns` words, to_stride bytes after row
// r - 1; column c of it is a run in the source, from_stride bytes after column c - 1.
struct WordTile {
  const char* from;
  int64_t from_stride;
  char* to;
  int64_t to_stride;
  int64_t rows;
  int64_t columns;
};

// The size of a good tile: a cache line wide in the destination and long along the source's rows,
// so that they are read in order and no line is touched twice.
inline constexpr int64_t kWordTileRows = 1024;
inline constexpr int64_t kWordTileColumns = 16;

// `past_cache`: the destination is so large that writes should bypass the caches.
void transpose_words(const WordTile& tile, bool past_cache);
// Call after the last tile that a thread wrote past the caches, before others may read.
void finish_past_cache();

}  // namespace penstock::kernels
