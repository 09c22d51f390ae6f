#include "kernels/volume_patches.h"

#include <algorithm>
#include <cstring>

#include <penstock/base/threads.h>

#include "kernels/accumulators.h"

namespace penstock::kernels {
namespace {

// The input position that element `i` of the window at `o` reads; -1 outside.
int64_t position(const WindowAxis& axis, int64_t o, int64_t i) {
  const int64_t at = o * axis.stride - axis.pad + i * axis.dilation;
  return at >= 0 && at < axis.in ? at : -1;
}

// body(place in the patches, place in the volume or -1) for the elements of the window at out
// position (batch, o[0], o[1], o[2]), in units of `channels` elements.
template <typename Body>
void for_window(const VolumePatches& s, int64_t batch, const int64_t* o, int64_t to, Body body) {
  const auto& [d, h, w] = s.axes;
  for (int64_t i = 0; i < d.size; ++i) {
    const int64_t z = position(d, o[0], i);
    for (int64_t j = 0; j < h.size; ++j) {
      const int64_t y = position(h, o[1], j);
      for (int64_t k = 0; k < w.size; ++k) {
        const int64_t x = position(w, o[2], k);
        const bool is_inside = z >= 0 && y >= 0 && x >= 0;
        body(to++, is_inside ? ((batch * d.in + z) * h.in + y) * w.in + x : -1);
      }
    }
  }
}

// The batch and the position of window `i` among all of them.
int64_t locate(const VolumePatches& s, int64_t i, int64_t* o) {
  for (int a = 2; a >= 0; --a) {
    o[a] = i % s.axes[a].out;
    i /= s.axes[a].out;
  }
  return i;
}
int64_t windows_of_one(const VolumePatches& s) {
  return s.axes[0].out * s.axes[1].out * s.axes[2].out;
}
int64_t window_size(const VolumePatches& s) {
  return s.axes[0].size * s.axes[1].size * s.axes[2].size;
}

template <typename T>
void add(const T* from, T* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    to[i] = narrow<T>(static_cast<Plain<T>>(to[i]) + static_cast<Plain<T>>(from[i]));
  }
}

// Volume by volume: the windows of one overlap.
template <typename T>
void add_all(const VolumePatches& s, const T* patches, T* volumes) {
  const int64_t size = window_size(s), windows = windows_of_one(s);
  parallel_for(s.batch, 1, [&](int64_t batch, int64_t last) {
    for (int64_t i = batch * windows; i < last * windows; ++i) {
      int64_t o[3];
      const int64_t b = locate(s, i, o);
      for_window(s, b, o, i * size, [&](int64_t from, int64_t to) {
        if (to >= 0) add(patches + from * s.channels, volumes + to * s.channels, s.channels);
      });
    }
  });
}

}  // namespace

void extract_patches(const VolumePatches& s, const void* volumes, size_t element_size,
                     void* patches) {
  const size_t bytes = static_cast<size_t>(s.channels) * element_size;
  const int64_t size = window_size(s);
  const char* from = static_cast<const char*>(volumes);
  char* to = static_cast<char*>(patches);
  const int64_t grain = std::max<int64_t>(1, (1 << 14) / (size * s.channels));
  parallel_for(s.batch * windows_of_one(s), grain, [&](int64_t i, int64_t last) {
    for (; i < last; ++i) {
      int64_t o[3];
      const int64_t batch = locate(s, i, o);
      for_window(s, batch, o, i * size, [&](int64_t patch, int64_t at) {
        char* target = to + static_cast<size_t>(patch) * bytes;
        if (at < 0) {
          std::memset(target, 0, bytes);
        } else {
          std::memcpy(target, from + static_cast<size_t>(at) * bytes, bytes);
        }
      });
    }
  });
}

void add_patches(const VolumePatches& s, DType dtype, const void* patches, void* volumes) {
  const auto run = [&]<typename T>(T*) {
    const int64_t count = s.batch * s.axes[0].in * s.axes[1].in * s.axes[2].in * s.channels;
    std::memset(volumes, 0, static_cast<size_t>(count) * sizeof(T));
    add_all(s, static_cast<const T*>(patches), static_cast<T*>(volumes));
  };
  switch (dtype) {
    case DType::kFloat16:
      return run(static_cast<float16*>(nullptr));
    case DType::kBFloat16:
      return run(static_cast<bfloat16*>(nullptr));
    case DType::kFloat32:
      return run(static_cast<float*>(nullptr));
    default:
      return run(static_cast<double*>(nullptr));
  }
}

}  // namespace penstock::kernels
