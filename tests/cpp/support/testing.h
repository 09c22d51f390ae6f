// What many tests need: errors by class and text, scopes that restore global state.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <penstock/base/error.h>
#include <penstock/memory/memory.h>

namespace penstock::testing_support {

// The text of the E that `body` throws; a failure of the test when it throws none.
template <typename E>
std::string error_text(const std::function<void()>& body) {
  try {
    body();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another error was thrown: " << error.what();
    return {};
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

// EXPECT_ERROR(InvalidArgumentError, "rank 3", reshape(…))
#define EXPECT_ERROR(Class, text, statement)                 \
  EXPECT_PRED2(                                              \
      [](const std::string& what, const std::string& part) { \
        return what.find(part) != std::string::npos;         \
      },                                                     \
      ::penstock::testing_support::error_text<Class>([&] { static_cast<void>(statement); }), text)

// Limits the bytes in use to the current ones plus `more`.
class BudgetScope {
 public:
  explicit BudgetScope(int64_t more) : before_(memory::budget()) {
    memory::set_budget(memory::info().current + more);
  }
  ~BudgetScope() { memory::set_budget(before_); }
  BudgetScope(const BudgetScope&) = delete;
  BudgetScope& operator=(const BudgetScope&) = delete;

 private:
  int64_t before_;
};

class FaultScope {
 public:
  explicit FaultScope(const memory::Faults& faults) { memory::inject(faults); }
  ~FaultScope() { memory::end_injection(); }
  FaultScope(const FaultScope&) = delete;
  FaultScope& operator=(const FaultScope&) = delete;
};

// Runs body(i) on `count` threads at once.
inline void on_threads(int count, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace penstock::testing_support
