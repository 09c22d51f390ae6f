// PEN_INDEPENDENT, before a loop: its iterations may run in any order. Without it the compiler
// compares the pointers at run time and takes the slow loop for a kernel that runs in place.
#pragma once

#ifdef __clang__
#define PEN_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
// A permission, not a demand: Clang would report the loops that it cannot vectorize.
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#define PEN_INDEPENDENT _Pragma("GCC ivdep")
#endif
