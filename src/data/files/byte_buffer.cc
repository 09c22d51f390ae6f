#include "data/files/byte_buffer.h"

#include <algorithm>
#include <cstring>

namespace penstock::data {

void ByteBuffer::reserve(size_t bytes) {
  if (bytes <= capacity()) return;
  BufferRef larger(
      allocate_buffer({.bytes = static_cast<int64_t>(bytes), .device = {}, .tag = Tag::kDataset}));
  if (size_ > 0) std::memcpy(larger->data, data(), size_);
  buffer_ = std::move(larger);
}

void ByteBuffer::append(std::string_view bytes) {
  if (bytes.empty()) return;
  if (bytes.size() > capacity() - size_) reserve(std::max(size_ + bytes.size(), 2 * capacity()));
  std::memcpy(data() + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
}

void ByteBuffer::reset() {
  buffer_ = {};
  size_ = 0;
}

}  // namespace penstock::data
