#include "kernels/batch_norm.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <penstock/base/threads.h>

#include "kernels/channel_loops.h"
#include "kernels/widen.h"

namespace penstock::kernels {
namespace {

constexpr int64_t kLanes = 64;    // columns a row has at least: channels are repeated up to it
constexpr int64_t kBlock = 4096;  // elements that stay in the cache while they are read twice
constexpr int64_t kMinRows = 8;   // of a block, however wide
constexpr int64_t kPartSize = 1 << 15;
constexpr int64_t kMaxParts = 16;

// Elements as rows that are wide enough for vectors, if channels are contiguous: a row holds every
// channel `repeat` times, and column j belongs to channel j % channels.
struct Grid {
  int64_t channels, repeat, width, rows, tail;  // tail: elements after the last whole row
  int64_t block_rows, parts;

  explicit Grid(const Channels& s)
      : channels(s.channels),
        repeat(s.channels >= kLanes || s.channels == 0 ? 1 : (kLanes - 1) / s.channels + 1),
        width(channels * repeat),
        rows(s.outer / repeat),
        tail(s.outer % repeat * channels),
        block_rows(width == 0 ? 0 : std::max(kMinRows, kBlock / width)),
        parts(rows == 0
                  ? 0
                  : std::clamp<int64_t>(rows * width / kPartSize, 1, std::min(kMaxParts, rows))) {}
  int64_t block_elements() const { return block_rows * width; }
};

bool is_grid(const Channels& s) { return s.inner == 1; }

// A part's scratch: sums in double, two rows of the element type, and for half types two blocks.
template <typename T>
struct Part {
  using S = Plain<T>;
  double* sums;  // two for each column
  S* rows[2];
  S* blocks[2];

