// Crops boxes out of images and resizes them, with gradients for the images and the boxes.
#pragma once

#include <cstdint>

#include <penstock/core/view.h>

namespace penstock::kernels {

struct Crop {
  int64_t batch, height, width, channels;  // of the images
  int64_t boxes, crop_height, crop_width;
  bool nearest;
  float extrapolation_value = 0;
};

// `boxes` are rows of y1, x1, y2, x2 as fractions of the image; `box_ind` has the image of each.
// Pre: those are in range.
void crop_and_resize(const Crop& c, const View& image, const float* boxes, const int32_t* box_ind,
                     float* crops);
// `out` (float32 or float64) has the images' shape.
void crop_grad_image(const Crop& c, const float* grads, const float* boxes, const int32_t* box_ind,
                     const View& out);
void crop_grad_boxes(const Crop& c, const float* grads, const View& image, const float* boxes,
                     const int32_t* box_ind, float* out);

}  // namespace penstock::kernels
