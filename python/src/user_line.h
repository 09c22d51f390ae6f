// The user's line: the innermost Python frame that is neither the package's own nor the standard
// library's. Everything here needs the GIL.
#pragma once

#include <Python.h>

#include <string>
#include <string_view>

#include <penstock/recording/recording.h>

namespace penstock::python {

// Where the package's files are, and those of the standard library.
void set_package(const std::string& path, const std::string& standard_library);

struct UserLine {
  std::string_view file;  // empty when there is none, or no GIL
  int line = 0;
};
UserLine user_line() noexcept;

// The same as a site of the recording; kNoSite without the GIL.
recording::Site user_site() noexcept;
// Lets go of what user_site() remembers.
void forget_sites() noexcept;

}  // namespace penstock::python
