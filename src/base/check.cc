#include <penstock/base/check.h>

#include <cstdio>
#include <cstdlib>

namespace penstock {

void check_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "penstock: internal check failed: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace penstock
