#include "recording/recording_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <new>
#include <span>

#include <penstock/memory/mapped_file.h>
#include <penstock/recording/recording.h>

#include "memory/system.h"

namespace penstock::recording {
namespace {

constexpr size_t kHeaderBytes = 4096;  // in the file; readers rely on it
static_assert(sizeof(Header) <= kHeaderBytes);
constexpr size_t kPiecesKept = 32;  // 8 MiB of the newest blocks stay in memory
constexpr uint32_t kInNextChunk = ~uint32_t{0};

int reserve(int descriptor, int64_t offset, size_t bytes) noexcept {
  int problem = EINTR;
  while (problem == EINTR) problem = posix_fallocate(descriptor, offset, static_cast<off_t>(bytes));
  return problem;
}

// The name of this process's file in the folder of `path`; false if it is too long.
bool name_beside(const char* path, std::span<char> name) noexcept {
  const char* const slash = std::strrchr(path, '/');
  const int folder = slash == nullptr ? 0 : static_cast<int>(slash - path) + 1;
  const int length = std::snprintf(name.data(), name.size(), "%.*s.penstock-%d.part", folder, path,
                                   static_cast<int>(getpid()));
  return length > 0 && static_cast<size_t>(length) < name.size();
}

}  // namespace

int File::open(const char* path) noexcept {
  // A new file rather than a truncated old one, in which another process may be recording. It
  // replaces the old one when it is complete enough.
  struct stat old{};
  if (lstat(path, &old) == 0 && !S_ISREG(old.st_mode)) return EEXIST;
  std::array<char, PATH_MAX> temporary;
  if (!name_beside(path, temporary)) return ENAMETOOLONG;
  unlink(temporary.data());  // left by a killed process with the same id
  descriptor_ = ::open(temporary.data(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor_ < 0) return errno;
  int problem = reserve(descriptor_, 0, kHeaderBytes);
  if (problem == 0) {
    header_ = static_cast<Header*>(memory::map_file(descriptor_, 0, kHeaderBytes, true));
    if (header_ == nullptr) problem = errno;
  }
  if (problem == 0 && rename(temporary.data(), path) != 0) {
    problem = errno;
    memory::unmap_file(header_, kHeaderBytes);
    header_ = nullptr;
  }
  if (problem != 0) {
    unlink(temporary.data());
    ::close(descriptor_);
    descriptor_ = -1;
    return problem;
  }
  file_bytes_ = kHeaderBytes;
  name_bytes_ = kPieceBytes;  // the first name needs a chunk
  first_resident_ = 0;
  is_cut_ = false;
  num_pieces_ = {};
  for (size_t kind = 0; kind < kNumKinds; ++kind) pieces_[kind] = other_pieces_[kind];
  pieces_[static_cast<size_t>(Kind::kBlocks)] = block_pieces_;
  std::memcpy(header_->magic, "PENREC1", 8);
  header_->version = kFileVersion;
  return 0;
}

void File::abandon() noexcept {
  if (header_ == nullptr) return;
  for (size_t kind = 0; kind < kNumKinds; ++kind) {
    for (size_t i = 0; i < num_pieces_[kind]; ++i)
      memory::unmap_file(pieces_[kind][i] - sizeof(ChunkHeader), kChunkBytes);
  }
  memory::unmap_file(header_, kHeaderBytes);
  header_ = nullptr;
  ::close(descriptor_);
  descriptor_ = -1;
  num_pieces_ = {};
  file_bytes_ = 0;
}

void File::close() noexcept {
  if (header_ != nullptr) header_->is_finished = 1;
  abandon();
}

char* File::add_chunk(Kind kind) noexcept {
  size_t& count = num_pieces_[static_cast<size_t>(kind)];
  if (count == (kind == Kind::kBlocks ? kMaxPieces : kMaxOtherPieces)) return nullptr;
  if (is_cut() || reserve(descriptor_, file_bytes_, kChunkBytes) != 0) return nullptr;
  char* chunk = static_cast<char*>(memory::map_file(descriptor_, file_bytes_, kChunkBytes, true));
  if (chunk == nullptr) return nullptr;
  file_bytes_ += kChunkBytes;
  ChunkHeader* head = new (chunk) ChunkHeader{};
  head->bytes = kChunkBytes;
  head->kind = static_cast<uint32_t>(kind);
  char* piece = chunk + sizeof(ChunkHeader);
  pieces_[static_cast<size_t>(kind)][count++] = piece;
  return piece;
}

void* File::add(Kind kind, size_t bytes, int32_t* place) noexcept {
  int64_t& count = header_->counts[static_cast<size_t>(kind)];
  const size_t per_piece = kPieceBytes / bytes;
  const size_t piece = static_cast<size_t>(count) / per_piece;
  if (count == INT32_MAX || (piece == num_pieces(kind) && add_chunk(kind) == nullptr)) {
    if (kind != Kind::kBlocks) ++header_->num_lost;  // blocks are counted separately
    return nullptr;
  }
  *place = static_cast<int32_t>(count++);
  return pieces_[static_cast<size_t>(kind)][piece] +
         static_cast<size_t>(*place) % per_piece * bytes;
}

int32_t File::add_name(std::string_view name, const char** kept) noexcept {
  constexpr auto kNames = static_cast<size_t>(Kind::kNames);
  const size_t length = std::min(name.size(), size_t{64} << 10);
  const size_t bytes = sizeof(uint32_t) + ((length + 3) & ~size_t{3});
  if (bytes > kPieceBytes - name_bytes_) {
    const size_t last = num_pieces(Kind::kNames);
    char* const before = last == 0 ? nullptr : pieces_[kNames][last - 1];
    if (add_chunk(Kind::kNames) == nullptr) {
      ++header_->num_lost;
      return -1;
    }
    if (before != nullptr && name_bytes_ + sizeof(uint32_t) <= kPieceBytes)
      std::memcpy(before + name_bytes_, &kInNextChunk, sizeof kInNextChunk);
    name_bytes_ = 0;
  }
  char* at = pieces_[kNames][num_pieces(Kind::kNames) - 1] + name_bytes_;
  const auto written = static_cast<uint32_t>(length);
  std::memcpy(at, &written, sizeof written);
  std::memcpy(at + sizeof written, name.data(), length);
  *kept = at + sizeof written;
  name_bytes_ += bytes;
  return static_cast<int32_t>(header_->counts[kNames]++);
}

bool File::is_cut() noexcept {
  struct stat now{};
  if (header_ != nullptr && fstat(descriptor_, &now) == 0 && now.st_size < file_bytes_)
    is_cut_ = true;
  return is_cut_;
}

int64_t File::resident_bytes() const noexcept {
  if (header_ == nullptr) return 0;
  const size_t dropped = first_resident_ * kChunkBytes;
  return file_bytes_ - static_cast<int64_t>(dropped);
}

void File::drop_old_pages() noexcept {
  const size_t count = num_pieces(Kind::kBlocks);
  if (count < first_resident_ + 2 * kPiecesKept) return;
  for (; first_resident_ < count - kPiecesKept; ++first_resident_) {
    const auto chunk =
        reinterpret_cast<uintptr_t>(block_pieces_[first_resident_] - sizeof(ChunkHeader));
    const uintptr_t start = memory::page_of(chunk);
    madvise(reinterpret_cast<void*>(start), chunk - start + kChunkBytes, MADV_DONTNEED);
  }
}

}  // namespace penstock::recording
