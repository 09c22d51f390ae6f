// Recording: every allocation and release, with who made it and where, in a file that grows while
// the program runs. The file is a shared mapping: what was recorded is in it even when the process
// is killed. `src/recording/recording_file.h` says what is in it.
//
// Off, it costs one look at an atomic flag for each allocation. On, an allocation is a record of 48
// bytes; a release writes its time there.
//
//   site   a line of the user's program, known by its number in the recording
//   owner  the variable or function that a block belongs to, besides the op that made it
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include <penstock/base/export.h>

namespace penstock::recording {

PEN_API extern std::atomic<bool> g_is_on;
inline bool is_on() noexcept {
  return __builtin_expect(g_is_on.load(std::memory_order_relaxed), 0);
}

using Site = int32_t;
inline constexpr Site kNoSite = -1;
// Who knows the line that the calling thread is at; called without any lock held.
using LocateFn = Site (*)() noexcept;

// What the file's records mean. Whoever changes them counts on; a further tag is no change.
inline constexpr uint32_t kFileVersion = 1;

// Begins a recording in a new file at `path`. Throws FailedPreconditionError when there is one
// already, NotFoundError or ResourceExhaustedError when the file cannot be made.
PEN_API void start(const std::string& path, LocateFn locate);
// Ends it and closes the file; false when there was none.
PEN_API bool stop();

// Another number for each recording: a site is good for the one that it was made in.
PEN_API uint32_t generation() noexcept;
// The number of a line; kNoSite when there is no recording.
PEN_API Site site_of(std::string_view file, int line, std::string_view function) noexcept;
// Puts a text into the file under a key; a later one of the same key takes its place.
PEN_API void note(std::string_view key, std::string_view text) noexcept;

// What the recording itself takes.
struct Usage {
  int64_t file_bytes = 0;
  int64_t file_resident = 0;  // of the file's pages, in memory
  int64_t table_bytes = 0;    // of tables that are not in the file
  int64_t num_blocks = 0;
  int64_t num_dropped = 0;  // blocks that found no place any more
  bool is_cut = false;      // somebody made the file shorter
};
PEN_API Usage usage();

// A table of the lines that hold the most bytes now; empty when there is no recording.
PEN_API std::string holders(size_t most);

// The line of everything that this thread allocates while it lasts, for code that runs where it
// cannot be found out (without the interpreter's lock).
class PEN_API SiteScope {
 public:
  explicit SiteScope(Site site) noexcept;
  ~SiteScope();
  SiteScope(const SiteScope&) = delete;
  SiteScope& operator=(const SiteScope&) = delete;

 private:
  Site before_;
};

// A call of a function: what this thread allocates while it lasts belongs to it, and its peak is
// held against what was planned.
class PEN_API CallScope {
 public:
  struct Plan {
    std::string_view name;
    std::string_view file;
    int line = 0;
    int64_t planned_peak = 0;  // bytes; -1: not known beforehand
  };
  explicit CallScope(const Plan& plan) noexcept;
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  friend struct Calls;
  CallScope* outer_;
  int32_t plan_ = -1;
  int32_t name_ = -1;
  int32_t first_record_ = 0;
  uint32_t generation_ = 0;
  int64_t held_ = 0;
  int64_t peak_ = 0;
};

}  // namespace penstock::recording
