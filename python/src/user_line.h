// The user's line: the innermost Python frame outside the package and the standard library.
// Everything here needs the GIL.
#pragma once

#include <Python.h>

#include <string>
#include <string_view>

#include <penstock/recording/recording.h>

namespace penstock::python {

// Sets the paths of the package and of the standard library.
void set_package(const std::string& path, const std::string& standard_library);

struct UserLine {
  std::string_view file;  // empty if there is none, or no GIL
  int line = 0;
};
UserLine user_line() noexcept;

// The same as a site of the recording; kNoSite without the GIL.
recording::Site user_site() noexcept;
// Clears the cache of user_site().
void forget_sites() noexcept;

}  // namespace penstock::python
