// DType: the type of an element. DTypeSet: the dtypes that an op accepts.
//
// A string element is a StringRef: an eight-byte handle to an immutable, reference-counted string.
// Data-moving kernels copy handles; the owner of the buffer maintains the counts (tensor/).
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <penstock/base/export.h>
#include <penstock/core/half.h>

namespace penstock {

enum class DType : uint8_t {
  kInvalid,
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kComplex64,
  kComplex128,
  kString,
};
inline constexpr int kNumDTypes = 17;

using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

struct StringBlock;  // defined in memory/
struct StringRef {
  StringBlock* block = nullptr;  // null is the empty string
};

// Bytes of one element.
PEN_API size_t dtype_size(DType dtype);
// TensorFlow's name: "float32".
PEN_API std::string_view dtype_name(DType dtype);
// The dtype of that name, or kInvalid.
PEN_API DType dtype_from_name(std::string_view name);
inline std::string_view to_string(DType dtype) { return dtype_name(dtype); }

class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  constexpr DTypeSet(DType dtype) : bits_(1u << static_cast<int>(dtype)) {}
  constexpr bool has(DType dtype) const { return (bits_ >> static_cast<int>(dtype)) & 1u; }
  constexpr DTypeSet operator|(DTypeSet other) const { return DTypeSet(bits_ | other.bits_); }
  constexpr DTypeSet operator-(DTypeSet other) const { return DTypeSet(bits_ & ~other.bits_); }
  constexpr bool operator==(const DTypeSet&) const = default;
  constexpr bool empty() const { return bits_ == 0; }

 private:
  constexpr explicit DTypeSet(uint32_t bits) : bits_(bits) {}
  uint32_t bits_ = 0;
};

inline constexpr DTypeSet kHalfTypes = DTypeSet(DType::kFloat16) | DType::kBFloat16;
inline constexpr DTypeSet kRealFloatTypes = kHalfTypes | DType::kFloat32 | DType::kFloat64;
inline constexpr DTypeSet kComplexTypes = DTypeSet(DType::kComplex64) | DType::kComplex128;
inline constexpr DTypeSet kFloatTypes = kRealFloatTypes | kComplexTypes;
inline constexpr DTypeSet kSignedTypes =
    DTypeSet(DType::kInt8) | DType::kInt16 | DType::kInt32 | DType::kInt64;
inline constexpr DTypeSet kUnsignedTypes =
    DTypeSet(DType::kUInt8) | DType::kUInt16 | DType::kUInt32 | DType::kUInt64;
inline constexpr DTypeSet kIntTypes = kSignedTypes | kUnsignedTypes;
inline constexpr DTypeSet kRealTypes = kIntTypes | kRealFloatTypes;
inline constexpr DTypeSet kNumberTypes = kRealTypes | kComplexTypes;
inline constexpr DTypeSet kIndexTypes = DTypeSet(DType::kInt32) | DType::kInt64;
inline constexpr DTypeSet kFixedTypes = kNumberTypes | DType::kBool;  // all except strings
inline constexpr DTypeSet kAnyType = kFixedTypes | DType::kString;

// Dtypes that gradients flow through.
inline constexpr bool is_differentiable(DType dtype) { return kFloatTypes.has(dtype); }

// The DType of a C++ element type.
template <typename T>
inline constexpr DType kDTypeOf = DType::kInvalid;

// X(C++ type, enumerator): the dtypes of a kind with their element types, in the enum's order.
#define PEN_FOR_EACH_INT(X) \
  X(int8_t, kInt8)          \
  X(int16_t, kInt16)        \
  X(int32_t, kInt32)        \
  X(int64_t, kInt64)        \
  X(uint8_t, kUInt8)        \
  X(uint16_t, kUInt16)      \
  X(uint32_t, kUInt32)      \
  X(uint64_t, kUInt64)

#define PEN_FOR_EACH_REAL_FLOAT(X) \
  X(float16, kFloat16)             \
  X(bfloat16, kBFloat16)           \
  X(float, kFloat32)               \
  X(double, kFloat64)

#define PEN_FOR_EACH_REAL(X) \
  PEN_FOR_EACH_INT(X)        \
  PEN_FOR_EACH_REAL_FLOAT(X)

#define PEN_FOR_EACH_NUMBER(X) \
  PEN_FOR_EACH_REAL(X)         \
  X(complex64, kComplex64)     \
  X(complex128, kComplex128)

#define PEN_FOR_EACH_DTYPE(X) \
  X(bool, kBool)              \
  PEN_FOR_EACH_NUMBER(X)      \
  X(StringRef, kString)

#define PEN_DTYPE_OF(T, enumerator) \
  template <>                       \
  inline constexpr DType kDTypeOf<T> = DType::enumerator;
PEN_FOR_EACH_DTYPE(PEN_DTYPE_OF)
#undef PEN_DTYPE_OF

}  // namespace penstock
