// The text form of a graph, exact: what to_text prints, parse_text reads back.
//
//   %0 = input 0 : float32[2,3]
//   %1 = constant [1, 0.1, nan(7fc00001)] : float32[3]
//   %2 = constant #8c7f0aac97c4aa2f : float32[64,64]
//   %3 = read 0 : float32[3]
//   %4 = AddV2(%1, %3) : float32[3]  # model.py:12
//   %5, %6 = Split(%0) {axis=1, num=2} : float32[2,1], float32[2,2]
//   write 0 = %4
//   return %5, %6
//
// The regions of a control node follow it, further to the right, each under its name:
//
//   %4 = branch(%3, %0) {regions=2} : float32[2,3]
//     case 0:
//       %0 = input 0 : float32[2,3]
//       return %0
//     case 1:
//       …
//
// Elements are in row-major order: floats with as many digits as needed, NaNs with their bits,
// complex numbers as (1,2), strings and names quoted. A constant of more than kMostPrinted elements
// is printed as a hash of its content: the reader must supply the tensor.
#pragma once

#include <cstdint>
#include <string>

#include "graph/graph.h"

namespace penstock {

inline constexpr int64_t kMostPrinted = 64;

// One line per node, then writes and outputs.
std::string to_text(const Graph& graph);

// Parses and verifies a graph. `constants` are the tensors whose hashes the text contains. Throws
// InvalidArgumentError, with the line, for invalid text or a missing constant.
Graph parse_text(std::string_view text, std::span<const Tensor> constants = {});

// The hash of dtype, shape and all elements; the same on every machine.
uint64_t content_hash(const Tensor& tensor);

}  // namespace penstock
