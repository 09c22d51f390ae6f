#include "data/spill_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <penstock/base/crc32c.h>
#include <penstock/base/error.h>
#include <penstock/base/small_vector.h>
#include <penstock/base/strings.h>

#include "data/worker.h"

namespace penstock::data {
namespace {

constexpr std::string_view kPrefix = "penstock-", kSuffix = ".spill";

std::string folder() {
  const char* text = std::getenv("TMPDIR");
  return text != nullptr && *text != '\0' ? text : "/tmp";
}

// The process in penstock-<what>-<process>-<number>.spill; 0 if it is no such name.
pid_t process_of(std::string_view name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return 0;
  name.remove_suffix(kSuffix.size());
  const size_t number = name.rfind('-');
  const size_t process = name.rfind('-', number - 1);
  if (process == std::string_view::npos || process + 1 >= number) return 0;
  int64_t value = 0;
  for (const char c : name.substr(process + 1, number - process - 1)) {
    if (c < '0' || c > '9' || value > INT32_MAX / 10) return 0;
    value = value * 10 + (c - '0');
  }
  return static_cast<pid_t>(value);
}

void remove_stale(const std::string& where) {
  DIR* const directory = opendir(where.c_str());
  if (directory == nullptr) return;
  std::vector<std::string> stale;
  while (const dirent* entry = readdir(directory)) {
    const pid_t process = process_of(entry->d_name);
    if (process > 0 && kill(process, 0) != 0 && errno == ESRCH) stale.push_back(entry->d_name);
  }
  closedir(directory);
  for (const std::string& name : stale) unlink(cat(where, "/", name).c_str());
}

// Removes what is stale before the first file of this process in a folder.
void clean_once(const std::string& where) {
  static std::mutex mutex;
  static auto* const cleaned = new std::string;
  const std::lock_guard lock(mutex);
  if (*cleaned == where) return;
  remove_stale(where);
  *cleaned = where;
}

std::string reason() { return std::strerror(errno); }

using Vectors = SmallVector<iovec, 4>;

// Drops the first `bytes` bytes of the vectors.
void advance(Vectors& vectors, size_t& first, size_t bytes) {
  while (bytes > 0) {
    iovec& each = vectors[first];
    const size_t part = std::min(bytes, each.iov_len);
    each.iov_base = static_cast<char*>(each.iov_base) + part;
    each.iov_len -= part;
    bytes -= part;
    if (each.iov_len == 0) ++first;
  }
}

// Moves all bytes by preadv or pwritev; false with errno, which is 0 where the file ended.
template <typename Move>
bool move_all(Move move, int descriptor, Vectors& vectors, int64_t offset) {
  size_t first = 0;
  for (;;) {
    while (first < vectors.size() && vectors[first].iov_len == 0) ++first;
    if (first == vectors.size()) return true;
    const size_t count = std::min<size_t>(vectors.size() - first, 64);
    const ssize_t moved = move(descriptor, vectors.data() + first, static_cast<int>(count), offset);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) {
      if (moved == 0) errno = 0;
      return false;
    }
    offset += moved;
    advance(vectors, first, static_cast<size_t>(moved));
  }
}

// The room for a record: few sizes, so that room given back is used again. Four steps per doubling.
int64_t room_for(int64_t bytes) {
  const auto wanted = static_cast<uint64_t>(bytes + SpillFile::kChecksumBytes);
  const uint64_t step = std::max<uint64_t>(std::bit_ceil(wanted) / 8, SpillFile::kUnit);
  return static_cast<int64_t>((wanted + step - 1) / step * step);
}

uint32_t checksum(std::span<const SpillFile::Part> parts) {
  uint32_t sum = 0;
  for (const SpillFile::Part& part : parts) sum = crc32c(part.data, part.bytes, sum);
  return sum;
}

Vectors vectors_of(std::span<const SpillFile::Part> parts, uint32_t* sum) {
  Vectors vectors;
  vectors.reserve(parts.size() + 1);
  for (const SpillFile::Part& part : parts) vectors.push_back({part.data, part.bytes});
  vectors.push_back({sum, sizeof(*sum)});
  return vectors;
}

}  // namespace

SpillFile::SpillFile(std::string_view what) : process_(getpid()) {
  static std::atomic<uint64_t> number{0};
  const std::string where = folder();
  clean_once(where);
  path_ = cat(where, "/", kPrefix, what, "-", static_cast<int64_t>(process_), "-",
              number.fetch_add(1), kSuffix);
  descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor_ < 0 && errno == EEXIST) {  // of a process that had this number before
    unlink(path_.c_str());
    descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  }
  if (descriptor_ < 0)
    throw ResourceExhaustedError(cat("[", what,
                                     "] the buffer does not fit into memory, and its file ", path_,
                                     " cannot be made: ", reason()));
}

SpillFile::~SpillFile() {
  close(descriptor_);
  if (getpid() == process_) unlink(path_.c_str());
}

void SpillFile::check_process() const {
  if (getpid() != process_) fail_forked();
}

void SpillFile::write(int64_t offset, std::span<const Part> parts) {
  check_process();
  uint32_t sum = checksum(parts);
  Vectors vectors = vectors_of(parts, &sum);
  int64_t bytes = 0;
  for (const iovec& each : vectors) bytes += static_cast<int64_t>(each.iov_len);
  if (!move_all(pwritev, descriptor_, vectors, offset))
    throw ResourceExhaustedError(
        cat("a buffer that does not fit into memory cannot be written to ", path_, ": ", reason()));
  size_ = std::max(size_, offset + bytes);
}

void SpillFile::read(int64_t offset, std::span<const Part> parts) const {
  check_process();
  uint32_t sum = 0;
  Vectors vectors = vectors_of(parts, &sum);
  if (!move_all(preadv, descriptor_, vectors, offset))
    throw DataLossError(cat("a buffered element cannot be read back from ", path_, ": ",
                            errno == 0 ? std::string("the file is too short") : reason()));
  if (sum != checksum(parts))
    throw DataLossError(cat("a buffered element in ", path_, " is damaged: its checksum differs"));
}

int64_t SpillFile::reserve(int64_t bytes) {
  const int64_t room = room_for(bytes);
  if (const auto at = free_.find(room); at != free_.end() && !at->second.empty()) {
    const int64_t offset = at->second.back();
    at->second.pop_back();
    return offset;
  }
  const int64_t offset = (size_ + kUnit - 1) / kUnit * kUnit;
  size_ = offset + room;
  return offset;
}

void SpillFile::give_back(int64_t offset, int64_t bytes) {
  free_[room_for(bytes)].push_back(offset);
}

}  // namespace penstock::data
