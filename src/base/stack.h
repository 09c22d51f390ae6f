// The remaining stack of this thread, for recursion as deep as a program nests.
#pragma once

#include <cstddef>

namespace penstock {

// In bytes; practically infinite if the system does not say.
size_t stack_left();

}  // namespace penstock
