#include "recording.h"

#include <nanobind/stl/string.h>

#include <string>

#include <penstock/recording/recording.h>

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
  result["is_cut"] = usage.is_cut;
  return result;
}

}  // namespace

void add_recording(nb::module_& module) {
  module.def("start_recording", [](const std::string& path) { recording::start(path, user_site); });
  module.def("stop_recording", &stop);
  module.attr("RECORDING_VERSION") = recording::kFileVersion;
  module.def("is_recording", [] { return recording::is_on(); });
  module.def("note_in_recording",
             [](const std::string& key, const std::string& text) { recording::note(key, text); });
  module.def("recording_usage", &usage);
  module.def("recording_holders", [](size_t most) { return recording::holders(most); });
}

}  // namespace penstock::python
