// Daemon threads at the interpreter's end. A thread that asks for the GIL while Python finalizes is
// ended where it stands (before 3.14): pthread_exit unwinds its stack. Our frames on it cannot be
// unwound: their destructors would touch Python's objects without the GIL, and functions that must
// not throw would abort the process. So the first of them that the unwinding comes to keeps the
// thread where it is, as newer Pythons do themselves, and the process ends under it.
//
// Every C++ function of this module is unwound by the personality routine, for which the linker
// puts ours (--wrap, in python/CMakeLists.txt). The thread holds no GIL, and none of our locks: it
// was in Python's code, or about to return to it.
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
