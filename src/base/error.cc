#include <penstock/base/error.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace penstock {

struct Error::Text {
  std::atomic<int> references{1};
  char chars[1];  // zero-terminated, as long as the allocation says
};

Error::Error(ErrorCode code, std::string_view text) noexcept : code_(code), text_(nullptr) {
  void* memory = std::malloc(sizeof(Text) + text.size());
  if (memory == nullptr) return;
  text_ = new (memory) Text;
  std::memcpy(text_->chars, text.data(), text.size());
  text_->chars[text.size()] = '\0';
}

Error::Error(const Error& other) noexcept
    : std::exception(other), code_(other.code_), text_(other.text_) {
  if (text_ != nullptr) text_->references.fetch_add(1, std::memory_order_relaxed);
}

Error& Error::operator=(const Error& other) noexcept {
  Error copy(other);
  std::swap(code_, copy.code_);
  std::swap(text_, copy.text_);
  return *this;
}

Error::~Error() {
  if (text_ != nullptr && text_->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    std::free(text_);
}

const char* Error::what() const noexcept {
  if (text_ != nullptr) return text_->chars;
  return code_ == ErrorCode::kResourceExhausted
             ? "out of memory (and no memory was left for a longer message)"
             : "error (no memory was left for its message)";
}

void throw_exhausted(std::string_view who) {
  char text[128];
  std::snprintf(text, sizeof text, "[%.*s] the system has no memory left",
                static_cast<int>(who.size()), who.data());
  throw ResourceExhaustedError(text);
}

void throw_error(ErrorCode code, std::string_view text) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      throw InvalidArgumentError(text);
    case ErrorCode::kNotFound:
      throw NotFoundError(text);
    case ErrorCode::kAlreadyExists:
      throw AlreadyExistsError(text);
    case ErrorCode::kResourceExhausted:
      throw ResourceExhaustedError(text);
    case ErrorCode::kFailedPrecondition:
      throw FailedPreconditionError(text);
    case ErrorCode::kOutOfRange:
      throw OutOfRangeError(text);
    case ErrorCode::kUnimplemented:
      throw UnimplementedError(text);
    case ErrorCode::kCancelled:
      throw CancelledError(text);
    case ErrorCode::kUnknown:
      throw UnknownError(text);
    case ErrorCode::kDataLoss:
      throw DataLossError(text);
    case ErrorCode::kInternal:
      break;
  }
  throw InternalError(text);
}

}  // namespace penstock
