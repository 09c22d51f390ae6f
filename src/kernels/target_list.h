// The instruction sets ("targets") that kernels are compiled for, passed to Highway: AVX-512, AVX2
// and the compiler's baseline. On x86-64 the baseline is SSE2, and where Highway has no such target
// (before 1.0.4) it is 128-bit vectors or scalars in plain C++; on 64-bit ARM it is NEON. The steps
// between cost compile time and gain little. Vectors whose size only the machine knows (SVE) are
// out: kernels keep vectors in arrays.
//
// With the CMake option PENSTOCK_ALL_TARGETS kernels are compiled for SSSE3, SSE4 and Highway's
// fallback too, which tests then run.
#pragma once

// A better target has a lower bit. What is better than HWY_AVX3 or HWY_NEON is a variant of it for
// newer chips, or SVE.
#if defined(__aarch64__)
#define HWY_COMPILE_ONLY_STATIC
#define HWY_DISABLED_TARGETS (HWY_NEON - 1)
#elif defined(PENSTOCK_ALL_TARGETS)
#define HWY_COMPILE_ALL_ATTAINABLE
#define HWY_DISABLED_TARGETS (HWY_AVX3 - 1)
#else
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | (HWY_AVX3 - 1))
#endif
