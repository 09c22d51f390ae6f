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

// Keys know how to hash element i and whether elements i and k are equal, also of other keys.
template <typename Word>
struct WordKeys {
  const Word* x;
  uint64_t hash(int64_t i) const { return mixed(x[i]); }
  bool equal_to(int64_t i, const WordKeys& other, int64_t k) const { return x[i] == other.x[k]; }
  bool equal(int64_t i, int64_t k) const { return x[i] == x[k]; }
};

template <typename T>
struct FloatKeys {
  const T* x;
  static uint64_t bits(double value) { return std::bit_cast<uint64_t>(value == 0 ? 0.0 : value); }
  uint64_t hash(int64_t i) const { return mixed(bits(static_cast<double>(x[i]))); }
  bool equal_to(int64_t i, const FloatKeys& other, int64_t k) const {
    return static_cast<double>(x[i]) == static_cast<double>(other.x[k]);
  }
  bool equal(int64_t i, int64_t k) const { return equal_to(i, *this, k); }
};

template <typename T>
struct ComplexKeys {
  const T* x;
  uint64_t hash(int64_t i) const {
    using Part = FloatKeys<double>;
    return mixed(mixed(Part::bits(x[i].real())) + Part::bits(x[i].imag()));
  }
  bool equal_to(int64_t i, const ComplexKeys& other, int64_t k) const { return x[i] == other.x[k]; }
  bool equal(int64_t i, int64_t k) const { return x[i] == x[k]; }
};

struct StringKeys {
  const StringRef* x;
  TextOf text_of;
  uint64_t hash(int64_t i) const { return mixed(std::hash<std::string_view>()(text_of(x[i]))); }
  bool equal_to(int64_t i, const StringKeys& other, int64_t k) const {
    return text_of(x[i]) == text_of(other.x[k]);
  }
  bool equal(int64_t i, int64_t k) const { return equal_to(i, *this, k); }
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

// Slices of several elements.
template <typename Keys>
struct RowKeys {
  Keys keys;
  int64_t width;
  uint64_t hash(int64_t i) const {
    uint64_t sum = 0;
    for (int64_t k = i * width; k < (i + 1) * width; ++k) sum = mixed(sum + keys.hash(k));
    return sum;
  }
  bool equal(int64_t i, int64_t other) const {
    for (int64_t k = 0; k < width; ++k) {
      if (!keys.equal(i * width + k, other * width + k)) return false;
    }
    return true;
  }
};

// Open addressing: a slot holds one more than the position of an element's first occurrence.
template <typename Slot>
class Table {
 public:
  Table(void* slots, int64_t count)
      : slots_(static_cast<Slot*>(slots)), mask_(static_cast<uint64_t>(unique_slots(count)) - 1) {
    std::memset(slots_, 0, (mask_ + 1) * sizeof(Slot));
  }
  // The slot of an element for which `is_equal(position)` holds, or an empty one.
  template <typename IsEqual>
  Slot& find(uint64_t hash, const IsEqual& is_equal) {
    uint64_t at = hash & mask_;
    while (slots_[at] != 0 && !is_equal(slots_[at] - 1)) at = (at + 1) & mask_;
    return slots_[at];
  }

