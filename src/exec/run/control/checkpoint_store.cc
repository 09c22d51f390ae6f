#include "exec/run/control/checkpoint_store.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "memory/page.h"

namespace penstock::exec {
namespace {

[[noreturn]] void fail_file(const char* what) {
  throw ResourceExhaustedError(cat("[while] states cannot be kept in a file (swap_memory): ", what,
                                   ": ", std::strerror(errno)));
}

// An unlinked file: it disappears with its last user.
int open_file() {
  std::error_code problem;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(problem);
  if (problem) {
    errno = problem.value();
    fail_file("no folder for it");
  }
  std::string path = (folder / "penstock-XXXXXX").string();
  const int file = mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) fail_file("no file");
  unlink(path.c_str());
  return file;
}

int64_t in_pages(int64_t bytes) {
  return static_cast<int64_t>(memory::round_to_pages(static_cast<size_t>(bytes)));
}

}  // namespace

CheckpointStore::CheckpointStore(char* base, int64_t count, int64_t state_bytes)
    : in_file_(false), most_(count), state_bytes_(state_bytes) {
  for (int64_t i = 0; i < count; ++i) {
    places_.push_back(base + i * state_bytes);
    free_.push_back(static_cast<int32_t>(count - 1 - i));
  }
}

CheckpointStore::CheckpointStore(bool in_file, int64_t most, int64_t state_bytes)
    : in_file_(in_file), most_(most), state_bytes_(state_bytes) {}

CheckpointStore::~CheckpointStore() {
  if (file_ < 0 || state_bytes_ == 0) return;
  for (char* place : places_) munmap(place, static_cast<size_t>(in_pages(state_bytes_)));
  close(file_);
}

char* CheckpointStore::map_file(int64_t place) {
  if (file_ < 0) file_ = open_file();
  const int64_t bytes = in_pages(state_bytes_);
  if (const int problem = posix_fallocate(file_, place * bytes, bytes); problem != 0) {
    errno = problem;
    fail_file("no room");
  }
  void* mapped = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED,
                      file_, place * bytes);
  if (mapped == MAP_FAILED) fail_file("no mapping");
  return static_cast<char*>(mapped);
}

char* CheckpointStore::add_place() {
  static char nothing;
  if (state_bytes_ == 0) return &nothing;
  if (in_file_) return map_file(static_cast<int64_t>(places_.size()));
  buffers_.push_back(
      BufferRef(allocate_buffer({.bytes = state_bytes_, .device = {}, .tag = Tag::kActivation})));
  return static_cast<char*>(buffers_.back()->data);
}

int32_t CheckpointStore::take() {
  if (free_.empty()) {
    places_.reserve(places_.size() + 1);
    free_.reserve(places_.size() + 1);
    try {
      places_.push_back(add_place());
    } catch (const ResourceExhaustedError&) {
      if (num_taken_ == 0) throw;
      most_ = num_taken_;
      is_full_ = true;
      return kNoPlace;
    }
    free_.push_back(static_cast<int32_t>(places_.size() - 1));
  }
  const int32_t place = free_.back();
  free_.pop_back();
  ++num_taken_;
  return place;
}

void CheckpointStore::give_back(int32_t place) {
  free_.push_back(place);
  --num_taken_;
}

void CheckpointStore::mark_taken(int32_t place) {
  std::erase(free_, place);
  ++num_taken_;
}

void CheckpointStore::put_away(int32_t place) const {
  if (!in_file_ || state_bytes_ == 0) return;
  char* const from = at(place);
  const auto bytes = static_cast<size_t>(in_pages(state_bytes_));
  msync(from, bytes, MS_ASYNC);
  madvise(from, bytes, MADV_DONTNEED);  // a shared mapping: the file keeps it
}

}  // namespace penstock::exec
