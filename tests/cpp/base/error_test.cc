// Tests of errors: text, class, copies, behaviour without memory; cat().
#include <penstock/base/error.h>

#include <string>

#include <penstock/base/strings.h>

#include "support/testing.h"

namespace penstock {
namespace {

TEST(Error, KeepsItsTextAndCode) {
  const InvalidArgumentError error("[Softmax] axis 3 is out of range");
  EXPECT_STREQ(error.what(), "[Softmax] axis 3 is out of range");
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
}

TEST(Error, CopiesShareTheText) {
  const ResourceExhaustedError first("none left");
  ResourceExhaustedError second = first;
  EXPECT_EQ(first.what(), second.what());  // the same characters, not equal ones
  const ResourceExhaustedError third("another");
  second = third;
  EXPECT_STREQ(second.what(), "another");
  EXPECT_STREQ(first.what(), "none left");
  const ResourceExhaustedError& alias = second;
  second = alias;
  EXPECT_STREQ(second.what(), "another");
}

TEST(Error, OutlivesItsOriginal) {
  auto* first = new NotFoundError("gone");
  const NotFoundError copy(*first);
  delete first;
  EXPECT_STREQ(copy.what(), "gone");
}

TEST(Error, HasASentenceWhenThereIsNoMemoryForItsText) {
  // A text that no heap can hold stands for a heap that is full.
  const std::string_view endless("", size_t{1} << 62);
  EXPECT_STREQ(ResourceExhaustedError(endless).what(),
               "out of memory (and no memory was left for a longer message)");
  EXPECT_STREQ(InvalidArgumentError(endless).what(), "error (no memory was left for its message)");
}

TEST(Error, ATypeErrorIsAnInvalidArgument) {
  EXPECT_THROW(throw TypeError("x"), InvalidArgumentError);
  EXPECT_THROW(throw TypeError("x"), Error);
  EXPECT_THROW(throw TypeError("x"), std::exception);
}

TEST(Error, ThrowErrorPicksTheClass) {
  EXPECT_THROW(throw_error(ErrorCode::kInvalidArgument, "x"), InvalidArgumentError);
  EXPECT_THROW(throw_error(ErrorCode::kNotFound, "x"), NotFoundError);
  EXPECT_THROW(throw_error(ErrorCode::kAlreadyExists, "x"), AlreadyExistsError);
  EXPECT_THROW(throw_error(ErrorCode::kResourceExhausted, "x"), ResourceExhaustedError);
  EXPECT_THROW(throw_error(ErrorCode::kFailedPrecondition, "x"), FailedPreconditionError);
  EXPECT_THROW(throw_error(ErrorCode::kOutOfRange, "x"), OutOfRangeError);
  EXPECT_THROW(throw_error(ErrorCode::kUnimplemented, "x"), UnimplementedError);
  EXPECT_THROW(throw_error(ErrorCode::kInternal, "x"), InternalError);
}

TEST(Cat, JoinsTextNumbersAndFlags) {
  EXPECT_EQ(cat("a", std::string("b"), 'c', 12, true, -3L), "abc12true-3");
}

}  // namespace
}  // namespace penstock
