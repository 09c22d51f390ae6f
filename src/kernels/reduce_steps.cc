// The steps of reductions for every dtype. Integers and complex numbers are plain loops (those of
// integers vectorise as they are); half types are widened block by block for the float32 loops.
#include "kernels/reduce_steps.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "kernels/accumulators.h"
#include "kernels/half.h"

namespace penstock::kernels {
namespace {

template <typename A>
constexpr A lowest() {
  if constexpr (std::numeric_limits<A>::has_infinity) return -std::numeric_limits<A>::infinity();
  return std::numeric_limits<A>::lowest();
}
template <typename A>
constexpr A highest() {
  if constexpr (std::numeric_limits<A>::has_infinity) return std::numeric_limits<A>::infinity();
  return std::numeric_limits<A>::max();
}

struct Sum {
  template <typename T>
  using Acc = Wide<T>;
  template <typename A>
  static A identity() {
    return A(0);
  }
  template <typename A>
  static A one(A a, A b) {
    return a + b;
  }
};

struct Prod {
  template <typename T>
  using Acc = Wide<T>;
  template <typename A>
  static A identity() {
    return A(1);
  }
  template <typename A>
  static A one(A a, A b) {
    return product(a, b);
  }
};

struct Max {
  template <typename T>
  using Acc = Plain<T>;
  template <typename A>
  static A identity() {
    return lowest<A>();
  }
  template <typename A>
  static A one(A a, A b) {
    return ((b > a) | (b != b)) ? b : a;
  }
};

struct Min {
  template <typename T>
  using Acc = Plain<T>;
  template <typename A>
  static A identity() {
    return highest<A>();
  }
  template <typename A>
  static A one(A a, A b) {
    return ((b < a) | (b != b)) ? b : a;
  }
};

template <class Op, typename T>
void rows(const void* data, int64_t count, int64_t n, int64_t stride, void* acc_data) {
  using Acc = typename Op::template Acc<T>;
  Acc* acc = static_cast<Acc*>(acc_data);
  for (int64_t i = 0; i < count; ++i) {
    const T* x = static_cast<const T*>(data) + i * stride;
    Acc sum = acc[i];
    for (int64_t k = 0; k < n; ++k) sum = Op::one(sum, widen<Acc>(x[k]));
    acc[i] = sum;
  }
}

template <class Op, typename T>
void columns(const void* data, int64_t rows, int64_t stride, int64_t width, void* acc_data) {
  using Acc = typename Op::template Acc<T>;
  Acc* __restrict acc = static_cast<Acc*>(acc_data);
  for (int64_t i = 0; i < rows; ++i) {
    const T* __restrict x = static_cast<const T*>(data) + i * stride;
    for (int64_t j = 0; j < width; ++j) acc[j] = Op::one(acc[j], widen<Acc>(x[j]));
  }
}

constexpr int64_t kFloatBlock = 2048;  // floats that half types are widened to at a time

template <typename T, Reduction kReduction>
void half_rows(const void* data, int64_t count, int64_t n, int64_t stride, void* acc) {
  const auto float_rows = simd_reduce_loops(kReduction, DType::kFloat32).rows;
  const int64_t acc_size = kReduction == Reduction::kSum || kReduction == Reduction::kProd ? 8 : 4;
  float block[kFloatBlock];
  for (int64_t i = 0; i < count; ++i) {
    const T* x = static_cast<const T*>(data) + i * stride;
    for (int64_t k = 0; k < n; k += kFloatBlock) {
      const int64_t m = std::min(kFloatBlock, n - k);
      to_float(x + k, block, m);
      float_rows(block, 1, m, m, static_cast<char*>(acc) + i * acc_size);
    }
  }
}

template <typename T, Reduction kReduction>
void half_columns(const void* data, int64_t rows, int64_t stride, int64_t width, void* acc) {
  const auto float_columns = simd_reduce_loops(kReduction, DType::kFloat32).columns;
  float block[kFloatBlock];
  const int64_t block_rows = kFloatBlock / width;
  for (int64_t i = 0; i < rows; i += block_rows) {
    const int64_t m = std::min(block_rows, rows - i);
    for (int64_t k = 0; k < m; ++k) {
      const T* x = static_cast<const T*>(data) + (i + k) * stride;
      to_float(x, block + k * width, width);
    }
    float_columns(block, m, width, width, acc);
  }
}

template <class Op, typename Acc>
void start(void* acc, int64_t count) {
  std::fill_n(static_cast<Acc*>(acc), count, Op::template identity<Acc>());
}

template <class Op, typename Acc>
void merge(void* acc_data, const void* other_data, int64_t count) {
  Acc* acc = static_cast<Acc*>(acc_data);
  const Acc* other = static_cast<const Acc*>(other_data);
  for (int64_t i = 0; i < count; ++i) acc[i] = Op::one(acc[i], other[i]);
}

template <typename T, typename Acc>
T quotient(Acc value, int64_t divisor) {
  if constexpr (std::is_integral_v<T>) {
    if (divisor == 1) return static_cast<T>(value);
    if (divisor == 0) return T(0);
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(static_cast<int64_t>(value) / divisor);
    } else {
      return static_cast<T>(static_cast<uint64_t>(value) / static_cast<uint64_t>(divisor));
    }
  } else {
    return narrow<T>(divisor == 1 ? value : value / static_cast<Acc>(divisor));
  }
}

template <typename T, typename Acc>
void finish(const void* acc_data, int64_t count, int64_t divisor, void* out_data) {
  const Acc* acc = static_cast<const Acc*>(acc_data);
  T* out = static_cast<T*>(out_data);
  for (int64_t i = 0; i < count; ++i) out[i] = quotient<T>(acc[i], divisor);
}

template <typename T, class Op, Reduction kReduction>
ReduceSteps steps_of() {
  using Acc = typename Op::template Acc<T>;
  ReduceLoops loops;
  if constexpr (kIsHalf<T>) {
    loops = {half_rows<T, kReduction>, half_columns<T, kReduction>};
  } else if constexpr (std::is_floating_point_v<T>) {
    loops = simd_reduce_loops(kReduction, kDTypeOf<T>);
  } else {
    loops = {rows<Op, T>, columns<Op, T>};
  }
  return {loops, start<Op, Acc>, merge<Op, Acc>, finish<T, Acc>, sizeof(T), sizeof(Acc)};
}

template <typename T>
ReduceSteps steps_for(Reduction reduction) {
  if constexpr (kIsComplex<T>) {
    return steps_of<T, Prod, Reduction::kProd>();
  } else {
    switch (reduction) {
      case Reduction::kProd:
        return steps_of<T, Prod, Reduction::kProd>();
      case Reduction::kMax:
        return steps_of<T, Max, Reduction::kMax>();
      case Reduction::kMin:
        return steps_of<T, Min, Reduction::kMin>();
      default:
        return steps_of<T, Sum, Reduction::kSum>();
    }
  }
}

// The bytes 0 and 1; the largest of them is 1, not 255.
ReduceSteps bool_steps(Reduction reduction) {
  ReduceSteps steps = steps_for<uint8_t>(reduction);
  if (reduction == Reduction::kMin) {
    steps.start = [](void* acc, int64_t count) {
      std::fill_n(static_cast<uint8_t*>(acc), count, 1);
    };
  }
  return steps;
}

}  // namespace

ReduceSteps reduce_steps(Reduction reduction, DType dtype) {
  switch (dtype) {
    case DType::kInt8:
      return steps_for<int8_t>(reduction);
    case DType::kInt16:
      return steps_for<int16_t>(reduction);
    case DType::kInt32:
      return steps_for<int32_t>(reduction);
    case DType::kInt64:
      return steps_for<int64_t>(reduction);
    case DType::kUInt16:
      return steps_for<uint16_t>(reduction);
    case DType::kUInt32:
      return steps_for<uint32_t>(reduction);
    case DType::kUInt64:
      return steps_for<uint64_t>(reduction);
    case DType::kFloat16:
      return steps_for<float16>(reduction);
    case DType::kBFloat16:
      return steps_for<bfloat16>(reduction);
    case DType::kFloat32:
      return steps_for<float>(reduction);
    case DType::kFloat64:
      return steps_for<double>(reduction);
    case DType::kComplex64:
      return steps_for<complex64>(reduction);
    case DType::kComplex128:
      return steps_for<complex128>(reduction);
    case DType::kBool:
      return bool_steps(reduction);
    default:
      return steps_for<uint8_t>(reduction);
  }
}

}  // namespace penstock::kernels
