// Recording: every allocation and release, with its owner and source line, in a file that grows
// while the program runs. The file is a shared mapping, so its records survive when the process is
// killed. `src/recording/recording_file.h` describes the format.
//
// When off, it costs one read of an atomic flag per allocation. When on, an allocation writes a
// record of 48 bytes, and a release writes its time there.
//
//   site   a line of the user's program, identified by its number in the recording
//   owner  the variable or function that a block belongs to, besides the op that allocated it
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
// Returns the current line of the calling thread; called without any lock held.
using LocateFn = Site (*)() noexcept;

// The version of the file's records. Increase it when they change; a new tag is no change.
inline constexpr uint32_t kFileVersion = 1;

// Starts a recording in a new file at `path`. Throws FailedPreconditionError if one is running,
// NotFoundError or ResourceExhaustedError if the file cannot be created.
PEN_API void start(const std::string& path, LocateFn locate);
// Ends it and closes the file; false if none was running.
PEN_API bool stop();

// A number that is unique to each recording: a site is valid only in the one that created it.
PEN_API uint32_t generation() noexcept;
// The number of a line; kNoSite without a recording.
PEN_API Site site_of(std::string_view file, int line, std::string_view function) noexcept;
// Writes a text under a key to the file; it replaces an earlier one.
PEN_API void note(std::string_view key, std::string_view text) noexcept;

// The memory of the recording itself.
struct Usage {
  int64_t file_bytes = 0;
  int64_t file_resident = 0;  // resident pages of the file
  int64_t table_bytes = 0;    // tables outside the file
  int64_t num_blocks = 0;
  int64_t num_dropped = 0;  // blocks that found no room
  bool is_cut = false;      // the file was truncated
};
PEN_API Usage usage();

// A table of the lines that hold the most bytes now; empty without a recording.
PEN_API std::string holders(size_t most);

// Sets the line of everything that this thread allocates while it exists, for code that cannot look
// it up (without the GIL).
class PEN_API SiteScope {
 public:
  explicit SiteScope(Site site) noexcept;
  ~SiteScope();
  SiteScope(const SiteScope&) = delete;
  SiteScope& operator=(const SiteScope&) = delete;

 private:
  Site before_;
};

// A function call: allocations of this thread while it exists belong to it, and its peak is
// compared with the plan.
class PEN_API CallScope {
 public:
  struct Plan {
    std::string_view name;
    std::string_view file;
    int line = 0;
    int64_t planned_peak = 0;  // bytes; -1: not known in advance
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
