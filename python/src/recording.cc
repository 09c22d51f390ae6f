#include "recording.h"

#include <dlfcn.h>
#include <malloc.h>
#include <nanobind/stl/string.h>
#include <stdio.h>

#include <cstdlib>
#include <string>

#include <penstock/memory/memory.h>
#include <penstock/memory/recording.h>

#include "user_line.h"

namespace nb = nanobind;

namespace penstock::python {
namespace {

bool stop() {
  bool was_on;
  {
    const nb::gil_scoped_release released;  // the sampler is waited for
    was_on = recording::stop();
  }
  forget_sites();
  return was_on;
}

nb::dict usage() {
  const recording::Usage usage = recording::usage();
  nb::dict result;
  result["file"] = usage.file_bytes;
  result["resident"] = usage.file_resident + usage.table_bytes;
  result["tables"] = usage.table_bytes;
  result["blocks"] = usage.num_blocks;
  result["dropped"] = usage.num_dropped;
  return result;
}

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

}  // namespace

void add_recording(nb::module_& module) {
  module.def("start_recording", [](const std::string& path) { recording::start(path, user_site); });
  module.def("stop_recording", &stop);
  module.def("is_recording", [] { return recording::is_on(); });
  module.def("note_in_recording",
             [](const std::string& key, const std::string& text) { recording::note(key, text); });
  module.def("recording_usage", &usage);
  module.def("recording_holders", [](size_t most) { return recording::holders(most); });
  module.def("malloc_info", &malloc_info);
  module.def("small_object_text", &small_object_text);
}

}  // namespace penstock::python
