// Tests of stages with threads: parallel calls, errors, dropping, cancelling, memory, fork.
#include "data/pipelines.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include <penstock/base/threads.h>
#include <penstock/exec/variable.h>

namespace penstock::data {
namespace {

using std::chrono::milliseconds;

Dataset numbers(int64_t stop) { return Dataset::range(stop); }
// Takes its time, and then the number times 2.
ElementFunction slow(const Dataset& source, milliseconds time = milliseconds(1)) {
  return of_first(source, [&](const Tensor& x) {
    return hosted(x, [time](int64_t value) {
      std::this_thread::sleep_for(time);
      return value * 2;
    });
  });
}
std::string doubled(int64_t stop) {
  std::string all;
  for (int64_t i = 0; i < stop; ++i) {
    if (i > 0) all += ' ';
    all += cat(2 * i);
  }
  return all;
}
int64_t dataset_bytes() { return ledger::tag_counters(0, Tag::kDataset).current; }

int64_t num_threads_of_process() {
  int64_t count = 0;
  if (FILE* const file = std::fopen("/proc/self/status", "r")) {
    char line[256];
    while (std::fgets(line, sizeof(line), file) != nullptr)
      if (std::sscanf(line, "Threads: %ld", &count) == 1) break;
    std::fclose(file);
  }
  return count;
}

TEST(DataThreads, ParallelMapCallsAtTheSameTimeInOrder) {
  std::atomic<int> running{0}, most{0};
  const Dataset source = numbers(40);
  const Dataset mapped =
      source.map(of_first(source,
                          [&](const Tensor& x) {
                            return hosted(x, [&](int64_t value) {
                              const int now = ++running;
                              for (int before = most;
                                   before < now && !most.compare_exchange_weak(before, now);) {
                              }
                              std::this_thread::sleep_for(milliseconds(1 + value % 3));
                              --running;
                              return value * 2;
                            });
                          }),
                 4);
  EXPECT_EQ(all_of(mapped), doubled(40));
  EXPECT_GT(most, 1);
  EXPECT_LE(most, 4);
}

TEST(DataThreads, ParallelMapOutOfOrderGivesAll) {
  const Dataset source = numbers(30);
  const Dataset mapped = Dataset::make("ParallelMap", {.inputs = {source},
                                                       .operands = {Tensor(int64_t{3})},
                                                       .functions = {slow(source)},
                                                       .settings = {{"deterministic", 0}}});
  Iterator iterator(mapped);
  std::vector<int64_t> found;
  for (const std::string& text : all_of(iterator)) found.push_back(std::stoll(text));
  std::sort(found.begin(), found.end());
  ASSERT_EQ(found.size(), 30u);
  for (int64_t i = 0; i < 30; ++i) EXPECT_EQ(found[static_cast<size_t>(i)], 2 * i);
}

TEST(DataThreads, CheapCallsStayOnTheUsersThread) {
  const Dataset source = numbers(5000);
  const auto twice = of_first(source, [](const Tensor& x) { return x * Tensor(int64_t{2}); });
  const std::string expected = all_of(source.map(twice), 5000);
  EXPECT_EQ(all_of(source.map(twice, 4), 5000), expected);
  EXPECT_EQ(all_of(source.map(twice, kAutotune), 5000), expected);
  Iterator iterator(source.map(twice, kAutotune));
  const int64_t before = num_threads_of_process();
  all_of(iterator, 100);
  EXPECT_EQ(num_threads_of_process(), before);
}

TEST(DataThreads, AutotunedSlowCallsGetThreads) {
  set_num_threads(2);
  const Dataset source = numbers(30);
  EXPECT_EQ(all_of(source.map(slow(source), kAutotune)), doubled(30));
  check_positions(numbers(8).map(slow(numbers(8)), kAutotune));
}

// The speed changes: from the user's thread to threads and back.
TEST(DataThreads, ChangesOfSpeedKeepTheOrder) {
  const Dataset source = numbers(600);
  const auto changing = of_first(source, [](const Tensor& x) {
    return hosted(x, [](int64_t value) {
      if (value / 100 % 2 == 1) std::this_thread::sleep_for(std::chrono::microseconds(200));
      return value * 2;
    });
  });
  EXPECT_EQ(all_of(source.map(changing, 3)), doubled(600));
  EXPECT_EQ(all_of(source.map(changing, kAutotune)), doubled(600));
  EXPECT_EQ(all_of(source.map(changing).prefetch(3)), doubled(600));
}

TEST(DataThreads, AssignmentsHappenInOrder) {
  Variable log(Tensor(int64_t{0}));
  const Dataset source = numbers(9);
  const auto appended = of_first(source, [&](const Tensor& x) {
    log.assign(log.value() * Tensor(int64_t{10}) + x);
    return log.value();
  });
  all_of(source.map(appended, 4));
  EXPECT_EQ(log.value().item<int64_t>(), 12345678);
}

TEST(DataThreads, ErrorsInThreads) {
  const Dataset source = numbers(12);
  const auto odd_fails = of_first(source, [](const Tensor& x) {
    return hosted(x, [](int64_t value) {
      std::this_thread::sleep_for(milliseconds(1));
      if (value % 2 == 1) throw InvalidArgumentError("odd");
      return value * 2;
    });
  });
  const std::string expected = "0 !odd 4 !odd 8 !odd 12 !odd 16 !odd 20 !odd";
  EXPECT_EQ(all_of(source.map(odd_fails, 3)), expected);
  EXPECT_EQ(all_of(source.map(odd_fails).prefetch(2)), expected);
  check_positions(source.map(odd_fails, 3));
  check_positions(source.map(odd_fails).prefetch(2));
}

std::vector<Dataset> threaded() {
  const Dataset endless = numbers(1000).repeat();
  const auto inner = to_dataset(endless, [](const Tensor& x) {
    const Dataset range = Dataset::range(5);
    return range.map(of_first(range, [&](const Tensor& y) {
      return hosted(x + y, [](int64_t value) {
        std::this_thread::sleep_for(milliseconds(1));
        return value;
      });
    }));
  });
  return {endless.map(slow(endless), 4), endless.map(slow(endless)).prefetch(3),
          endless.map(slow(endless), 3).batch(2).prefetch(2), endless.interleave(inner, 4, 2, 3),
          endless.interleave(inner, 3, 1, 2).map(slow(endless), 2).prefetch(1)};
}

TEST(DataThreads, DroppingReturnsMemoryAndThreads) {
  const int64_t bytes = dataset_bytes(), all_bytes = memory::info().current;
  const int64_t threads = num_threads_of_process();
  {
    const std::vector<Dataset> datasets = threaded();
    const int64_t before = memory::info().current;
    for (const Dataset& dataset : datasets) {
      for (const size_t count : {0, 1, 7}) {
        Iterator iterator(dataset);
        EXPECT_EQ(all_of(iterator, count).size(), count);
      }
      EXPECT_EQ(dataset_bytes(), bytes);
    }
    // Programs that were compiled in the meantime may stay with their functions.
    EXPECT_GE(memory::info().current, before);
  }
  EXPECT_EQ(memory::info().current, all_bytes);
  // One that was joined may still be leaving.
  for (int i = 0; i < 500 && num_threads_of_process() != threads; ++i)
    std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(num_threads_of_process(), threads);
}

TEST(DataThreads, PositionsOfRunningThreads) {
  for (const Dataset& dataset : threaded()) check_positions(dataset, 7);
}

TEST(DataThreads, CloseEndsAnIteratorThatIsStuck) {
  const Dataset endless = numbers(10).repeat();
  const auto never = of_first(endless, [](const Tensor& x) { return less(x, Tensor(int64_t{0})); });
  const Dataset stuck = endless.filter(never);
  for (const Dataset& dataset :
       {stuck, stuck.prefetch(1), stuck.map(slow(endless), 2), stuck.take_while(never).batch(3)}) {
    Iterator iterator(dataset);
    std::atomic<bool> has_ended{false};
    std::thread user([&] {
      Element element;
      try {
        iterator.next(element);
      } catch (const CancelledError&) {
      }
      has_ended = true;
    });
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_FALSE(has_ended);
    iterator.close();
    user.join();
    EXPECT_TRUE(has_ended);
  }
}

TEST(DataThreads, SeveralUsersShareTheElements) {
  const Dataset source = numbers(200);
  Iterator iterator(source.map(slow(source, milliseconds(0)), 3).prefetch(2));
  std::atomic<int64_t> sum{0}, count{0};
  std::vector<std::thread> users;
  for (int i = 0; i < 3; ++i)
    users.emplace_back([&] {
      Element element;
      while (iterator.next(element)) {
        sum += element[0].tensor.item<int64_t>();
        ++count;
      }
    });
  for (std::thread& user : users) user.join();
  EXPECT_EQ(count, 200);
  EXPECT_EQ(sum, 200 * 199);
}

#if !defined(__SANITIZE_THREAD__)  // it does not follow forks of processes with threads
TEST(DataThreads, AForkedChildIsToldAndEnds) {
  for (const Dataset& dataset : threaded()) {
    auto iterator = std::make_unique<Iterator>(dataset);
    all_of(*iterator, 4);
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      int status = 1;
      try {
        Element element;
        iterator->next(element);
      } catch (const FailedPreconditionError&) {
        status = 0;
      } catch (...) {
        status = 2;
      }
      iterator.reset();
      Iterator fresh(numbers(3).map(of_first(numbers(3), [](const Tensor& x) { return x; })));
      if (all_of(fresh).size() != 3) status = 3;
      _exit(status);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_EQ(all_of(*iterator, 2).size(), 2u);
  }
}
#endif

}  // namespace
}  // namespace penstock::data
