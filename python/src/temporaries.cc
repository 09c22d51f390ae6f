#include "temporaries.h"

#include <unwind.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "errors.h"
#include "tensor_object.h"

#if PY_VERSION_HEX < 0x030B0000
#include <frameobject.h>
#endif

namespace penstock::python {

namespace {

// Whether the only reference may belong to the evaluation stack.
bool is_on_stack([[maybe_unused]] PyObject* object) {
#if PY_VERSION_HEX >= 0x030E0000
  return PyUnstable_Object_IsUniqueReferencedTemporary(object) != 0;
#else
  return true;
#endif
}

}  // namespace

bool may_be_temporary(PyObject* object) {
  // A weak reference would expose it to other threads while the op runs.
  if (!has_tensor(object) || !is_seen_once(object)) return false;
  const Tensor& tensor = description_of(object);
  return tensor.has_data() && tensor.num_bytes() >= kBytesWorthReusing && is_on_stack(object);
}

bool may_be_put_off(std::span<const Tensor* const> inputs) {
  for (const Tensor* input : inputs) {
    if (input->has_data() && input->num_bytes() >= kBytesWorthPuttingOff) return true;
  }
  return false;
}

namespace {

// The opcodes of operators in this version of Python.
struct Opcodes {
  bool is_unary[256] = {};
  bool is_binary[256] = {};
  int subscript = -1;  // the argument of a binary operator that is a[b], from 3.14 on

  Opcodes() {
    const Ref module(PyImport_ImportModule("opcode"));
    read_codes(module);
    read_arguments(module);
    PyErr_Clear();
  }

  bool is_binary_at(const unsigned char* instruction) const {
    return is_binary[instruction[0]] && instruction[1] != subscript;
  }

 private:
  void read_codes(const Ref& module) {
    const Ref map(module ? PyObject_GetAttrString(module.get(), "opmap") : nullptr);
    PyObject *name, *code;
    for (Py_ssize_t at = 0; map && PyDict_Next(map.get(), &at, &name, &code) != 0;) {
      const char* text = PyUnicode_AsUTF8(name);
      const std::string_view known = text != nullptr ? text : "";
      const long number = PyLong_AsLong(code);
      if (number < 0 || number >= 256) continue;
      is_unary[number] = known == "UNARY_NEGATIVE";
      is_binary[number] =
          known.starts_with("BINARY_") && known != "BINARY_SUBSCR" && known != "BINARY_SLICE";
    }
  }

