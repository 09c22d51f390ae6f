#include "process.h"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <nanobind/stl/string.h>
#include <stdio.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include <penstock/memory/memory.h>

namespace nb = nanobind;

namespace penstock::python {
namespace {

// The bytes that the C library's allocator has from the system, and those in use.
nb::dict malloc_info() {
  const struct mallinfo2 info = mallinfo2();
  nb::dict result;
  result["heap"] = info.arena;
  result["mapped"] = info.hblkhd;
  result["used"] = info.uordblks;
  result["free"] = info.fordblks;
  return result;
}

// Python's own report on its small-object allocator, the only source of its memory from the system.
// Empty if this Python has no such allocator.
std::string small_object_text() {
  using Print = int (*)(FILE*);
  static const auto print =
      reinterpret_cast<Print>(dlsym(RTLD_DEFAULT, "_PyObject_DebugMallocStats"));
  if (print == nullptr) return {};
  char* text = nullptr;
  size_t size = 0;
  FILE* stream = open_memstream(&text, &size);
  if (stream == nullptr) return {};
  print(stream);
  fclose(stream);
  std::string result(text, size);
  std::free(text);
  return result;
}

// The zeroed data of libraries follow their mapped files, in anonymous mappings.
int add_zeroed(dl_phdr_info* library, size_t, void* sum) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto up = [page](uintptr_t address) { return (address + page - 1) & ~(page - 1); };
  for (size_t i = 0; i < library->dlpi_phnum; ++i) {
    const auto& segment = library->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uintptr_t start = library->dlpi_addr + segment.p_vaddr;
    const uintptr_t first = up(start + segment.p_filesz), last = up(start + segment.p_memsz);
    *static_cast<int64_t*>(sum) +=
        memory::resident_bytes(reinterpret_cast<void*>(first), last - first);
  }
  return 0;
}

int64_t zeroed_library_data() {
  int64_t sum = 0;
  dl_iterate_phdr(add_zeroed, &sum);
  return sum;
}

}  // namespace

void add_process(nb::module_& module) {
  module.def("malloc_info", &malloc_info);
  module.def("small_object_text", &small_object_text);
  module.def("zeroed_library_data", &zeroed_library_data);
}

}  // namespace penstock::python