 private:
  Slot* slots_;
  uint64_t mask_;
};

// Calls keep(k, i) for the k-th distinct element, found first at i.
template <typename Slot, typename Keys, typename Keep>
int64_t find_unique(const Keys& keys, int64_t count, const View& places, void* slots,
                    const Keep& keep) {
  Table<Slot> table(slots, count);
  int64_t found = 0;
  for (int64_t i = 0; i < count; ++i) {
    Slot& slot = table.find(keys.hash(i), [&](int64_t k) { return keys.equal(k, i); });
    if (slot != 0) {
      put_place(places, i, place_at(places, slot - 1));
      continue;
    }
    slot = static_cast<Slot>(i + 1);
    keep(found, i);
    put_place(places, i, found++);
  }
  return found;
}

template <typename Keys, typename Keep>
int64_t find_any(const Keys& keys, int64_t count, const View& places, void* slots,
                 const Keep& keep) {
  return unique_slot_bytes(count) == 4 ? find_unique<int32_t>(keys, count, places, slots, keep)
                                       : find_unique<int64_t>(keys, count, places, slots, keep);
}

// Element `from` of x as element `to` of y.
void copy_element(const View& x, int64_t from, const View& y, int64_t to) {
  const size_t size = dtype_size(x.dtype);
  std::memcpy(y.as<char>() + static_cast<size_t>(to) * size,
              x.as<char>() + static_cast<size_t>(from) * size, size);
}

// y's elements go into the table, and x's are looked up.
template <typename Slot, typename Keys>
int64_t find_difference(const Keys& x_keys, const Keys& y_keys, const View& x, int64_t y_count,
                        const View& out, const View& places, void* slots) {
  Table<Slot> table(slots, y_count);
  for (int64_t i = 0; i < y_count; ++i) {
    Slot& slot = table.find(y_keys.hash(i), [&](int64_t k) { return y_keys.equal(k, i); });
    if (slot == 0) slot = static_cast<Slot>(i + 1);
  }
  const int64_t count = x.size();
  int64_t found = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (table.find(x_keys.hash(i), [&](int64_t k) { return x_keys.equal_to(i, y_keys, k); }) != 0) {
      continue;
    }
    copy_element(x, i, out, found);
    put_place(places, found++, i);
  }
  return found;
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

namespace {

// Calls body with what makes keys of a view of that dtype.
template <typename Body>
int64_t with_keys(DType dtype, TextOf text_of, const Body& body) {
  switch (dtype) {
    case DType::kFloat16:
      return body([](const View& v) { return FloatKeys<float16>{v.as<float16>()}; });
    case DType::kBFloat16:
      return body([](const View& v) { return FloatKeys<bfloat16>{v.as<bfloat16>()}; });
    case DType::kFloat32:
      return body([](const View& v) { return FloatKeys<float>{v.as<float>()}; });
    case DType::kFloat64:
      return body([](const View& v) { return FloatKeys<double>{v.as<double>()}; });
    case DType::kComplex64:
      return body([](const View& v) { return ComplexKeys<complex64>{v.as<complex64>()}; });
    case DType::kComplex128:
      return body([](const View& v) { return ComplexKeys<complex128>{v.as<complex128>()}; });
    case DType::kString:
      return body([text_of](const View& v) { return StringKeys{v.as<StringRef>(), text_of}; });
    default:
      break;
  }
  switch (dtype_size(dtype)) {
    case 1:
      return body(words<uint8_t>);
    case 2:
      return body(words<uint16_t>);
    case 4:
      return body(words<uint32_t>);
    default:
      return body(words<uint64_t>);
  }
}

}  // namespace

int64_t unique(const View& x, const View& y, const View& places, void* slots, TextOf text_of) {
  return with_keys(x.dtype, text_of, [&](const auto& keys_of) {
    return find_any(keys_of(x), x.size(), places, slots,
                    [&](int64_t k, int64_t i) { copy_element(x, i, y, k); });
  });
}

int64_t unique_rows(const View& x, int64_t rows, const View& first, const View& places, void* slots,
                    TextOf text_of) {
  const int64_t width = rows == 0 ? 0 : x.size() / rows;
  return with_keys(x.dtype, text_of, [&](const auto& keys_of) {
    using Keys = decltype(keys_of(x));
    return find_any(RowKeys<Keys>{keys_of(x), width}, rows, places, slots,
                    [&](int64_t k, int64_t i) { put_place(first, k, i); });
  });
}

int64_t list_difference(const View& x, const View& y, const View& out, const View& places,
                        void* slots, TextOf text_of) {
  const int64_t count = y.size();
  return with_keys(x.dtype, text_of, [&](const auto& keys_of) {
    return unique_slot_bytes(count) == 4
               ? find_difference<int32_t>(keys_of(x), keys_of(y), x, count, out, places, slots)
               : find_difference<int64_t>(keys_of(x), keys_of(y), x, count, out, places, slots);
  });
}

}  // namespace penstock::kernels
