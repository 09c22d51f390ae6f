#include "graph/passes/known_ops.h"

#include <penstock/base/check.h>
#include <penstock/ops/registry.h>

namespace penstock {
namespace {

const OpDef* known(std::string_view name) {
  const OpDef* op = find_op(name);
  PEN_CHECK(op != nullptr);
  return op;
}

}  // namespace

const KnownOps& known_ops() {
  static const KnownOps ops{
      .add = known("AddV2"),
      .bias_add = known("BiasAdd"),
      .broadcast_to = known("BroadcastTo"),
      .cast = known("Cast"),
      .fill = known("Fill"),
      .matmul = known("MatMul"),
      .mul = known("Mul"),
      .ones_like = known("OnesLike"),
      .reshape = known("Reshape"),
      .transpose = known("Transpose"),
      .zeros_like = known("ZerosLike"),
  };
  return ops;
}

}  // namespace penstock
