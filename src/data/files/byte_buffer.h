// ByteBuffer: bytes of a pipeline's files, booked under `dataset`.
#pragma once

#include <cstddef>
#include <string_view>

#include <penstock/memory/buffer.h>

namespace penstock::data {

class ByteBuffer {
 public:
  char* data() const { return buffer_ ? static_cast<char*>(buffer_->data) : nullptr; }
  size_t capacity() const { return buffer_ ? static_cast<size_t>(buffer_->bytes) : 0; }
  size_t size() const { return size_; }
  std::string_view text() const { return {data(), size_}; }
  // Room for `bytes` in all; what is there stays. Throws ResourceExhaustedError.
  void reserve(size_t bytes);
  // Pre: size <= capacity().
  void resize(size_t size) { size_ = size; }
  // Appends; the room doubles as needed.
  void append(std::string_view bytes);
  // Returns the memory.
  void reset();

 private:
  BufferRef buffer_;
  size_t size_ = 0;
};

}  // namespace penstock::data
