#include "kernels/sort.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include <penstock/base/checked.h>
#include <penstock/base/threads.h>

namespace penstock::kernels {
namespace {

constexpr int64_t kSlots = 16;          // rows sorted at the same time, at most
constexpr int64_t kRadixFrom = 192;     // shorter rows are sorted by comparison
constexpr int64_t kWideFrom = 1 << 14;  // longer ones have digits of more bits: fewer passes
constexpr int kNarrow = 8;
constexpr int kWide = 11;

template <size_t kBytes>
using UintOf = std::conditional_t<
    kBytes == 1, uint8_t,
    std::conditional_t<kBytes == 2, uint16_t, std::conditional_t<kBytes == 4, uint32_t, uint64_t>>>;

template <typename T>
using KeyOf = UintOf<sizeof(T)>;
template <typename K>
inline constexpr K kTopBit = static_cast<K>(K{1} << (8 * sizeof(K) - 1));

// The smallest bit pattern of NaN, without the sign.
template <typename T>
constexpr KeyOf<T> infinity_bits() {
  if constexpr (std::is_same_v<T, float16>) return 0x7C00;
  if constexpr (std::is_same_v<T, bfloat16>) return 0x7F80;
  if constexpr (std::is_same_v<T, float>) return 0x7F800000;
  if constexpr (std::is_same_v<T, double>) return 0x7FF0000000000000;
  return 0;
}

// A key that orders as unsigned numbers do.
template <typename T>
KeyOf<T> to_key(T value) {
  using K = KeyOf<T>;
  const K bits = std::bit_cast<K>(value);
  if constexpr (std::is_integral_v<T>) {
    return std::is_signed_v<T> ? static_cast<K>(bits ^ kTopBit<K>) : bits;
  } else {
    const K size = static_cast<K>(bits & ~kTopBit<K>);
    if (size > infinity_bits<T>()) return static_cast<K>(~K{0});
    return (bits & kTopBit<K>) != 0 ? static_cast<K>(~bits) : static_cast<K>(bits | kTopBit<K>);
  }
}

template <typename T>
T from_key(KeyOf<T> key) {
  using K = KeyOf<T>;
  if constexpr (std::is_integral_v<T>) {
    return std::bit_cast<T>(std::is_signed_v<T> ? static_cast<K>(key ^ kTopBit<K>) : key);
  } else {
    const bool positive = (key & kTopBit<K>) != 0;
    return std::bit_cast<T>(positive ? static_cast<K>(key & ~kTopBit<K>) : static_cast<K>(~key));
  }
}

// For positions the zeros are the same.
template <typename T>
KeyOf<T> to_order_key(T value) {
  using K = KeyOf<T>;
  if constexpr (!std::is_integral_v<T>) {
    if (static_cast<K>(std::bit_cast<K>(value) << 1) == 0) return kTopBit<K>;
  }
  return to_key(value);
}

// A key with the position that it came from; short ones share a word, which then orders by both.
struct WidePair {
  uint64_t key;
  uint64_t position;
  bool operator<(const WidePair& other) const {
    return key != other.key ? key < other.key : position < other.position;
  }
};
template <typename T>
using PairOf = std::conditional_t<sizeof(T) == 8, WidePair, uint64_t>;

template <typename Item, typename Key>
Item make_pair(Key key, int64_t position) {
  if constexpr (std::is_same_v<Item, WidePair>) {
    return {key, static_cast<uint64_t>(position)};
  } else {
    return (uint64_t{key} << 32) | static_cast<uint64_t>(position);
  }
}
inline int32_t position_of(uint64_t pair) { return static_cast<int32_t>(pair & 0xFFFFFFFFu); }
inline int32_t position_of(const WidePair& pair) { return static_cast<int32_t>(pair.position); }

// The bits that an item is sorted by.
template <int kKeyBits, typename Item>
uint64_t key_bits(const Item& item) {
  if constexpr (std::is_same_v<Item, WidePair>) {
    return item.key;
  } else if constexpr (kKeyBits < 8 * static_cast<int>(sizeof(Item))) {
    return item >> 32;
  } else {
    return item;
  }
}

// Least significant digit first, from one buffer to the other and back; a digit that all items
// share is left out. Gives where the sorted items are.
template <int kKeyBits, int kDigitBits, typename Item>
Item* radix_sort(Item* items, Item* other, int64_t count, uint32_t* bins) {
  constexpr int kBins = 1 << kDigitBits;
  constexpr int kPasses = (kKeyBits + kDigitBits - 1) / kDigitBits;
  std::memset(bins, 0, sizeof(uint32_t) * kPasses * kBins);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t key = key_bits<kKeyBits>(items[i]);
    for (int pass = 0; pass < kPasses; ++pass, key >>= kDigitBits) {
      ++bins[pass * kBins + static_cast<int>(key & (kBins - 1))];
    }
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    uint32_t* heads = bins + pass * kBins;
    const int shift = pass * kDigitBits;
    const auto first = static_cast<int>((key_bits<kKeyBits>(items[0]) >> shift) & (kBins - 1));
    if (heads[first] == static_cast<uint64_t>(count)) continue;
    uint32_t sum = 0;
    for (int bin = 0; bin < kBins; ++bin) sum += std::exchange(heads[bin], sum);
    for (int64_t i = 0; i < count; ++i) {
      const Item item = items[i];
      const auto digit = static_cast<int>((key_bits<kKeyBits>(item) >> shift) & (kBins - 1));
      other[heads[digit]++] = item;
    }
    std::swap(items, other);
  }
  return items;
}

template <int kKeyBits, typename Item>
Item* sort_items(Item* items, Item* other, int64_t count, uint32_t* bins) {
  if (count >= kRadixFrom && count <= UINT32_MAX) {
    return count < kWideFrom ? radix_sort<kKeyBits, kNarrow>(items, other, count, bins)
                             : radix_sort<kKeyBits, kWide>(items, other, count, bins);
  }
  std::sort(items, items + count);
  return items;
}

template <typename Key>
constexpr int64_t bins_bytes() {
  return int64_t{(8 * sizeof(Key) + kWide - 1) / kWide} * (1 << kWide) * int64_t{sizeof(uint32_t)};
}

// Bytes of bins and `buffers` lists of items for a row, in whole cache lines.
SortScratch scratch_for(int64_t rows, int64_t width, int64_t item, int64_t buffers, int64_t bins) {
  SortScratch scratch = {std::min(rows, kSlots), -1};
  int64_t bytes = 0;
  if (!checked_mul(width, item * buffers, &bytes) || !checked_add(bytes, bins + 64, &bytes)) {
    return scratch;
  }
  scratch.bytes = bytes / 64 * 64;
  return scratch;
}

// Calls body(row, the row's slot of the scratch memory).
template <typename Body>
void for_each_row(int64_t rows, const SortScratch& scratch, void* memory, const Body& body) {
  parallel_for(scratch.slots, 1, [&](int64_t begin, int64_t end) {
    for (int64_t slot = begin; slot < end; ++slot) {
      char* own = static_cast<char*>(memory) + slot * scratch.bytes;
      for (int64_t row = slot; row < rows; row += scratch.slots) body(row, own);
    }
  });
}

template <typename T>
SortScratch value_scratch(int64_t rows, int64_t width) {
  return scratch_for(rows, width, sizeof(T), 2, bins_bytes<T>());
}
template <typename T>
SortScratch position_scratch(int64_t rows, int64_t width) {
  return scratch_for(rows, width, sizeof(PairOf<T>), 2, bins_bytes<T>());
}

template <typename T>
void sort_values(const View& in, int64_t width, bool descending, const View& out, void* memory) {
  using Key = KeyOf<T>;
  const int64_t rows = in.size() / width;
  const Key flip = descending ? static_cast<Key>(~Key{0}) : Key{0};
  for_each_row(rows, value_scratch<T>(rows, width), memory, [&](int64_t row, char* own) {
    const T* from = in.as<T>() + row * width;
    T* to = out.as<T>() + row * width;
    auto* bins = reinterpret_cast<uint32_t*>(own);
    Key* keys = reinterpret_cast<Key*>(own + bins_bytes<T>());
    for (int64_t i = 0; i < width; ++i) keys[i] = static_cast<Key>(to_key(from[i]) ^ flip);
    const Key* sorted = sort_items<8 * sizeof(T)>(keys, keys + width, width, bins);
    for (int64_t i = 0; i < width; ++i) to[i] = from_key<T>(static_cast<Key>(sorted[i] ^ flip));
  });
}

template <typename T>
void sort_positions(const View& in, int64_t width, bool descending, int64_t limit, int32_t* out,
                    void* memory) {
  using Key = KeyOf<T>;
  using Pair = PairOf<T>;
  const int64_t rows = in.size() / width;
  const Key flip = descending ? static_cast<Key>(~Key{0}) : Key{0};
  for_each_row(rows, position_scratch<T>(rows, width), memory, [&](int64_t row, char* own) {
    const T* from = in.as<T>() + row * width;
    int32_t* to = out + row * limit;
    auto* bins = reinterpret_cast<uint32_t*>(own);
    Pair* pairs = reinterpret_cast<Pair*>(own + bins_bytes<T>());
    for (int64_t i = 0; i < width; ++i) {
      pairs[i] = make_pair<Pair>(static_cast<Key>(to_order_key(from[i]) ^ flip), i);
    }
    const Pair* sorted = sort_items<8 * sizeof(T)>(pairs, pairs + width, width, bins);
    for (int64_t i = 0; i < limit; ++i) to[i] = position_of(sorted[i]);
  });
}

}  // namespace

