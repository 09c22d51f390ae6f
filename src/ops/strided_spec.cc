#include "ops/strided_spec.h"

#include <algorithm>

#include <penstock/base/strings.h>

#include "kernels/indices.h"

namespace penstock {
namespace {

constexpr int kMaxItems = 31;  // items of an index: a bit of the masks each

struct Item {
  int64_t begin = 0, end = 0, stride = 1;
  bool from_start = true, to_end = true;
  bool shrinks = false;
};

// The masks, and what they say about item `i`.
struct Masks {
  uint64_t begin, end, ellipsis, new_axis, shrink;

  explicit Masks(Attrs masks)
      : begin(bits(masks[0])),
        end(bits(masks[1])),
        ellipsis(bits(masks[2])),
        new_axis(bits(masks[3])),
        shrink(bits(masks[4])) {}
  static uint64_t bits(const Attr& attr) { return static_cast<uint64_t>(attr.as_int()); }
  static bool has(uint64_t mask, int i) { return ((mask >> i) & 1) != 0; }
};

class Builder {
 public:
  Builder(const Shape& whole, const View* bounds, Attrs masks)
      : whole_(whole), bounds_(bounds), masks_(masks) {}

  StridedSpec build() {
    if (!check_counts()) return std::move(spec_);
    find_ellipsis();
    for (int i = 0; i < count_ && ok(); ++i) add_item(i);
    if (!Masks::has(masks_.ellipsis, count_) || !ok()) return std::move(spec_);
    take_whole(whole_.rank());
    return std::move(spec_);
  }

 private:
  bool ok() const { return spec_.problem.empty(); }
  template <typename... Parts>
  bool fail(const Parts&... parts) {
    spec_.problem = cat(parts...);
    return false;
  }

  bool check_counts() {
    for (int i = 0; i < 3; ++i) {
      const Shape& shape = bounds_[i].shape;
      if (shape.rank() == 1 && shape[0] == bounds_[0].shape[0] && shape[0] <= kMaxItems) continue;
      return fail("Expected begin, end, and strides to be 1D equal size tensors, but got shapes ",
                  bounds_[0].shape, ", ", bounds_[1].shape, ", and ", bounds_[2].shape,
                  " instead.");
    }
    count_ = static_cast<int>(bounds_[0].shape[0]);
    return true;
  }

  // The ellipsis stands for all axes without an item; without one it comes at the end.
  void find_ellipsis() {
    bool seen = false;
    for (int i = 0; i < count_; ++i) {
      if (Masks::has(masks_.ellipsis, i)) {
        if (seen) {
          fail("Multiple ellipses in slice spec not allowed");
          return;
        }
        seen = true;
      } else if (!Masks::has(masks_.new_axis, i) && seen) {
        ++taken_after_;
      }
    }
    masks_.ellipsis &= (uint64_t{1} << count_) - 1;
    if (!seen) masks_.ellipsis = uint64_t{1} << count_;
  }

  void add_item(int i) {
    if (Masks::has(masks_.ellipsis, i)) return take_whole(whole_.rank() - taken_after_);
    if (Masks::has(masks_.new_axis, i)) return spec_.output.append(1);
    if (axis_ >= whole_.rank()) {
      fail("Index out of range using input dim ", axis_, "; input has only ", whole_.rank(),
           " dims");
      return;
    }
    take({kernels::index_at(bounds_[0], i), kernels::index_at(bounds_[1], i),
          kernels::index_at(bounds_[2], i), Masks::has(masks_.begin, i), Masks::has(masks_.end, i),
          Masks::has(masks_.shrink, i)});
  }

  // All of the axes up to `end`.
  void take_whole(int end) {
    while (axis_ < end) take(Item());
  }

  void take(const Item& item) {
    const int64_t dim = whole_[axis_];
    StridedSpec::Axis& axis = spec_.axes[axis_];
    if (item.stride == 0) {
      fail("strides[", axis_, "] must be non-zero");
      return;
    }
    if (dim == kUnknownDim) {
      axis.size = kUnknownDim;
      if (!item.shrinks) spec_.output.append(kUnknownDim);
    } else if (item.shrinks) {
      if (!pick_one(item, dim, axis)) return;
    } else {
      pick_range(item, dim, axis);
      spec_.output.append(axis.size);
    }
    spec_.picked.append(axis.size);
    ++axis_;
  }

  bool pick_one(const Item& item, int64_t dim, StridedSpec::Axis& axis) {
    if (item.stride < 0) return fail("only stride 1 allowed on non-range indexing.");
    const int64_t at = item.begin < 0 ? item.begin + dim : item.begin;
    if (at < 0 || at >= dim) {
      return fail("slice index ", item.begin, " of dimension ", axis_, " out of bounds.");
    }
    axis = {at, 1, 1};
    return true;
  }

  static void pick_range(const Item& item, int64_t dim, StridedSpec::Axis& axis) {
    const bool forward = item.stride > 0;
    const int64_t low = forward ? 0 : -1;
    const int64_t high = forward ? dim : dim - 1;
    const auto bound = [&](int64_t position, bool is_open, int64_t open) {
      if (is_open) return open;
      return std::clamp(position < 0 ? position + dim : position, low, high);
    };
    const int64_t begin = bound(item.begin, item.from_start, forward ? low : high);
    const int64_t end = bound(item.end, item.to_end, forward ? high : low);
    const int64_t length = end - begin;
    const bool is_empty = length == 0 || (length < 0) != (item.stride < 0);
    const int64_t size = is_empty ? 0 : length / item.stride + (length % item.stride != 0 ? 1 : 0);
    axis = {begin, size > 1 ? item.stride : 1, size};  // a stride that is not used may be huge
  }

  const Shape& whole_;
  const View* bounds_;
  Masks masks_;
  int count_ = 0;
  int taken_after_ = 0;  // axes that items after the ellipsis take
  int axis_ = 0;
  StridedSpec spec_;
};

}  // namespace

bool StridedSpec::is_run(const Shape& whole) const {
  int i = 0;
  while (i < whole.rank() && axes[i].size == 1) ++i;
  if (i < whole.rank() && axes[i].stride != 1) return false;
  for (++i; i < whole.rank(); ++i) {
    if (axes[i].size != whole[i] || axes[i].stride != 1) return false;
  }
  return true;
}

int64_t StridedSpec::start(const Shape& whole) const { return box(whole).from_start; }

kernels::Move StridedSpec::box(const Shape& whole) const {
  const auto strides = row_major_strides(whole);
  const auto dense = row_major_strides(picked);
  kernels::Move box;
  for (int i = 0; i < whole.rank(); ++i) {
    const auto k = static_cast<size_t>(i);
    box.add(axes[i].size, strides[k] * axes[i].stride, dense[k]);
    box.from_start += axes[i].begin * strides[k];
  }
  return box;
}

StridedSpec strided_spec(const Shape& whole, const View* bounds, Attrs masks) {
  return Builder(whole, bounds, masks).build();
}

}  // namespace penstock
