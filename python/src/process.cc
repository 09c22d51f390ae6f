#include "process.h"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <nanobind/stl/string.h>
#include <stdio.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace nb = nanobind;

namespace penstock::python {
namespace {

constexpr size_t kPageBytes = 4096;

// What the C library's allocator has from the system, and what of that is in use.
nb::dict malloc_info() {
  const struct mallinfo2 info = mallinfo2();
  nb::dict result;
  result["heap"] = info.arena;
  result["mapped"] = info.hblkhd;
  result["used"] = info.uordblks;
  result["free"] = info.fordblks;
  return result;
}

// What Python prints about its allocator of small objects: the only place where it says how much it
// has from the system. Empty where this Python has no such allocator.
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

int64_t resident_bytes(uintptr_t start, uintptr_t end) {
  unsigned char in_memory[1024];
  int64_t pages = 0;
  for (uintptr_t at = start; at < end; at += sizeof in_memory * kPageBytes) {
    const size_t bytes = std::min<size_t>(end - at, sizeof in_memory * kPageBytes);
    if (mincore(reinterpret_cast<void*>(at), bytes, in_memory) != 0) continue;
    pages += std::count_if(in_memory, in_memory + bytes / kPageBytes,
                           [](unsigned char page) { return (page & 1) != 0; });
  }
  return pages * static_cast<int64_t>(kPageBytes);
}

// The zeroed data of libraries lie behind what is mapped of their files, in areas without a name.
int add_zeroed(dl_phdr_info* library, size_t, void* sum) {
  const auto up = [](uintptr_t address) { return (address + kPageBytes - 1) & ~(kPageBytes - 1); };
  for (size_t i = 0; i < library->dlpi_phnum; ++i) {
    const auto& segment = library->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uintptr_t start = library->dlpi_addr + segment.p_vaddr;
    *static_cast<int64_t*>(sum) +=
        resident_bytes(up(start + segment.p_filesz), up(start + segment.p_memsz));
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
