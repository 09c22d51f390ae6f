#include "files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <nanobind/stl/string.h>

#include <penstock/base/crc32c.h>
#include <penstock/exec/variable.h>
#include <penstock/memory/mapped_file.h>
#include <penstock/memory/reservation.h>

#include "convert.h"
#include "errors.h"
#include "run.h"
#include "tensor_object.h"
#include "variable_object.h"

namespace nb = nanobind;

namespace penstock::python {
namespace {

constexpr int64_t kPiece = 256 << 10;  // still in the cache when its checksum is computed

// The result of a read: fewer bytes than wanted if the file ends.
struct Found {
  int64_t bytes = 0;
  uint32_t checksum = 0;
  int problem = 0;  // errno
};

// Reads up to `bytes` bytes at `offset`; false at the end of the file.
bool read_piece(int file, int64_t offset, char* to, int64_t bytes, Found* found) noexcept {
  while (bytes > 0) {
    const ssize_t count = pread(file, to, static_cast<size_t>(bytes), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) found->problem = errno;
    if (count <= 0) return false;
    found->checksum = crc32c(to, static_cast<size_t>(count), found->checksum);
    found->bytes += count;
    to += count;
    offset += count;
    bytes -= count;
  }
  return true;
}

// Reads to `to`; if that is null, only computes the checksum.
Found read_file(int file, int64_t offset, char* to, int64_t bytes) noexcept {
  Found found;
  char piece[64 << 10];
  const int64_t most = to == nullptr ? int64_t{sizeof piece} : kPiece;
  while (found.bytes < bytes) {
    char* const at = to == nullptr ? piece : to + found.bytes;
    const int64_t count = std::min(most, bytes - found.bytes);
    if (!read_piece(file, offset + found.bytes, at, count, &found)) break;
  }
  return found;
}

// A bool must be 0 or 1; a file may contain something else.
void make_bools(void* data, int64_t count) noexcept {
  auto* const at = static_cast<unsigned char*>(data);
  for (int64_t i = 0; i < count; ++i) at[i] = at[i] != 0;
}

Found read_values(int file, int64_t offset, DType dtype, void* to, int64_t bytes) {
  const WithoutGil released(bytes >= kBytesWorthReleasing);
  const Found found = read_file(file, offset, static_cast<char*>(to), bytes);
  if (dtype == DType::kBool) make_bools(to, bytes);
  return found;
}

void check(const Found& found) {
  if (found.problem == 0) return;
  errno = found.problem;
  PyErr_SetFromErrno(PyExc_OSError);
  throw PythonError();
}

Shape shape_of(const nb::tuple& sizes) {
  Shape shape;
  for (const nb::handle size : sizes) shape.append(nb::cast<int64_t>(size));
  return shape;
}

// The checksum of bytes, continuing from another checksum.
uint32_t checksum(const nb::object& data, uint32_t before) {
  Py_buffer view;
  if (PyObject_GetBuffer(data.ptr(), &view, PyBUF_SIMPLE) != 0) throw PythonError();
  uint32_t result;
  {
    const WithoutGil released(view.len >= kBytesWorthReleasing);
    result = crc32c(view.buf, static_cast<size_t>(view.len), before);
  }
  PyBuffer_Release(&view);
  return result;
}

// The functions below return (bytes read, their checksum).
nb::tuple check_file(int file, int64_t offset, int64_t bytes) {
  Found found;
  {
    const WithoutGil released(bytes >= kBytesWorthReleasing);
    found = read_file(file, offset, nullptr, bytes);
  }
  check(found);
  return nb::make_tuple(found.bytes, found.checksum);
}

// (tensor, bytes, checksum), in new memory.
nb::tuple read_tensor(int file, int64_t offset, const nb::object& dtype, const nb::tuple& sizes) {
  Tensor tensor = Tensor::empty(to_dtype(dtype.ptr()), shape_of(sizes));
  const Found found = read_values(file, offset, tensor.dtype(), tensor.raw(), tensor.num_bytes());
  check(found);
  return nb::make_tuple(nb::steal(checked(wrap(std::move(tensor)))), found.bytes, found.checksum);
}

// Reads into the memory of a variable.
nb::tuple read_variable(const nb::object& variable, int file, int64_t offset,
                        const nb::tuple& sizes) {
  if (!is_variable(variable.ptr())) raise(PyExc_TypeError, "%R is no variable", variable.ptr());
  Variable target = variable_of(variable.ptr());
  Found found;
  target.overwrite(shape_of(sizes), [&](void* to, int64_t bytes) {
    found = read_values(file, offset, target.dtype(), to, bytes);
  });
  check(found);
  return nb::make_tuple(found.bytes, found.checksum);
}

struct MappedData {
  void* data;
  size_t bytes;
};

bool has_only_bools(const void* data, int64_t count) noexcept {
  const auto* const at = static_cast<const unsigned char*>(data);
  return std::all_of(at, at + count, [](unsigned char value) { return value < 2; });
}

// A tensor over the pages of a file. None if the file is too short or unaligned, or has invalid
// bools.
nb::object map_tensor(int file, int64_t offset, const nb::object& dtype_object,
                      const nb::tuple& sizes) {
  const DType dtype = to_dtype(dtype_object.ptr());
  const Shape shape = shape_of(sizes);
  const int64_t bytes = shape.num_bytes(dtype_size(dtype));
  struct stat now{};
  if (fstat(file, &now) != 0) check({.problem = errno});
  const auto alignment = static_cast<int64_t>(dtype_size(dtype));
  if (bytes == 0 || now.st_size - bytes < offset || offset % alignment != 0) return nb::none();
  const auto mapped_bytes = static_cast<size_t>(bytes);
  void* const data = memory::map_file(file, offset, mapped_bytes, false);
  if (data == nullptr) check({.problem = errno});
  if (dtype == DType::kBool && !has_only_bools(data, bytes)) {
    memory::unmap_file(data, mapped_bytes);
    return nb::none();
  }
  const auto give_back = [](void* context) {
    const std::unique_ptr<MappedData> mapped(static_cast<MappedData*>(context));
    memory::unmap_file(mapped->data, mapped->bytes);
  };
  auto mapped = std::make_unique<MappedData>(MappedData{data, mapped_bytes});
  Tensor tensor = Tensor::borrow(dtype, shape, data, give_back, mapped.release(), true);
  return nb::steal(checked(wrap(std::move(tensor))));
}

// Bytes that are booked until the object is dropped, or its `with` block ends.
class HostMemory {
 public:
  HostMemory(int64_t bytes, const std::string& who) { booked_.emplace(bytes, who); }
  void release() { booked_.reset(); }

 private:
  std::optional<Reservation> booked_;
};

}  // namespace

void add_files(nb::module_& module) {
  module.def("crc32c", &checksum, nb::arg("data"), nb::arg("before") = 0);
  module.def("check_file", &check_file);
  module.def("read_tensor", &read_tensor);
  module.def("read_variable", &read_variable);
  module.def("map_tensor", &map_tensor);
  nb::class_<HostMemory>(module, "HostMemory")
      .def(nb::init<int64_t, const std::string&>())
      .def("release", &HostMemory::release)
      .def("__enter__", [](nb::object self) { return self; })
      .def("__exit__", [](HostMemory& self, nb::args) { self.release(); });
}

}  // namespace penstock::python
