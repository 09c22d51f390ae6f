// Compression: TensorFlow's names of it, and zlib behind two classes. Without zlib (see
// cmake/PenstockZlib.cmake) their constructors throw UnimplementedError.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "data/files/byte_buffer.h"

namespace penstock::data {

enum class Compression : uint8_t { kNone, kZlib, kGzip };

// "" is none; nothing for a name that is unknown.
std::optional<Compression> compression_named(std::string_view name);
std::string_view name_of(Compression compression);

// The most that an Inflater or a Deflater holds, beside the buffers of its user.
inline constexpr int64_t kInflaterBytes = 48 << 10;
inline constexpr int64_t kDeflaterBytes = 300 << 10;

// Decompresses a stream. A gzip stream may consist of several, one after the other.
class Inflater {
 public:
  explicit Inflater(Compression compression);
  ~Inflater();
  // Moves bytes from the front of *input into `to`; returns how many were written. Less than
  // `room` only when all input is used, or at the end of the stream. Throws DataLossError.
  size_t inflate(std::string_view* input, char* to, size_t room);
  // Whether the last stream is complete.
  bool is_at_end() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Compresses a stream.
class Deflater {
 public:
  explicit Deflater(Compression compression);
  ~Deflater();
  // Appends to *out what `bytes` become, and with `is_last` the end of the stream.
  void deflate(std::string_view bytes, bool is_last, ByteBuffer* out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace penstock::data