SortScratch sort_scratch(DType dtype, int64_t rows, int64_t width) {
  switch (dtype_size(dtype)) {
    case 1:
      return value_scratch<uint8_t>(rows, width);
    case 2:
      return value_scratch<uint16_t>(rows, width);
    case 4:
      return value_scratch<uint32_t>(rows, width);
    default:
      return value_scratch<uint64_t>(rows, width);
  }
}

SortScratch argsort_scratch(DType dtype, int64_t rows, int64_t width) {
  switch (dtype_size(dtype)) {
    case 1:
      return position_scratch<uint8_t>(rows, width);
    case 2:
      return position_scratch<uint16_t>(rows, width);
    case 4:
      return position_scratch<uint32_t>(rows, width);
    default:
      return position_scratch<uint64_t>(rows, width);
  }
}

void sort_rows(const View& in, int64_t width, bool descending, const View& out, void* scratch) {
  switch (in.dtype) {
#define PEN_CASE(T, enumerator) \
  case DType::enumerator:       \
    return sort_values<T>(in, width, descending, out, scratch);
    PEN_FOR_EACH_REAL(PEN_CASE)
#undef PEN_CASE
    default:
      return;
  }
}

void argsort_rows(const View& in, int64_t width, bool descending, int64_t limit, int32_t* out,
                  void* scratch) {
  switch (in.dtype) {
#define PEN_CASE(T, enumerator) \
  case DType::enumerator:       \
    return sort_positions<T>(in, width, descending, limit, out, scratch);
    PEN_FOR_EACH_REAL(PEN_CASE)
#undef PEN_CASE
    default:
      return;
  }
}

}  // namespace penstock::kernels
