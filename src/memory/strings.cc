#include <penstock/memory/strings.h>

#include <atomic>
#include <cstring>
#include <new>

#include <penstock/memory/buffer.h>

namespace penstock {

// A string's block is a Buffer of Tag::kHost whose data are the characters.
struct StringBlock {
  Buffer buffer;
};

StringRef make_string(size_t size, char** text) {
  *text = nullptr;
  if (size == 0) return {};
  Buffer* buffer =
      allocate_buffer({.bytes = static_cast<int64_t>(size), .device = {}, .tag = Tag::kHost});
  *text = static_cast<char*>(buffer->data);
  return {reinterpret_cast<StringBlock*>(buffer)};
}

StringRef make_string(std::string_view text) {
  char* characters = nullptr;
  const StringRef string = make_string(text.size(), &characters);
  if (!text.empty()) std::memcpy(characters, text.data(), text.size());
  return string;
}

std::string_view string_text(StringRef string) noexcept {
  if (string.block == nullptr) return {};
  const Buffer& buffer = string.block->buffer;
  return {static_cast<const char*>(buffer.data), static_cast<size_t>(buffer.bytes)};
}

void retain_strings(std::span<const StringRef> strings) noexcept {
  for (StringRef string : strings) {
    if (string.block != nullptr) {
      string.block->buffer.references.fetch_add(1, std::memory_order_relaxed);
    }
  }
}

void release_strings(std::span<const StringRef> strings) noexcept {
  for (StringRef string : strings) {
    if (string.block != nullptr) BufferRef(&string.block->buffer);
  }
}

}  // namespace penstock
