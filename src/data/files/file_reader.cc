#include "data/files/file_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

namespace penstock::data {
namespace {

constexpr int64_t kDefaultBuffer = 256 << 10;
constexpr int64_t kLeastBuffer = 1 << 10;
constexpr int64_t kMostBuffer = int64_t{1} << 30;

// No buffer at all would be a system call a byte.
int64_t buffer_size(int64_t asked) {
  return asked <= 0 ? kDefaultBuffer : std::clamp(asked, kLeastBuffer, kMostBuffer);
}

}  // namespace

void fail_system(const std::string& path, int number) {
  const std::string text = cat(path, "; ", std::strerror(number));
  switch (number) {
    case ENOENT:
      throw NotFoundError(text);
    case EISDIR:
    case ENOTDIR:
    case EPERM:
    case EACCES:
    case EROFS:
    case ENOTEMPTY:
      throw FailedPreconditionError(text);
    case ENOMEM:
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
      throw ResourceExhaustedError(text);
    case EINVAL:
    case ENAMETOOLONG:
      throw InvalidArgumentError(text);
    default:
      throw UnknownError(text);
  }
}

FileReader::FileReader(std::string path, Compression compression, int64_t buffer_bytes)
    : path_(std::move(path)) {
  const auto size = static_cast<size_t>(buffer_size(buffer_bytes));
  output_.reserve(size);
  if (compression != Compression::kNone) {
    input_.reserve(size);
    inflater_ = std::make_unique<Inflater>(compression);
  }
  if (path_.find('\0') != std::string::npos) fail_system(path_, ENOENT);
  do {
    file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  } while (file_ < 0 && errno == EINTR);
  if (file_ < 0) fail_system(path_, errno);
  struct stat found{};
  if (fstat(file_, &found) == 0) {
    is_regular_ = S_ISREG(found.st_mode);
    if (S_ISDIR(found.st_mode)) {
      close(file_);
      fail_system(path_, EISDIR);
    }
  }
}

FileReader::~FileReader() {
  if (file_ >= 0) close(file_);
}

size_t FileReader::read_file(char* to, size_t bytes) {
  for (;;) {
    const ssize_t count = ::read(file_, to, bytes);
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) fail_system(path_, errno);
  }
}

size_t FileReader::inflate(char* to, size_t room) {
  for (;;) {
    if (const size_t count = inflater_->inflate(&compressed_, to, room); count > 0) return count;
    const size_t count = read_file(input_.data(), input_.capacity());
    if (count == 0) return 0;  // a stream that is cut ends here too
    compressed_ = {input_.data(), count};
  }
}

bool FileReader::fill() {
  start_ += static_cast<int64_t>(end_);
  at_ = end_ = 0;
  end_ = inflater_ == nullptr ? read_file(output_.data(), output_.capacity())
                              : inflate(output_.data(), output_.capacity());
  return end_ > 0;
}

std::string_view FileReader::peek() {
  if (at_ == end_) fill();
  return {output_.data() + at_, end_ - at_};
}

size_t FileReader::read(char* to, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    if (at_ == end_ && inflater_ == nullptr && bytes - done >= output_.capacity()) {
      const size_t count = read_file(to + done, bytes - done);  // past the buffer
      if (count == 0) break;
      start_ += static_cast<int64_t>(end_ + count);
      at_ = end_ = 0;
      done += count;
      continue;
    }
    const std::string_view next = peek().substr(0, bytes - done);
    if (next.empty()) break;
    std::memcpy(to + done, next.data(), next.size());
    consume(next.size());
    done += next.size();
  }
  return done;
}

int64_t FileReader::skip(int64_t bytes) {
  int64_t done = 0;
  const int64_t left = bytes_left();
  const auto buffered = static_cast<int64_t>(end_ - at_);
  if (left != kUnknownSize && bytes > buffered) {
    // A plain file is not read for this.
    bytes = std::min(bytes, std::max<int64_t>(left, buffered));
    if (lseek(file_, bytes - buffered, SEEK_CUR) >= 0) {
      start_ += static_cast<int64_t>(at_) + bytes;
      at_ = end_ = 0;
      return bytes;
    }
  }
  while (done < bytes) {
    const auto count = std::min<int64_t>(bytes - done, static_cast<int64_t>(peek().size()));
    if (count == 0) break;
    consume(static_cast<size_t>(count));
    done += count;
  }
  return done;
}

int64_t FileReader::bytes_left() const {
  struct stat found{};
  if (inflater_ != nullptr || !is_regular_ || fstat(file_, &found) != 0) return kUnknownSize;
  return std::max<int64_t>(found.st_size - position(), 0);
}

int64_t FileReader::bytes_held(Compression compression, int64_t buffer_bytes) {
  const int64_t size = buffer_size(buffer_bytes);
  return compression == Compression::kNone ? size : 2 * size + kInflaterBytes;
}

}  // namespace penstock::data
