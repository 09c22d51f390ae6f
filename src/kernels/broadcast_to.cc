#include "kernels/broadcast_to.h"

#include <algorithm>

#include <penstock/base/threads.h>

namespace penstock::kernels {
namespace {

constexpr int64_t kGrain = 1 << 16;  // elements a thread should have at least

// The output's axes from the innermost one on; neighbours that repeat alike are one.
struct Walk {
  int64_t size[kMaxRank];
  int64_t stride[kMaxRank];  // in the input; 0 where it is repeated
  int rank = 0;

  Walk(const Shape& from, const Shape& to) {
    int64_t input_stride = 1;
    for (int i = to.rank() - 1, k = from.rank() - 1; i >= 0; --i, --k) {
      const int64_t dim = k >= 0 ? from[k] : 1;
      if (to[i] != 1) add(to[i], dim == 1 ? 0 : input_stride);
      input_stride *= dim;
    }
    if (rank == 0) add(1, 1);
  }
  void add(int64_t dim, int64_t input_stride) {
    const bool joins = rank > 0 && (stride[rank - 1] == 0) == (input_stride == 0);
    if (joins) {
      size[rank - 1] *= dim;
    } else {
      size[rank] = dim;
      stride[rank++] = input_stride;
    }
  }
};

// The input's place for one run of the innermost axis after the other.
class Cursor {
 public:
  Cursor(const Walk& walk, int64_t run) : walk_(walk) {
    for (int i = 1; i < walk.rank; ++i) {
      index_[i] = run % walk.size[i];
      run /= walk.size[i];
      offset_ += index_[i] * walk.stride[i];
    }
  }
  int64_t offset() const { return offset_; }
  void next() {
    for (int i = 1; i < walk_.rank; ++i) {
      offset_ += walk_.stride[i];
      if (++index_[i] < walk_.size[i]) return;
      offset_ -= walk_.size[i] * walk_.stride[i];
      index_[i] = 0;
    }
  }

 private:
  const Walk& walk_;
  int64_t index_[kMaxRank] = {};
  int64_t offset_ = 0;
};

template <typename Word>
void copy_runs(const Walk& walk, const void* x_data, void* out_data, int64_t count) {
  const Word* x = static_cast<const Word*>(x_data);
  Word* out = static_cast<Word*>(out_data);
  const int64_t n = walk.size[0];
  const int64_t step = walk.stride[0];
  // Runs are cut where there are few, so that all threads have some.
  parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    Cursor cursor(walk, begin / n);
    for (int64_t in_run = begin % n; begin < end; in_run = 0, cursor.next()) {
      const int64_t length = std::min(end - begin, n - in_run);
      const Word* from = x + cursor.offset() + in_run * step;
      if (step == 0) {
        std::fill_n(out + begin, length, *from);
      } else {
        std::copy_n(from, length, out + begin);
      }
      begin += length;
    }
  });
}

struct Word16 {
  uint64_t low, high;
};

}  // namespace

void broadcast_to(const View& x, const View& out) {
  const int64_t count = out.size();
  if (count == 0) return;
  const Walk walk(x.shape, out.shape);
  switch (dtype_size(x.dtype)) {
    case 1:
      return copy_runs<uint8_t>(walk, x.data, out.data, count);
    case 2:
      return copy_runs<uint16_t>(walk, x.data, out.data, count);
    case 4:
      return copy_runs<uint32_t>(walk, x.data, out.data, count);
    case 8:
      return copy_runs<uint64_t>(walk, x.data, out.data, count);
    default:
      return copy_runs<Word16>(walk, x.data, out.data, count);
  }
}

}  // namespace penstock::kernels
