// Compiles a kernel file once for each target of target_list.h. A kernel file begins with
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
#include "kernels/target_list.h"

#include <hwy/foreach_target.h>
