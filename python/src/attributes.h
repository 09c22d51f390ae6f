// Python values as attributes of ops.
#pragma once

#include <Python.h>

#include <penstock/ops/op_def.h>

namespace penstock::python {

// The attributes of one call, with the lists they refer to.
class CallAttrs {
 public:
  // Starts from `defaults`, one per attribute of the op.
  CallAttrs(const OpDef& op, Attrs defaults) : op_(op), attrs_(defaults) {}

  // Throws Python's TypeError if the value does not fit. None means the default.
  void set(size_t i, PyObject* value);
  const Attr& value(size_t i) const { return attrs_[i]; }
  // Throws TypeError for a missing attribute without a default.
  Attrs finish();

 private:
  struct List {
    size_t attr, begin, count;
  };
  void set_ints(size_t i, PyObject* value);

  const OpDef& op_;
  SmallVector<Attr, 8> attrs_;
  SmallVector<int64_t, 16> ints_;
  SmallVector<List, 4> lists_;
};

// An attribute's default as a Python object; null (and no error) if there is none.
PyObject* default_object(const AttrDef& attr);

}  // namespace penstock::python
