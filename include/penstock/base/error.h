// Errors: one exception class per kind, with TensorFlow's names.
//
// The text names the op and the offending shapes: "[Softmax] axis 3 is out of range for shape
// [2,3]". Constructing and copying an error never throws: if there is no memory for the text, the
// error carries a fixed sentence instead. So reporting an exhausted heap cannot itself fail.
#pragma once

#include <exception>
#include <new>
#include <string_view>

#include <penstock/base/export.h>

namespace penstock {

// Throws ResourceExhaustedError: "[who] the system has no memory left".
[[noreturn]] PEN_API void throw_exhausted(std::string_view who);

// The values of the canonical status codes.
enum class ErrorCode : unsigned char {
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kNotFound = 5,
  kAlreadyExists = 6,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kDataLoss = 15,
};

// The base of all exceptions that penstock throws.
class PEN_API Error : public std::exception {
 public:
  Error(ErrorCode code, std::string_view text) noexcept;
  Error(const Error& other) noexcept;
  Error& operator=(const Error& other) noexcept;
  ~Error() override;

  const char* what() const noexcept override;
  ErrorCode code() const noexcept { return code_; }

 private:
  struct Text;  // shared, immutable; null when it could not be allocated
  ErrorCode code_;
  Text* text_;
};

#define PEN_ERROR_CLASS(Class, Base, error_code)                                          \
  class PEN_API Class : public Base {                                                     \
   public:                                                                                \
    explicit Class(std::string_view text) noexcept : Base(ErrorCode::error_code, text) {} \
                                                                                          \
   protected:                                                                             \
    Class(ErrorCode code, std::string_view text) noexcept : Base(code, text) {}           \
  };

PEN_ERROR_CLASS(InvalidArgumentError, Error, kInvalidArgument)      // shapes, axes, values
PEN_ERROR_CLASS(TypeError, InvalidArgumentError, kInvalidArgument)  // dtypes
PEN_ERROR_CLASS(NotFoundError, Error, kNotFound)
PEN_ERROR_CLASS(AlreadyExistsError, Error, kAlreadyExists)
PEN_ERROR_CLASS(ResourceExhaustedError, Error, kResourceExhausted)  // budget, system, size overflow
PEN_ERROR_CLASS(FailedPreconditionError, Error, kFailedPrecondition)
PEN_ERROR_CLASS(OutOfRangeError, Error, kOutOfRange)
PEN_ERROR_CLASS(UnimplementedError, Error, kUnimplemented)
PEN_ERROR_CLASS(MissingGradientError, UnimplementedError, kUnimplemented)
PEN_ERROR_CLASS(InternalError, Error, kInternal)
PEN_ERROR_CLASS(CancelledError, Error, kCancelled)  // a pipeline that is dropped
PEN_ERROR_CLASS(UnknownError, Error, kUnknown)      // a failure of the host
PEN_ERROR_CLASS(DataLossError, Error, kDataLoss)    // a damaged file
#undef PEN_ERROR_CLASS

// Runs `body`; turns a std::bad_alloc of our own containers into a ResourceExhaustedError.
template <typename Body>
decltype(auto) with_memory_errors(std::string_view who, Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    throw_exhausted(who);
  }
}

// Throws the class that belongs to `code`.
[[noreturn]] PEN_API void throw_error(ErrorCode code, std::string_view text);

}  // namespace penstock
