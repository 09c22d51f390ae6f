#include "user_line.h"

#include <unordered_map>

namespace penstock::python {
namespace {

std::string g_package;
std::string g_standard_library;

// The text of a code's name; empty when it has none.
std::string_view text_of(PyObject* name) noexcept {
  Py_ssize_t size = 0;
  const char* text = name == nullptr ? nullptr : PyUnicode_AsUTF8AndSize(name, &size);
  if (text == nullptr) PyErr_Clear();
  return text == nullptr ? std::string_view() : std::string_view(text, static_cast<size_t>(size));
}

enum class Whose { kOurs, kOthers, kUsers };

Whose whose(std::string_view file) noexcept {
  if (file.starts_with(g_package) || file.starts_with("<frozen")) return Whose::kOurs;
  if (file.empty() || file[0] == '<') return Whose::kOthers;
  const bool is_standard =
      file.starts_with(g_standard_library) && file.find("-packages/") == std::string_view::npos;
  return is_standard ? Whose::kOthers : Whose::kUsers;
}

struct Frame {
  PyFrameObject* frame = nullptr;  // owned
  PyCodeObject* code = nullptr;    // the frame's
};

// The innermost frame of the user's code; if there is none, the innermost that is not ours (code
// typed at a prompt or given to `python -c` has no file).
Frame user_frame() noexcept {
  Frame other;
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame != nullptr) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    Py_DECREF(code);  // the frame keeps it
    const Whose is = whose(text_of(code->co_filename));
    if (is == Whose::kUsers) {
      Py_XDECREF(other.frame);
      return {frame, code};
    }
    PyFrameObject* back = PyFrame_GetBack(frame);
    if (is == Whose::kOthers && other.frame == nullptr) {
      other = {frame, code};
    } else {
      Py_DECREF(frame);
    }
    frame = back;
  }
  return other;
}

// Suspends garbage collection: creating a frame object must not run a collection, and with it the
// user's code, in the middle of an op.
class NoCollection {
 public:
  NoCollection() : was_on_(PyGC_Disable()) {}
  ~NoCollection() {
    if (was_on_ != 0) PyGC_Enable();
  }

 private:
  int was_on_;
};

// A cache of lines by code and instruction: decoding them for every allocation would cost more than
// the rest of the recording.
struct At {
  PyCodeObject* code;  // owned, so that the address is not reused
  int instruction;
  bool operator==(const At&) const = default;
};
struct HashAt {
  size_t operator()(const At& at) const noexcept {
    return reinterpret_cast<size_t>(at.code) / 16 * 31 + static_cast<size_t>(at.instruction);
  }
};
constexpr size_t kMostSites = 1 << 16;
std::unordered_map<At, recording::Site, HashAt> g_sites;
uint32_t g_generation = 0;

int instruction_of(PyFrameObject* frame) noexcept {
#if PY_VERSION_HEX >= 0x030B0000
  return PyFrame_GetLasti(frame);
#else
  return PyFrame_GetLineNumber(frame);
#endif
}

recording::Site site_of(const Frame& at) noexcept {
#if PY_VERSION_HEX >= 0x030B0000
  PyObject* name = at.code->co_qualname;
#else
  PyObject* name = at.code->co_name;
#endif
  return recording::site_of(text_of(at.code->co_filename), PyFrame_GetLineNumber(at.frame),
                            text_of(name));
}

}  // namespace

void set_package(const std::string& path, const std::string& standard_library) {
  g_package = path;
  g_standard_library = standard_library;
}

UserLine user_line() noexcept {
  if (PyGILState_Check() == 0) return {};
  const NoCollection scope;
  const Frame found = user_frame();
  if (found.frame == nullptr) return {};
  const UserLine line{text_of(found.code->co_filename), PyFrame_GetLineNumber(found.frame)};
  Py_DECREF(found.frame);  // it is running: its code and name stay alive
  return line;
}

recording::Site user_site() noexcept {
  if (PyGILState_Check() == 0) return recording::kNoSite;
  const NoCollection scope;
  if (g_generation != recording::generation() || g_sites.size() > kMostSites) forget_sites();
  const Frame found = user_frame();
  if (found.frame == nullptr) return recording::kNoSite;
  const At at{found.code, instruction_of(found.frame)};
  recording::Site site = recording::kNoSite;
  if (const auto known = g_sites.find(at); known != g_sites.end()) {
    site = known->second;
  } else {
    site = site_of(found);
    try {
      g_sites.emplace(at, site);
      Py_INCREF(at.code);
    } catch (const std::bad_alloc&) {  // looked up again next time
    }
  }
  Py_DECREF(found.frame);
  return site;
}

void forget_sites() noexcept {
  g_generation = recording::generation();
  for (const auto& [at, site] : g_sites) Py_DECREF(at.code);
  g_sites.clear();
}

}  // namespace penstock::python
