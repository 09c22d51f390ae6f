// Daemon threads at interpreter shutdown. A thread that requests the GIL while Python finalizes is
// terminated on the spot (before 3.14): pthread_exit unwinds its stack. Our frames cannot be
// unwound: their destructors would touch Python objects without the GIL, and noexcept functions
// would abort the process. So the first of our frames that the unwinder reaches blocks the thread,
// as newer Pythons do, and the process exits under it.
//
// Every C++ function of this module is unwound by the personality routine, which the linker
// replaces with ours (--wrap, in python/CMakeLists.txt). The thread holds neither the GIL nor any
// of our locks: it was in Python's code, or about to return to it.
#include <unistd.h>
#include <unwind.h>

#include <cstdint>

extern "C" {

_Unwind_Reason_Code __real___gxx_personality_v0(int version, _Unwind_Action actions,
                                                uint64_t exception_class,
                                                _Unwind_Exception* exception,
                                                _Unwind_Context* context);

_Unwind_Reason_Code __wrap___gxx_personality_v0(int version, _Unwind_Action actions,
                                                uint64_t exception_class,
                                                _Unwind_Exception* exception,
                                                _Unwind_Context* context) {
  if ((actions & _UA_FORCE_UNWIND) != 0) {
    for (;;) pause();
  }
  return __real___gxx_personality_v0(version, actions, exception_class, exception, context);
}
}
