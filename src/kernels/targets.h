// The instruction sets that SIMD kernels are compiled for: AVX-512, AVX2 and the baseline (SSE2 on
// x86-64, as 128-bit vectors that the compiler lowers). The steps between cost compile time and
// gain little. A kernel file begins with
//
//   #define HWY_TARGET_INCLUDE "kernels/<this file>.cc"
//   #include "kernels/targets.h"
//
//   #include <hwy/highway.h>
//
// and ends with HWY_EXPORT inside #if HWY_ONCE. Functions inside HWY_NAMESPACE are compiled once
// per target; plain loops there are vectorised by the compiler, once told that their steps do not
// depend on each other (PEN_INDEPENDENT). Lambdas need HWY_ATTR.
#pragma once

#include "kernels/independent.h"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#include <hwy/foreach_target.h>
