#include "exec/run/direct_loop.h"

namespace penstock::exec {

using kernels::Formula;

void run_direct_loop(const DirectLoop& loop, char* const* bases) noexcept {
  const auto at = [&](size_t i) { return bases[loop.places[i].storage] + loop.places[i].offset; };
  const int* strides = loop.strides;
  switch (loop.kind) {
    case Formula::Kind::kUnary:
    case Formula::Kind::kCast:
      return loop.loop.unary(at(0), at(3), loop.n);
    case Formula::Kind::kBinary:
      return loop.loop.binary(at(0), at(1), at(3), loop.n, strides[0], strides[1]);
    default:
      return loop.loop.ternary(at(0), at(1), at(2), at(3), loop.n, strides[0], strides[1],
                               strides[2]);
  }
}

}  // namespace penstock::exec
