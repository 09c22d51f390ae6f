// The smallest user of an installed penstock: includes the umbrella header and links the library.
#include <penstock/penstock.h>
#include <penstock/version.h>

#include <cstdio>

int main() {
  std::printf("built with penstock %s\n", PENSTOCK_VERSION);
  return 0;
}
