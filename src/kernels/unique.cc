#include "kernels/unique.h"

#include <bit>
#include <cstring>
#include <functional>

namespace penstock::kernels {
namespace {

uint64_t mixed(uint64_t bits) {
  bits ^= bits >> 33;
  bits *= 0xFF51AFD7ED558CCDull;
  bits ^= bits >> 33;
  bits *= 0xC4CEB9FE1A85EC53ull;
  return bits ^ (bits >> 33);
}

// Keys know how to hash element i and whether elements i and k are equal.
template <typename Word>
struct WordKeys {
  const Word* x;
  uint64_t hash(int64_t i) const { return mixed(x[i]); }
  bool equal(int64_t i, int64_t k) const { return x[i] == x[k]; }
};

template <typename T>
struct FloatKeys {
  const T* x;
  static uint64_t bits(double value) { return std::bit_cast<uint64_t>(value == 0 ? 0.0 : value); }
  uint64_t hash(int64_t i) const { return mixed(bits(static_cast<double>(x[i]))); }
  bool equal(int64_t i, int64_t k) const {
    return static_cast<double>(x[i]) == static_cast<double>(x[k]);
  }
};

template <typename T>
struct ComplexKeys {
  const T* x;
  uint64_t hash(int64_t i) const {
    using Part = FloatKeys<double>;
    return mixed(mixed(Part::bits(x[i].real())) + Part::bits(x[i].imag()));
  }
  bool equal(int64_t i, int64_t k) const { return x[i] == x[k]; }
};

struct StringKeys {
  const StringRef* x;
  TextOf text_of;
  uint64_t hash(int64_t i) const { return mixed(std::hash<std::string_view>()(text_of(x[i]))); }
  bool equal(int64_t i, int64_t k) const { return text_of(x[i]) == text_of(x[k]); }
};

void put_place(const View& places, int64_t i, int64_t place) {
  if (places.dtype == DType::kInt32) {
    places.as<int32_t>()[i] = static_cast<int32_t>(place);
  } else {
    places.as<int64_t>()[i] = place;
  }
}
int64_t place_at(const View& places, int64_t i) {
  return places.dtype == DType::kInt32 ? places.as<int32_t>()[i] : places.as<int64_t>()[i];
}

// Open addressing: a slot holds one more than the position of an element's first occurrence.
template <typename Slot, typename Keys>
int64_t find_unique(const Keys& keys, const View& x, const View& y, const View& places,
                    void* table) {
  const int64_t count = x.size();
  const auto mask = static_cast<uint64_t>(unique_slots(count)) - 1;
  Slot* slots = static_cast<Slot*>(table);
  std::memset(slots, 0, (mask + 1) * sizeof(Slot));
  const size_t size = dtype_size(x.dtype);
  int64_t found = 0;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t at = keys.hash(i) & mask;
    while (slots[at] != 0 && !keys.equal(slots[at] - 1, i)) at = (at + 1) & mask;
    if (slots[at] != 0) {
      put_place(places, i, place_at(places, slots[at] - 1));
      continue;
    }
    slots[at] = static_cast<Slot>(i + 1);
    std::memcpy(y.as<char>() + static_cast<size_t>(found) * size,
                x.as<char>() + static_cast<size_t>(i) * size, size);
    put_place(places, i, found++);
  }
  return found;
}

template <typename Keys>
int64_t run(const Keys& keys, const View& x, const View& y, const View& places, void* slots) {
  return unique_slot_bytes(x.size()) == 4 ? find_unique<int32_t>(keys, x, y, places, slots)
                                          : find_unique<int64_t>(keys, x, y, places, slots);
}

template <typename Word>
WordKeys<Word> words(const View& x) {
  return {x.as<Word>()};
}

}  // namespace

int64_t unique_slots(int64_t count) {
  constexpr int64_t kMost = int64_t{1} << 60;  // more would not fit anywhere
  if (count > kMost / 4) return kMost;
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(count) * 3 / 2 + 1));
}

int64_t unique_slot_bytes(int64_t count) { return count < INT32_MAX ? 4 : 8; }

int64_t unique(const View& x, const View& y, const View& places, void* slots, TextOf text_of) {
  switch (x.dtype) {
    case DType::kFloat16:
      return run(FloatKeys<float16>{x.as<float16>()}, x, y, places, slots);
    case DType::kBFloat16:
      return run(FloatKeys<bfloat16>{x.as<bfloat16>()}, x, y, places, slots);
    case DType::kFloat32:
      return run(FloatKeys<float>{x.as<float>()}, x, y, places, slots);
    case DType::kFloat64:
      return run(FloatKeys<double>{x.as<double>()}, x, y, places, slots);
    case DType::kComplex64:
      return run(ComplexKeys<complex64>{x.as<complex64>()}, x, y, places, slots);
    case DType::kComplex128:
      return run(ComplexKeys<complex128>{x.as<complex128>()}, x, y, places, slots);
    case DType::kString:
      return run(StringKeys{x.as<StringRef>(), text_of}, x, y, places, slots);
    default:
      break;
  }
  switch (dtype_size(x.dtype)) {
    case 1:
      return run(words<uint8_t>(x), x, y, places, slots);
    case 2:
      return run(words<uint16_t>(x), x, y, places, slots);
    case 4:
      return run(words<uint32_t>(x), x, y, places, slots);
    default:
      return run(words<uint64_t>(x), x, y, places, slots);
  }
}

}  // namespace penstock::kernels
