// Extracts patches of volumes [batch, depth, height, width, channels], and the reverse, which sums
// them. Images are volumes of depth 1.
#pragma once

#include <cstddef>
#include <cstdint>

#include <penstock/core/dtype.h>

#include "kernels/window.h"

namespace penstock::kernels {

struct VolumePatches {
  int64_t batch, channels;
  WindowAxis axes[3];  // depth, height, width
};

// `patches` is [batch, out depth, out height, out width, a patch]; outside of the volume it is 0.
void extract_patches(const VolumePatches& shape, const void* volumes, size_t element_size,
                     void* patches);
// Every element of `volumes` becomes the sum of its copies. float16, bfloat16, float32 and float64.
void add_patches(const VolumePatches& shape, DType dtype, const void* patches, void* volumes);

}  // namespace penstock::kernels
