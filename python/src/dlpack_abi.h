// The structs of DLPack 1.x (https://dmlc.github.io/dlpack), as far as CPU tensors need them.
#pragma once

#include <cstdint>

namespace penstock::dlpack {

struct Device {
  int32_t type;  // kCpu
  int32_t id;
};
inline constexpr int32_t kCpu = 1;

enum TypeCode : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBool = 6 };
struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  int32_t rank;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null for row-major
  uint64_t byte_offset;
};

struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};

struct Version {
  uint32_t major;
  uint32_t minor;
};
inline constexpr uint64_t kReadOnly = 1;
inline constexpr uint64_t kCopied = 2;
struct ManagedVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedVersioned*);
  uint64_t flags;
  Tensor tensor;
};

}  // namespace penstock::dlpack
