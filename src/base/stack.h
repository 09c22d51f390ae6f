// What is left of this thread's stack: for what calls itself as deep as a program is nested.
#pragma once

#include <cstddef>

namespace penstock {

// In bytes; as good as endless where the system does not say.
size_t stack_left();

}  // namespace penstock
