// Looking up rows of a table, sorting, and selecting the largest numbers.
#include <numeric>

#include "bench.h"

namespace penstock::bench {
namespace {

constexpr int64_t kRows = 1'000'000;
constexpr int64_t kWidth = 16;

// Rows of the table in scattered order: a prime step visits each of them once.
Tensor scattered_rows() {
  std::vector<int32_t> rows(static_cast<size_t>(kRows));
  for (int64_t i = 0; i < kRows; ++i)
    rows[static_cast<size_t>(i)] = static_cast<int32_t>(i * 614'657 % kRows);
  return Tensor::from<int32_t>(rows, {kRows});
}

template <typename Order>
std::vector<float> sorted_values(const Tensor& x, const Order& order) {
  const std::span<const float> all = x.data<float>();
  std::vector<float> sorted(all.begin(), all.end());
  std::sort(sorted.begin(), sorted.end(), order);
  return sorted;
}

}  // namespace

PEN_CASE(gather_1m_rows) {
  const Tensor table = values({kRows, kWidth}, 1);
  const Tensor rows = scattered_rows();
  bench.expect(
      gather(table, rows),
      [&](int64_t i) {
        const auto row = static_cast<int64_t>(rows.number_at(i / kWidth));
        return table.number_at(row * kWidth + i % kWidth);
      },
      0);
  bench.time([&] { return gather(table, rows); });
}

PEN_CASE(sort_1m) {
  const Tensor x = values({1'000'000}, 1);
  const std::vector<float> sorted = sorted_values(x, std::less<>());
  bench.expect(sort(x), [&](int64_t i) { return sorted[static_cast<size_t>(i)]; }, 0);
  bench.time([&] { return sort(x); });
}

PEN_CASE(argsort_1m) {
  const Tensor x = values({1'000'000}, 1);
  const std::span<const float> all = x.data<float>();
  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return all[a] < all[b]; });
  bench.expect(
      argsort(x), [&](int64_t i) { return static_cast<double>(order[static_cast<size_t>(i)]); }, 0);
  bench.time([&] { return argsort(x); });
}

PEN_CASE(top_k_100_of_1m) {
  const Tensor x = values({1'000'000}, 1);
  const std::vector<float> sorted = sorted_values(x, std::greater<>());
  bench.expect(
      top_k(x, Tensor(100))[0], [&](int64_t i) { return sorted[static_cast<size_t>(i)]; }, 0);
  bench.time([&] { return top_k(x, Tensor(100)); });
}

PEN_CASE(top_k_10_of_4096x1000) {
  const Tensor x = values({4096, 1000}, 1);
  bench.expect(
      top_k(x, Tensor(10))[0],
      [&](int64_t i) {
        const std::span<const float> row =
            x.data<float>().subspan(static_cast<size_t>(i / 10 * 1000), 1000);
        std::vector<float> sorted(row.begin(), row.end());
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        return sorted[static_cast<size_t>(i % 10)];
      },
      0);
  bench.time([&] { return top_k(x, Tensor(10)); });
}

}  // namespace penstock::bench
