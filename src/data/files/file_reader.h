// FileReader: the bytes of a file from front to back, through a buffer that is booked under
// `dataset`. A compressed file reads as what it contains.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "data/files/byte_buffer.h"
#include "data/files/compression.h"

namespace penstock::data {

class FileReader {
 public:
  // Throws NotFoundError, or what else the system says.
  FileReader(std::string path, Compression compression, int64_t buffer_bytes);
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  // The bytes that come next, as many as are in the buffer; none at the end only.
  std::string_view peek();
  // Passes over bytes that peek() returned.
  void consume(size_t bytes) { at_ += bytes; }
  // Reads `bytes` bytes; less at the end only.
  size_t read(char* to, size_t bytes);
  // The next byte; -1 at the end.
  int get() {
    if (at_ == end_ && !fill()) return -1;
    return static_cast<unsigned char>(output_.data()[at_++]);
  }
  // Passes over bytes; less at the end only.
  int64_t skip(int64_t bytes);

  // Of the next byte, in the contents.
  int64_t position() const { return start_ + static_cast<int64_t>(at_); }
  // The bytes after the position; kUnknownSize for compressed files, pipes and the like.
  static constexpr int64_t kUnknownSize = -1;
  int64_t bytes_left() const;
  const std::string& path() const { return path_; }

  // The most that a reader holds.
  static int64_t bytes_held(Compression compression, int64_t buffer_bytes);

 private:
  // Fills the empty buffer; false at the end.
  bool fill();
  size_t read_file(char* to, size_t bytes);
  // Decompresses up to `room` bytes.
  size_t inflate(char* to, size_t room);

  const std::string path_;
  int file_ = -1;
  bool is_regular_ = false;
  ByteBuffer output_;  // the contents in the buffer: [at_, end_)
  size_t at_ = 0, end_ = 0;
  int64_t start_ = 0;  // of the buffer, in the contents
  ByteBuffer input_;   // compressed
  std::string_view compressed_;
  std::unique_ptr<Inflater> inflater_;
};

// Throws the error that belongs to a number of the system: "name; No such file or directory".
[[noreturn]] void fail_system(const std::string& path, int number);

}  // namespace penstock::data
