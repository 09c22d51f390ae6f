#include <penstock/core/dtype.h>

#include <array>

namespace penstock {

namespace {

struct Row {
  std::string_view name;
  size_t size;
};

constexpr std::array<Row, kNumDTypes> kRows = {{
    {"invalid", 0},
    {"bool", 1},
    {"int8", 1},
    {"int16", 2},
    {"int32", 4},
    {"int64", 8},
    {"uint8", 1},
    {"uint16", 2},
    {"uint32", 4},
    {"uint64", 8},
    {"float16", 2},
    {"bfloat16", 2},
    {"float32", 4},
    {"float64", 8},
    {"complex64", 8},
    {"complex128", 16},
    {"string", sizeof(StringRef)},
}};

}  // namespace

size_t dtype_size(DType dtype) { return kRows[static_cast<size_t>(dtype)].size; }

std::string_view dtype_name(DType dtype) { return kRows[static_cast<size_t>(dtype)].name; }

DType dtype_from_name(std::string_view name) {
  for (size_t i = 1; i < kRows.size(); ++i) {
    if (kRows[i].name == name) return static_cast<DType>(i);
  }
  return DType::kInvalid;
}

}  // namespace penstock
