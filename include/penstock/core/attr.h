// Attr: the value of an attribute passed to an op: a number, a flag, a dtype, a name or a list.
//
// An Attr is a view: lists and names belong to the caller. To keep attributes (a tape, a graph),
// copy them into an OwnedAttrs.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <penstock/base/check.h>
#include <penstock/base/export.h>
#include <penstock/base/small_vector.h>
#include <penstock/core/dtype.h>

namespace penstock {

enum class AttrKind : uint8_t { kNone, kInt, kFloat, kBool, kDType, kString, kInts };

class Attr {
 public:
  constexpr Attr() : kind_(AttrKind::kNone), int_(0) {}
  constexpr Attr(bool value) : kind_(AttrKind::kBool), int_(value) {}
  template <std::integral T>
  constexpr Attr(T value) : kind_(AttrKind::kInt), int_(static_cast<int64_t>(value)) {}
  constexpr Attr(double value) : kind_(AttrKind::kFloat), float_(value) {}
  constexpr Attr(DType value) : kind_(AttrKind::kDType), int_(static_cast<int64_t>(value)) {}
  constexpr Attr(std::string_view value)
      : kind_(AttrKind::kString),
        size_(static_cast<uint32_t>(value.size())),
        chars_(value.data()) {}
  constexpr Attr(const char* value) : Attr(std::string_view(value)) {}
  constexpr Attr(std::span<const int64_t> value)
      : kind_(AttrKind::kInts), size_(static_cast<uint32_t>(value.size())), ints_(value.data()) {}

  constexpr AttrKind kind() const { return kind_; }

  // Pre: kind() matches; dispatch has checked it against the OpDef.
  int64_t as_int() const { return PEN_CHECK(kind_ == AttrKind::kInt), int_; }
  double as_float() const { return PEN_CHECK(kind_ == AttrKind::kFloat), float_; }
  bool as_bool() const { return PEN_CHECK(kind_ == AttrKind::kBool), int_ != 0; }
  DType as_dtype() const { return PEN_CHECK(kind_ == AttrKind::kDType), static_cast<DType>(int_); }
  std::string_view as_string() const {
    return PEN_CHECK(kind_ == AttrKind::kString), std::string_view(chars_, size_);
  }
  std::span<const int64_t> as_ints() const {
    return PEN_CHECK(kind_ == AttrKind::kInts), std::span<const int64_t>(ints_, size_);
  }

 private:
  AttrKind kind_;
  uint32_t size_ = 0;
  union {
    int64_t int_;
    double float_;
    const char* chars_;
    const int64_t* ints_;
  };
};

// A list that was not given: Python's None. It is recognised by its address, so it differs from
// every list of a caller; its one number is out of every range. An empty list is a list.
PEN_API extern const int64_t kNotGiven[1];
constexpr bool is_given(std::span<const int64_t> list) { return list.data() != kNotGiven; }
// An `axis` that was not given means all axes.
constexpr bool is_every_axis(std::span<const int64_t> axes) { return !is_given(axes); }

// "true", "3", "[0,1]", "SAME"; "all" for a list that was not given
PEN_API std::string to_string(const Attr& attr);
// "int", "ints", …
PEN_API std::string_view to_string(AttrKind kind);
PEN_API bool operator==(const Attr& a, const Attr& b);

// The attributes of one call, in the OpDef's order.
using Attrs = std::span<const Attr>;

// A copy of a call's attributes that owns its lists and names.
class PEN_API OwnedAttrs {
 public:
  OwnedAttrs() = default;
  explicit OwnedAttrs(Attrs attrs);
  OwnedAttrs(OwnedAttrs&&) noexcept = default;
  OwnedAttrs& operator=(OwnedAttrs&&) noexcept = default;

  Attrs view() const { return {attrs_.data(), attrs_.size()}; }

 private:
  SmallVector<Attr, 4> attrs_;
  std::unique_ptr<int64_t[]> storage_;  // bytes of lists and names; moving must not relocate them
};

}  // namespace penstock
