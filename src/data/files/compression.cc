#include "data/files/compression.h"

#include <algorithm>
#include <climits>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#ifdef PENSTOCK_HAS_ZLIB
#include <zlib.h>
#endif

namespace penstock::data {

std::optional<Compression> compression_named(std::string_view name) {
  if (name.empty()) return Compression::kNone;
  if (name == "ZLIB") return Compression::kZlib;
  if (name == "GZIP") return Compression::kGzip;
  return std::nullopt;
}

std::string_view name_of(Compression compression) {
  switch (compression) {
    case Compression::kZlib:
      return "ZLIB";
    case Compression::kGzip:
      return "GZIP";
    default:
      return "";
  }
}

#ifdef PENSTOCK_HAS_ZLIB

namespace {

// zlib's own memory is booked too. It takes a null pointer for "no memory".
void* take(void*, unsigned items, unsigned size) {
  try {
    return allocate_buffer({.bytes = static_cast<int64_t>(items) * static_cast<int64_t>(size),
                            .device = {},
                            .tag = Tag::kDataset})
        ->data;
  } catch (const Error&) {
    return nullptr;
  }
}

// The Buffer of a block lies before its data.
void give_back(void*, void* data) { BufferRef(static_cast<Buffer*>(data) - 1); }

// zlib's number for a format: 15 bits of window, plus 16 for gzip.
int window_bits(Compression compression) { return compression == Compression::kGzip ? 31 : 15; }

unsigned clipped(size_t bytes) { return static_cast<unsigned>(std::min<size_t>(bytes, INT_MAX)); }

z_stream new_stream() {
  z_stream stream{};
  stream.zalloc = take;
  stream.zfree = give_back;
  return stream;
}

void check_started(int code) {
  if (code == Z_MEM_ERROR) throw ResourceExhaustedError("[zlib] there is no memory for a stream");
  if (code != Z_OK) throw InternalError(cat("[zlib] cannot start: code ", code));
}

}  // namespace

struct Inflater::State {
  z_stream stream = new_stream();
  bool is_gzip = false;
  bool is_at_end = true;  // before the first byte
};

Inflater::Inflater(Compression compression) : state_(std::make_unique<State>()) {
  state_->is_gzip = compression == Compression::kGzip;
  check_started(inflateInit2(&state_->stream, window_bits(compression)));
}

Inflater::~Inflater() { inflateEnd(&state_->stream); }

bool Inflater::is_at_end() const { return state_->is_at_end; }

size_t Inflater::inflate(std::string_view* input, char* to, size_t room) {
  z_stream& stream = state_->stream;
  size_t written = 0;
  bool may_have_more = true;  // zlib may hold output although all input is used
  while (written < room && (!input->empty() || may_have_more)) {
    if (state_->is_at_end) {
      if (input->empty()) break;
      // What follows a zlib stream is not part of it; another gzip stream is.
      if (stream.total_in > 0) {
        if (!state_->is_gzip || (*input)[0] != '\x1f') {
          *input = {};
          break;
        }
        inflateReset(&stream);
      }
      state_->is_at_end = false;
    }
    const unsigned given = clipped(input->size()), asked = clipped(room - written);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input->data()));
    stream.avail_in = given;
    stream.next_out = reinterpret_cast<Bytef*>(to + written);
    stream.avail_out = asked;
    const int code = ::inflate(&stream, Z_NO_FLUSH);
    input->remove_prefix(given - stream.avail_in);
    written += asked - stream.avail_out;
    may_have_more = stream.avail_out == 0;
    if (code == Z_STREAM_END) {
      state_->is_at_end = true;
    } else if (code == Z_BUF_ERROR) {
      break;  // needs more input
    } else if (code == Z_MEM_ERROR) {
      throw ResourceExhaustedError("[zlib] there is no memory for a stream");
    } else if (code != Z_OK) {
      throw DataLossError(cat("inflate() failed with error ", code, ": ",
                              stream.msg == nullptr ? "damaged data" : stream.msg));
    }
  }
  return written;
}

struct Deflater::State {
  z_stream stream = new_stream();
};

Deflater::Deflater(Compression compression) : state_(std::make_unique<State>()) {
  check_started(deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                             window_bits(compression), 8, Z_DEFAULT_STRATEGY));
}

Deflater::~Deflater() { deflateEnd(&state_->stream); }

void Deflater::deflate(std::string_view bytes, bool is_last, ByteBuffer* out) {
  constexpr size_t kPiece = 64 << 10;
  z_stream& stream = state_->stream;
  for (;;) {
    const unsigned given = clipped(bytes.size());
    const bool is_end = is_last && given == bytes.size();
    if (out->capacity() - out->size() < kPiece)
      out->reserve(std::max(out->size() + kPiece, 2 * out->capacity()));
    const size_t room = out->capacity() - out->size();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = given;
    stream.next_out = reinterpret_cast<Bytef*>(out->data() + out->size());
    stream.avail_out = clipped(room);
    const unsigned asked = stream.avail_out;
    const int code = ::deflate(&stream, is_end ? Z_FINISH : Z_NO_FLUSH);
    if (code == Z_STREAM_ERROR) throw InternalError("[zlib] cannot compress");
    bytes.remove_prefix(given - stream.avail_in);
    out->resize(out->size() + (asked - stream.avail_out));
    const bool is_done = is_end ? code == Z_STREAM_END : bytes.empty() && stream.avail_out > 0;
    if (is_done) return;
  }
}

#else

struct Inflater::State {};
struct Deflater::State {};

namespace {
[[noreturn]] void fail() {
  throw UnimplementedError("this build of penstock has no zlib: it cannot use compressed files");
}
}  // namespace

Inflater::Inflater(Compression) { fail(); }
Inflater::~Inflater() = default;
bool Inflater::is_at_end() const { return true; }
size_t Inflater::inflate(std::string_view*, char*, size_t) { fail(); }
Deflater::Deflater(Compression) { fail(); }
Deflater::~Deflater() = default;
void Deflater::deflate(std::string_view, bool, ByteBuffer*) { fail(); }

#endif

}  // namespace penstock::data