  static int64_t bytes(const Grid& grid) {
    const int64_t blocks = kIsHalf<T> ? 2 * grid.block_elements() : 0;
    return (16 * grid.width + (2 * grid.width + blocks) * static_cast<int64_t>(sizeof(S)) + 7) / 8 *
           8;
  }
  Part(const Grid& grid, void* scratch, int64_t p)
      : sums(reinterpret_cast<double*>(static_cast<char*>(scratch) + p * bytes(grid))) {
    rows[0] = reinterpret_cast<S*>(sums + 2 * grid.width);
    rows[1] = rows[0] + grid.width;
    blocks[0] = rows[1] + grid.width;
    blocks[1] = blocks[0] + (kIsHalf<T> ? grid.block_elements() : 0);
  }
};

// Numbers of the columns (mean, factor, …) lie behind the parts.
constexpr int kColumnArrays = 4;
template <typename T>
Plain<T>* column_array(const Grid& grid, void* scratch, int i) {
  char* after = static_cast<char*>(scratch) + grid.parts * Part<T>::bytes(grid);
  return reinterpret_cast<Plain<T>*>(after) + i * grid.width;
}

// body(part, begin, end): rows of the grid, in parallel.
template <typename T, typename Body>
void for_parts(const Grid& grid, void* scratch, Body body) {
  parallel_for(grid.parts, 1, [&](int64_t p, int64_t last) {
    for (; p < last; ++p) {
      body(Part<T>(grid, scratch, p), grid.rows * p / grid.parts, grid.rows * (p + 1) / grid.parts);
    }
  });
}
// body(first element, rows): the blocks of rows [begin, end).
template <typename Body>
void for_blocks(const Grid& grid, int64_t begin, int64_t end, Body body) {
  for (int64_t r = begin; r < end; r += grid.block_rows) {
    body(r * grid.width, std::min(grid.block_rows, end - r));
  }
}

// Moments of some numbers, and their combination with others. Chan, Golub and LeVeque, 1979.
struct Moments {
  double count = 0, mean = 0, squares = 0;
  void add(double n, double other_mean, double other_squares) {
    if (n == 0) return;
    const double delta = other_mean - mean;
    count += n;
    mean += delta * n / count;
    squares += other_squares + delta * delta * (count - n) * n / count;
  }
};

template <typename T>
void grid_moments(const Channels& s, const T* x, Plain<T>* mean, Plain<T>* variance,
                  void* scratch) {
  using S = Plain<T>;
  const Grid grid(s);
  const auto loops = channel_loops<S>();
  for_parts<T>(grid, scratch, [&](Part<T> part, int64_t begin, int64_t end) {
    std::fill_n(part.sums, 2 * grid.width, 0.0);
    for_blocks(grid, begin, end, [&](int64_t at, int64_t rows) {
      const S* block = load(x + at, rows * grid.width, part.blocks[0]);
      loops.add_moments(block, rows, grid.width, at / grid.width - begin, part.rows[0],
                        part.rows[1], {part.sums, part.sums + grid.width});
    });
  });
  const T* tail = x + grid.rows * grid.width;
  for (int64_t c = 0; c < s.channels; ++c) {
    Moments all;
    for (int64_t p = 0; p < grid.parts; ++p) {
      const Part<T> part(grid, scratch, p);
      const int64_t rows = grid.rows * (p + 1) / grid.parts - grid.rows * p / grid.parts;
      for (int64_t j = c; j < grid.width; j += s.channels) {
        all.add(static_cast<double>(rows), part.sums[j], part.sums[grid.width + j]);
      }
    }
    for (int64_t i = c; i < grid.tail; i += s.channels) {
      all.add(1, static_cast<double>(static_cast<S>(tail[i])), 0);
    }
    mean[c] = static_cast<S>(all.mean);
    variance[c] = static_cast<S>(all.squares / all.count);
  }
}

// Runs of one channel's elements, if the channels come first: `width` is then kLanes, and all
// columns belong to the same channel.
template <typename T>
struct Run {
  using S = Plain<T>;
  static constexpr int64_t kBlockRows = kBlock / kLanes;
  S blocks[2][kIsHalf<T> ? kBlock : 1];
  S rows[4][kLanes];
  double sums[2 * kLanes];
};

// Calls body(first element, rows, width) for whole blocks and for the remainder.
template <typename Body>
void for_run(int64_t n, Body body) {
  int64_t at = 0;
  for (; n - at >= kLanes;) {
    const int64_t rows = std::min((n - at) / kLanes, kBlock / kLanes);
    body(at, rows, kLanes);
    at += rows * kLanes;
  }
  if (at < n) body(at, int64_t{1}, n - at);
}

// body(run, number): for every run of `inner` elements, in parallel.
template <typename T, typename Body>
void for_runs(const Channels& s, Body body) {
  const int64_t grain = std::max<int64_t>(1, kPartSize / std::max<int64_t>(1, s.inner));
  parallel_for(s.outer * s.channels, grain, [&](int64_t i, int64_t last) {
    Run<T> run;
    for (; i < last; ++i) body(run, i);
  });
}

template <typename T>
void run_moments(const Channels& s, const T* x, Plain<T>* mean, Plain<T>* variance, void* scratch) {
  using S = Plain<T>;
  const auto loops = channel_loops<S>();
  Moments* found = static_cast<Moments*>(scratch);
  for_runs<T>(s, [&](Run<T>& run, int64_t i) {
    Moments all;
    for_run(s.inner, [&](int64_t at, int64_t rows, int64_t width) {
      std::fill_n(run.sums, 2 * kLanes, 0.0);
      const S* block = load(x + i * s.inner + at, rows * width, run.blocks[0]);
      loops.add_moments(block, rows, width, 0, run.rows[0], run.rows[1],
                        {run.sums, run.sums + kLanes});
      for (int64_t j = 0; j < width; ++j) {
        all.add(static_cast<double>(rows), run.sums[j], run.sums[kLanes + j]);
      }
    });
    found[i] = all;
  });
  for (int64_t c = 0; c < s.channels; ++c) {
    Moments all;
    for (int64_t i = c; i < s.outer * s.channels; i += s.channels) {
      all.add(found[i].count, found[i].mean, found[i].squares);
    }
    mean[c] = static_cast<S>(all.mean);
    variance[c] = static_cast<S>(all.squares / all.count);
  }
}

// The factors for the elements of a channel.
template <typename S>
S factor_of(const void* scale, const void* variance, double epsilon, int64_t c) {
  const double spread = static_cast<double>(static_cast<const S*>(variance)[c]) + epsilon;
  return static_cast<S>(static_cast<double>(static_cast<const S*>(scale)[c]) / std::sqrt(spread));
}

// Calls body(part or run, its place, elements) with columns[k] set to value(k, channel).
template <typename T, int kColumns, typename Value, typename Body>
void for_all_blocks(const Channels& s, void* scratch, Value value, Body body) {
  using S = Plain<T>;
  if (!is_grid(s)) {
    return for_runs<T>(s, [&](Run<T>& run, int64_t i) {
      const S* columns[kColumns];
      for (int k = 0; k < kColumns; ++k) {
        columns[k] = run.rows[k];
        std::fill_n(run.rows[k], std::min(kLanes, s.inner), value(k, i % s.channels));
      }
      for_run(s.inner, [&](int64_t at, int64_t rows, int64_t width) {
        body(i * s.inner + at, rows, width, columns, run.blocks[0], run.blocks[1]);
      });
    });
  }
  const Grid grid(s);
  const S* columns[kColumns];
  for (int k = 0; k < kColumns; ++k) {
    S* column = column_array<T>(grid, scratch, k);
    for (int64_t j = 0; j < grid.width; ++j) column[j] = value(k, j % s.channels);
    columns[k] = column;
  }
  for_parts<T>(grid, scratch, [&](Part<T> part, int64_t begin, int64_t end) {
    for_blocks(grid, begin, end, [&](int64_t at, int64_t rows) {
      body(at, rows, grid.width, columns, part.blocks[0], part.blocks[1]);
    });
  });
  if (grid.tail == 0) return;
  S few[2][kIsHalf<T> ? 2 * kLanes : 1];
  body(grid.rows * grid.width, int64_t{1}, grid.tail, columns, few[0], few[1]);
}

template <typename T>
void normalise(const Channels& s, const View& x, const void* scale, const void* offset,
               const void* mean, const void* variance, double epsilon, const View& y,
               void* scratch) {
  using S = Plain<T>;
  const auto loops = channel_loops<S>();
  const auto value = [&](int k, int64_t c) {
    if (k == 1) return factor_of<S>(scale, variance, epsilon, c);
    return static_cast<const S*>(k == 0 ? mean : offset)[c];
  };
  for_all_blocks<T, 3>(
      s, scratch, value,
      [&](int64_t at, int64_t rows, int64_t width, const S* const* columns, S* buffer, S*) {
        const S* block = load(x.as<T>() + at, rows * width, buffer);
        loops.normalise(block, rows, width, columns[0], columns[1], columns[2],
                        target(y.as<T>() + at, buffer));
        store(buffer, y.as<T>() + at, rows * width);
      });
}

// The sums over each channel of dy and of dy * (x - mean), into doffset and dscale.
template <typename T>
void grid_products(const Channels& s, const BatchNormGrad& g, void* scratch) {
  using S = Plain<T>;
  const Grid grid(s);
  const auto loops = channel_loops<S>();
  const S* mean = static_cast<const S*>(g.mean);
  S* means = column_array<T>(grid, scratch, 0);
  for (int64_t j = 0; j < grid.width; ++j) means[j] = mean[j % s.channels];
  for_parts<T>(grid, scratch, [&](Part<T> part, int64_t begin, int64_t end) {
    std::fill_n(part.sums, 2 * grid.width, 0.0);
    for_blocks(grid, begin, end, [&](int64_t at, int64_t rows) {
      const S* dy = load(g.dy.as<T>() + at, rows * grid.width, part.blocks[0]);
      const S* x = load(g.x.as<T>() + at, rows * grid.width, part.blocks[1]);
      loops.add_products(dy, x, means, rows, grid.width, part.rows[0], part.rows[1], part.sums,
                         part.sums + grid.width);
    });
  });
  const int64_t tail = grid.rows * grid.width;
  for (int64_t c = 0; c < s.channels; ++c) {
    double sums[2] = {0, 0};
    for (int64_t p = 0; p < grid.parts; ++p) {
      const Part<T> part(grid, scratch, p);
      for (int64_t j = c; j < grid.width; j += s.channels) {
        sums[0] += part.sums[j];
        sums[1] += part.sums[grid.width + j];
      }
    }
    for (int64_t i = tail + c; i < tail + grid.tail; i += s.channels) {
      const double dy = static_cast<double>(static_cast<S>(g.dy.as<T>()[i]));
      sums[0] += dy;
      sums[1] += dy * static_cast<double>(static_cast<S>(g.x.as<T>()[i]) - mean[c]);
    }
    static_cast<S*>(g.doffset)[c] = static_cast<S>(sums[0]);
    static_cast<S*>(g.dscale)[c] = static_cast<S>(sums[1]);
  }
}

template <typename T>
void run_products(const Channels& s, const BatchNormGrad& g, void* scratch) {
  using S = Plain<T>;
  const auto loops = channel_loops<S>();
  double* found = static_cast<double*>(scratch);
  for_runs<T>(s, [&](Run<T>& run, int64_t i) {
    std::fill_n(run.rows[2], kLanes, static_cast<const S*>(g.mean)[i % s.channels]);
    std::fill_n(run.sums, 2 * kLanes, 0.0);
    for_run(s.inner, [&](int64_t at, int64_t rows, int64_t width) {
      const S* dy = load(g.dy.as<T>() + i * s.inner + at, rows * width, run.blocks[0]);
      const S* x = load(g.x.as<T>() + i * s.inner + at, rows * width, run.blocks[1]);
      loops.add_products(dy, x, run.rows[2], rows, width, run.rows[0], run.rows[1], run.sums,
                         run.sums + kLanes);
    });
    found[2 * i] = found[2 * i + 1] = 0;
    for (int64_t j = 0; j < kLanes; ++j) {
      found[2 * i] += run.sums[j];
      found[2 * i + 1] += run.sums[kLanes + j];
    }
  });
  for (int64_t c = 0; c < s.channels; ++c) {
    double sums[2] = {0, 0};
    for (int64_t i = c; i < s.outer * s.channels; i += s.channels) {
      sums[0] += found[2 * i];
      sums[1] += found[2 * i + 1];
    }
    static_cast<S*>(g.doffset)[c] = static_cast<S>(sums[0]);
    static_cast<S*>(g.dscale)[c] = static_cast<S>(sums[1]);
  }
}

// dx = factor * (dy - mean(dy) - (x - mean) / (variance + epsilon) * mean(dy * (x - mean))); where
// the statistics are given numbers the means fall away.
template <typename T>
void grad(const Channels& s, const BatchNormGrad& g, void* scratch) {
  using S = Plain<T>;
  if (is_grid(s)) {
    grid_products<T>(s, g, scratch);
  } else {
    run_products<T>(s, g, scratch);
  }
  const auto loops = channel_loops<S>();
  const double share = g.through_statistics ? 1 / static_cast<double>(s.count()) : 0;
  const auto value = [&](int k, int64_t c) {
    if (k == 0) return static_cast<const S*>(g.mean)[c];
    const S factor = factor_of<S>(g.scale, g.variance, g.epsilon, c);
    if (k == 1) return factor;
    const double sum = static_cast<double>(static_cast<const S*>(k == 2 ? g.dscale : g.doffset)[c]);
    const double spread = static_cast<double>(static_cast<const S*>(g.variance)[c]) + g.epsilon;
    const double scale = -static_cast<double>(factor) * share * sum;
    return static_cast<S>(k == 2 ? scale / spread : scale);
  };
  for_all_blocks<T, kColumnArrays>(s, scratch, value,
                                   [&](int64_t at, int64_t rows, int64_t width,
                                       const S* const* columns, S* dy_buffer, S* x_buffer) {
                                     const S* dy = load(g.dy.as<T>() + at, rows * width, dy_buffer);
                                     const S* x = load(g.x.as<T>() + at, rows * width, x_buffer);
                                     loops.input_grad(dy, x, rows, width, columns[0], columns[1],
                                                      columns[2], columns[3],
                                                      target(g.dx.as<T>() + at, dy_buffer));
                                     store(dy_buffer, g.dx.as<T>() + at, rows * width);
                                   });
  for (int64_t c = 0; c < s.channels; ++c) {
    const double spread = static_cast<double>(static_cast<const S*>(g.variance)[c]) + g.epsilon;
    S& dscale = static_cast<S*>(g.dscale)[c];
    dscale = static_cast<S>(static_cast<double>(dscale) / std::sqrt(spread));
  }
}

}  // namespace

int64_t batch_norm_scratch(DType dtype, const Channels& s) {
  if (!is_grid(s)) return s.outer * s.channels * static_cast<int64_t>(sizeof(Moments));
  const Grid grid(s);
  int64_t bytes = 0;
  with_float_type(dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    bytes = grid.parts * Part<T>::bytes(grid) +
            kColumnArrays * grid.width * static_cast<int64_t>(sizeof(Plain<T>));
  });
  return bytes;
}

void channel_moments(const Channels& s, const View& x, void* mean, void* variance, void* scratch) {
  with_float_type(x.dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    using S = Plain<T>;
    const auto find = is_grid(s) ? grid_moments<T> : run_moments<T>;
    find(s, x.as<T>(), static_cast<S*>(mean), static_cast<S*>(variance), scratch);
  });
}

void batch_norm(const Channels& s, const View& x, const void* scale, const void* offset,
                const void* mean, const void* variance, double epsilon, const View& y,
                void* scratch) {
  with_float_type(x.dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    normalise<T>(s, x, scale, offset, mean, variance, epsilon, y, scratch);
  });
}

void batch_norm_grad(const Channels& s, const BatchNormGrad& g, void* scratch) {
  with_float_type(g.x.dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    grad<T>(s, g, scratch);
  });
}

}  // namespace penstock::kernels