  void read_arguments(const Ref& module) {
    const Ref operators(module ? PyObject_GetAttrString(module.get(), "_nb_ops") : nullptr);
    if (!operators || !PyList_Check(operators.get())) return;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(operators.get()); ++i) {
      const Ref name(PySequence_GetItem(PyList_GET_ITEM(operators.get(), i), 0));
      if (name && PyUnicode_Check(name.get()) &&
          PyUnicode_CompareWithASCIIString(name.get(), "NB_SUBSCR") == 0)
        subscript = static_cast<int>(i);
    }
  }
};

const Opcodes& known_opcodes() {
  static const Opcodes opcodes;
  return opcodes;
}

int last_instruction(PyFrameObject* frame) {
#if PY_VERSION_HEX >= 0x030B0000
  return PyFrame_GetLasti(frame);
#else
  return frame->f_lasti * static_cast<int>(sizeof(_Py_CODEUNIT));
#endif
}

// The position of the running Python function. At an operator, none of its own calls is in progress
// that could have led here.
struct Position {
  bool is_at_operator = false;
  bool is_before_binary = false;
};

Position position() {
  const Opcodes& opcodes = known_opcodes();
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  if (frame == nullptr) return {};
  const Ref code(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  const int at = last_instruction(frame);
  Py_DECREF(frame);
#if PY_VERSION_HEX >= 0x030B0000
  const Ref bytes(PyCode_GetCode(reinterpret_cast<PyCodeObject*>(code.get())));
#else
  const Ref bytes(Py_NewRef(reinterpret_cast<PyCodeObject*>(code.get())->co_code));
#endif
  if (!bytes) PyErr_Clear();
  if (!bytes || at < 0 || at >= PyBytes_GET_SIZE(bytes.get())) return {};
  const auto* all = reinterpret_cast<const unsigned char*>(PyBytes_AS_STRING(bytes.get()));
  Py_ssize_t next = at + 2;
  // An instruction's inline caches follow it as instructions of code 0.
  while (next < PyBytes_GET_SIZE(bytes.get()) && all[next] == 0) next += 2;
  const bool has_next = next < PyBytes_GET_SIZE(bytes.get());
  return {opcodes.is_unary[all[at]] || opcodes.is_binary_at(all + at),
          has_next && opcodes.is_binary_at(all + next)};
}

// The functions on the C stack above `caller`, nearest first.
struct Callers {
  static constexpr int kMost = 4;
  const void* caller;
  int count = -1;  // -1: not there yet
  uintptr_t functions[kMost] = {};
};

_Unwind_Reason_Code note(_Unwind_Context* context, void* data) {
  auto* callers = static_cast<Callers*>(data);
  if (reinterpret_cast<const void*>(_Unwind_GetIP(context)) == callers->caller) callers->count = 0;
  if (callers->count < 0) return _URC_NO_REASON;
  callers->functions[callers->count++] = _Unwind_GetRegionStart(context);
  return callers->count < Callers::kMost ? _URC_NO_REASON : _URC_END_OF_STACK;
}

// The operators of this type only note their callers.
Callers g_noted;
[[gnu::noinline]] PyObject* noted(const void* caller) {
  g_noted = Callers{caller};
  _Unwind_Backtrace(note, &g_noted);
  return Py_NewRef(Py_None);
}
PyObject* noting_add(PyObject*, PyObject*) { return noted(__builtin_return_address(0)); }
PyObject* noting_negative(PyObject*) { return noted(__builtin_return_address(0)); }
PyType_Slot noting_slots[] = {{Py_nb_add, reinterpret_cast<void*>(noting_add)},
                              {Py_nb_negative, reinterpret_cast<void*>(noting_negative)},
                              {0, nullptr}};
PyType_Spec noting_spec = {"penstock._core._Noting", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                           noting_slots};

// The noted callers of an operator called from here. Because work remains after the call, this
// function is among them.
Callers from_here(PyObject* object, bool is_binary) {
  const Ref result(is_binary ? PyNumber_Add(object, object) : PyNumber_Negative(object));
  Callers found = g_noted;
  if (!result) found.count = 0;
  return found;
}
// Called through this pointer, it is neither inlined nor cloned.
Callers (*volatile g_from_here)(PyObject*, bool) = from_here;

Callers from_interpreter(PyObject* object, bool is_binary) {
  const Ref names(PyDict_New());
  if (!names || PyDict_SetItemString(names.get(), "x", object) != 0) return {};
  const Ref result(
      PyRun_String(is_binary ? "x + x" : "-x", Py_eval_input, names.get(), names.get()));
  Callers found = g_noted;
  if (!result) found.count = 0;
  return found;
}

// Locates the code of the interpreter's loop. A compiler may move instructions that it considers
// rare, such as operators, to a separate part without a symbol. So we probe: the function above
// PyNumber_Add while `x + x` is evaluated, compared with a direct call of ours, is the loop.
class Interpreter {
 public:
  Interpreter() {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    const Ref noting(PyType_FromSpec(&noting_spec));
    const Ref object(noting ? PyObject_CallNoArgs(noting.get()) : nullptr);
    for (size_t i = 0; object && i < 2; ++i) places_[1 + i] = above_operator(object.get(), i == 0);
    PyErr_Restore(type, value, traceback);
  }
  bool has(uintptr_t function) const {
    return function != 0 && std::ranges::find(places_, function) != std::end(places_);
  }

 private:
  static uintptr_t above_operator(PyObject* object, bool is_binary) {
    const Callers here = g_from_here(object, is_binary), loop = from_interpreter(object, is_binary);
    for (int i = 0; i < std::min(here.count, loop.count); ++i) {
      if (here.functions[i] == reinterpret_cast<uintptr_t>(&from_here)) return loop.functions[i];
      if (here.functions[i] != loop.functions[i]) break;
    }
    return 0;
  }

  uintptr_t places_[3] = {reinterpret_cast<uintptr_t>(&_PyEval_EvalFrameDefault)};
};

// The C stack above one of our functions: it must be the interpreter's loop, with only Python's own
// functions for operators or calls in between.
struct Unwound {
  const Interpreter& interpreter;
  const void* caller;
  std::span<const void* const> between;  // none: any, those behind PyNumber_Add and the like
  int frames = 0;
  int num_between = -1;  // frames since our function; -1: not there yet
  bool is_direct = false;
};
constexpr int kMaxFrames = 10;
constexpr int kMaxBetween = 2;

_Unwind_Reason_Code look(_Unwind_Context* context, void* data) {
  auto* unwound = static_cast<Unwound*>(data);
  if (reinterpret_cast<const void*>(_Unwind_GetIP(context)) == unwound->caller)
    unwound->num_between = 0;
  if (unwound->num_between < 0)
    return ++unwound->frames > kMaxFrames ? _URC_END_OF_STACK : _URC_NO_REASON;
  const uintptr_t function = _Unwind_GetRegionStart(context);
  unwound->is_direct = unwound->interpreter.has(function);
  const bool is_allowed =
      unwound->between.empty() || std::ranges::any_of(unwound->between, [&](const void* allowed) {
        return function == reinterpret_cast<uintptr_t>(allowed);
      });
  const bool goes_on = !unwound->is_direct && is_allowed && ++unwound->num_between <= kMaxBetween;
  return goes_on ? _URC_NO_REASON : _URC_END_OF_STACK;
}

const Interpreter& known_interpreter() {
  static const Interpreter interpreter;
  return interpreter;
}

bool was_called_by_interpreter(const void* caller, std::span<const void* const> between = {}) {
  Unwound unwound{known_interpreter(), caller, between};
  _Unwind_Backtrace(look, &unwound);
  return unwound.is_direct;
}

const void* vectorcall() { return reinterpret_cast<const void*>(&PyObject_Vectorcall); }

}  // namespace

void look_at_interpreter() {
  known_opcodes();
  known_interpreter();
}

uint64_t temporary_operands(PyObject* a, PyObject* b, const void* caller) {
  const uint64_t bits =
      uint64_t{may_be_temporary(a)} | uint64_t{b != nullptr && may_be_temporary(b)} << 1;
  if (bits == 0 || a == b) return 0;
  return position().is_at_operator && was_called_by_interpreter(caller) ? bits : 0;
}

bool is_next_operand(const void* caller) {
  const Position here = position();
  return here.is_at_operator && here.is_before_binary && was_called_by_interpreter(caller);
}

namespace {

#if PY_VERSION_HEX >= 0x030E0000
// The interpreter passes a copy of its stack, and was asked about each entry.
bool are_interpreters(PyObject*, PyObject* const*) { return true; }
#else

#if PY_VERSION_HEX >= 0x030B0000
bool is_stack_address(PyObject* const* args) {
  const PyThreadState* state = PyThreadState_Get();
  const auto* chunk = reinterpret_cast<const char*>(state->datastack_chunk);
  const auto* at = reinterpret_cast<const char*>(args);
  // Two slots below the arguments are examined too.
  return chunk != nullptr && at > chunk + 2 * sizeof(PyObject*) &&
         at < reinterpret_cast<char*>(state->datastack_top);
}
#else
bool is_stack_address(PyObject* const* args) {
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  if (frame == nullptr) return false;
  const bool inside =
      args > frame->f_valuestack && args < frame->f_valuestack + frame->f_code->co_stacksize;
  Py_DECREF(frame);
  return inside;
}
#endif

// Whether the arguments are on the evaluation stack, above the callable. A partial or bound method
// replaces the callable's slot with its own argument, which it keeps: so the callable must still be
// there, right below (in 3.13 with an empty slot in between).
bool are_interpreters(PyObject* callable, PyObject* const* args) {
  return is_stack_address(args) &&
         (args[-1] == callable || (args[-1] == nullptr && args[-2] == callable));
}
#endif

}  // namespace

bool are_on_stack(PyObject* function, PyObject* const* args, const void* caller) {
  const void* const between[] = {vectorcall()};
  return are_interpreters(function, args) && was_called_by_interpreter(caller, between);
}

bool is_next_operand(PyObject* function, PyObject* const* args, const void* caller) {
  return position().is_before_binary && are_on_stack(function, args, caller);
}

// The method's arguments follow the object. In a bound method, which keeps the object, they follow
// the method instead.
bool is_temporary_receiver(PyObject* self, PyObject* method, PyObject* const* args,
                           const void* caller) {
  if (!may_be_temporary(self) || Py_TYPE(method) != &PyMethodDescr_Type) return false;
#if PY_VERSION_HEX < 0x030E0000
  if (!is_stack_address(args - 1) || args[-1] != self) return false;
#endif
  const auto* descriptor = reinterpret_cast<const PyMethodDescrObject*>(method);
  const void* const between[] = {vectorcall(),
                                 reinterpret_cast<const void*>(descriptor->vectorcall)};
  return are_interpreters(method, args - 1) && was_called_by_interpreter(caller, between);
}

}  // namespace penstock::python
