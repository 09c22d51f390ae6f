#include "data/cache_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include <penstock/base/crc32c.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "data/worker.h"

namespace penstock::data {
namespace {

constexpr std::string_view kMagic = "penstock cache 1\n";
constexpr size_t kBufferBytes = 64 << 10;

// In front of every element.
struct Header {
  uint64_t bytes;
  uint32_t checksum;  // of the element
  uint32_t own;       // of the two before
};

uint32_t own_checksum(const Header& header) { return crc32c(&header, offsetof(Header, own)); }

std::string data_path(const std::string& name) { return name + ".data-00000-of-00001"; }
std::string index_path(const std::string& name) { return name + ".index"; }

[[noreturn]] void fail(const std::string& path, std::string_view doing) {
  const int number = errno;
  const std::string text =
      cat("[CacheDataset] ", path, " cannot be ", doing, ": ", std::string(std::strerror(number)));
  if (number == ENOENT || number == ENOTDIR) throw NotFoundError(text);
  if (number == EACCES || number == EROFS || number == EPERM) throw FailedPreconditionError(text);
  throw ResourceExhaustedError(text);
}

[[noreturn]] void fail_damaged(const std::string& path) {
  throw DataLossError(cat("[CacheDataset] ", path, " is damaged or not a complete cache"));
}

void write_all(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path, "written");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

// Appends what follows `offset` in the file to *to; false at the end of the file.
bool read_some(int descriptor, int64_t offset, size_t bytes, std::string* to,
               const std::string& path) {
  const size_t before = to->size();
  to->resize(before + bytes);
  ssize_t found;
  do {
    found = pread(descriptor, to->data() + before, bytes, offset);
  } while (found < 0 && errno == EINTR);
  if (found < 0) fail(path, "read");
  to->resize(before + static_cast<size_t>(found));
  return found > 0;
}

void append(std::string& to, const void* data, size_t bytes) {
  to.append(static_cast<const char*>(data), bytes);
}

int open_file(const std::string& path, int flags, std::string_view doing) {
  const int descriptor = open(path.c_str(), flags | O_CLOEXEC, 0644);
  if (descriptor < 0) fail(path, doing);
  return descriptor;
}

// Closes a file when it goes.
struct Opened {
  explicit Opened(int a_descriptor) : descriptor(a_descriptor) {}
  ~Opened() { close(descriptor); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  const int descriptor;
};

// The index: the magic, the number of elements, the bytes of the data file, the spec, a checksum.
std::string make_index(const Spec& spec, int64_t count, int64_t bytes) {
  std::string index(kMagic);
  append(index, &count, sizeof(count));
  append(index, &bytes, sizeof(bytes));
  index += to_string(spec);
  const uint32_t checksum = crc32c(index.data(), index.size());
  append(index, &checksum, sizeof(checksum));
  return index;
}

int64_t count_in_index(const std::string& name, const Spec& spec) {
  const std::string path = index_path(name);
  const Opened file(open_file(path, O_RDONLY, "opened"));
  std::string index;
  while (read_some(file.descriptor, static_cast<int64_t>(index.size()), kBufferBytes, &index, path))
    if (index.size() > 16 * kBufferBytes) fail_damaged(path);
  uint32_t checksum;
  int64_t count, bytes;
  const size_t least = kMagic.size() + sizeof(count) + sizeof(bytes) + sizeof(checksum);
  if (index.size() < least || !index.starts_with(kMagic)) fail_damaged(path);
  const size_t covered = index.size() - sizeof(checksum);
  std::memcpy(&checksum, index.data() + covered, sizeof(checksum));
  if (checksum != crc32c(index.data(), covered)) fail_damaged(path);
  std::memcpy(&count, index.data() + kMagic.size(), sizeof(count));
  std::memcpy(&bytes, index.data() + kMagic.size() + sizeof(count), sizeof(bytes));
  const size_t text = least - sizeof(checksum);
  const std::string_view found = std::string_view(index).substr(text, covered - text);
  if (found != to_string(spec))
    throw InvalidArgumentError(cat("[CacheDataset] the cache ", name, " holds elements of ", found,
                                   ", but the dataset gives ", spec));
  return count;
}

std::string temporary_path(const std::string& name) {
  static std::atomic<uint64_t> number{0};
  return cat(data_path(name), ".", static_cast<int64_t>(getpid()), "-", number.fetch_add(1),
             ".part");
}

}  // namespace

bool has_cache_file(const std::string& name) { return access(index_path(name).c_str(), F_OK) == 0; }

CacheFileReader::CacheFileReader(const std::string& name, const Spec& spec)
    : path_(data_path(name)), codec_(spec), count_(count_in_index(name, spec)) {
  descriptor_ = open_file(path_, O_RDONLY, "opened");
}

CacheFileReader::CacheFileReader(const std::string& path, const ElementCodec& codec, int64_t count)
    : path_(path), codec_(codec), count_(count) {
  descriptor_ = open_file(path_, O_RDONLY, "opened");
}

CacheFileReader::~CacheFileReader() { close(descriptor_); }

void CacheFileReader::seek(int64_t offset, int64_t number) {
  offset_ = offset;
  number_ = number;
  buffer_.clear();
  used_ = 0;
}

std::string_view CacheFileReader::read(int64_t bytes) {
  const auto wanted = static_cast<size_t>(bytes);
  if (buffer_.size() - used_ < wanted) {
    buffer_.erase(0, used_);
    used_ = 0;
    while (buffer_.size() < wanted) {
      // A damaged size is noticed before so much memory is asked for: the file ends.
      const size_t more =
          std::min(std::max(wanted - buffer_.size(), kBufferBytes), 16 * kBufferBytes);
      if (!read_some(descriptor_, offset_ + static_cast<int64_t>(buffer_.size()), more, &buffer_,
                     path_))
        fail_damaged(path_);
    }
  }
  const std::string_view part = std::string_view(buffer_).substr(used_, wanted);
  used_ += wanted;
  offset_ += bytes;
  return part;
}

bool CacheFileReader::next(Element& element) {
  if (number_ == count_) return false;
  Header header;
  std::memcpy(&header, read(sizeof(header)).data(), sizeof(header));
  if (header.own != own_checksum(header) || header.bytes > INT64_MAX) fail_damaged(path_);
  const std::string_view bytes = read(static_cast<int64_t>(header.bytes));
  if (header.checksum != crc32c(bytes.data(), bytes.size())) fail_damaged(path_);
  codec_.read(bytes, element);
  ++number_;
  return true;
}

CacheFileWriter::CacheFileWriter(const std::string& name, const Spec& spec)
    : name_(name), path_(temporary_path(name)), codec_(spec), process_(getpid()) {
  if (!codec_.has_bytes())
    throw UnimplementedError("[CacheDataset] elements with datasets cannot be written to a file");
  descriptor_ = open_file(path_, O_WRONLY | O_CREAT | O_TRUNC, "created");
}

CacheFileWriter::~CacheFileWriter() {
  close(descriptor_);
  if (!is_finished_ && process_ == getpid()) unlink(path_.c_str());
}

void CacheFileWriter::flush() {
  if (process_ != getpid()) fail_forked();
  write_all(descriptor_, buffer_, path_);
  buffer_.clear();
}

void CacheFileWriter::add(const Element& element) {
  codec_.check(element);
  const auto bytes = static_cast<size_t>(codec_.bytes_of(element));
  const size_t start = buffer_.size();
  buffer_.resize(start + sizeof(Header) + bytes);
  char* const data = buffer_.data() + start + sizeof(Header);
  codec_.write(element, data);
  Header header{bytes, crc32c(data, bytes), 0};
  header.own = own_checksum(header);
  std::memcpy(buffer_.data() + start, &header, sizeof(header));
  bytes_ += static_cast<int64_t>(sizeof(header) + bytes);
  if (buffer_.size() >= kBufferBytes) flush();
  ++count_;
}

CacheFileReader CacheFileWriter::reader() {
  flush();
  return CacheFileReader(path_, codec_, count_);
}

void CacheFileWriter::finish() {
  flush();
  if (fsync(descriptor_) != 0 && errno != EINVAL) fail(path_, "written");
  const std::string index = path_ + ".index";
  {
    const Opened file(open_file(index, O_WRONLY | O_CREAT | O_TRUNC, "created"));
    try {
      write_all(file.descriptor, make_index(codec_.spec(), count_, bytes_), index);
    } catch (...) {
      unlink(index.c_str());
      throw;
    }
  }
  const std::string data = data_path(name_), final_index = index_path(name_);
  if (rename(path_.c_str(), data.c_str()) != 0) {
    unlink(index.c_str());
    fail(data, "created");
  }
  is_finished_ = true;
  if (rename(index.c_str(), final_index.c_str()) != 0) fail(final_index, "created");
}

}  // namespace penstock::data
