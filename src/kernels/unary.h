// Functions of one operand: selects the loop for an op and a dtype, compiled for the current CPU.
#pragma once

#include "kernels/broadcast.h"
#include "kernels/scalar_step.h"

namespace penstock::kernels {

// Plain loops, vectorised by the compiler (unary.cc).
#define PEN_SIMPLE_UNARY_OPS(X)                  \
  X(Negative)                                    \
  X(Conj)                                        \
  X(Abs)                                         \
  X(Sign)                                        \
  X(Square)                                      \
  X(Sqrt)                                        \
  X(Rsqrt)                                       \
  X(Reciprocal)                                  \
  X(Relu)                                        \
  X(Relu6)                                       \
  X(Softsign)                                    \
  X(Floor)                                       \
  X(Ceil)                                        \
  X(Round) /* halves go to the even neighbour */ \
  X(Invert)                                      \
  X(PopulationCount) /* gives uint8 */           \
  X(Real)                                        \
  X(Imag)                                        \
  X(ComplexAbs)

// The same, with a bool as the result.
#define PEN_TEST_UNARY_OPS(X) X(IsNan) X(IsInf) X(IsFinite) X(LogicalNot)

// Vectors of polynomials (math.cc).
#define PEN_VECTOR_UNARY_OPS(X) \
  X(Exp)                        \
  X(Expm1)                      \
  X(Log)                        \
  X(Log1p)                      \
  X(Sin)                        \
  X(Cos)                        \
  X(Asin)                       \
  X(Acos)                       \
  X(Atan)                       \
  X(Sinh)                       \
  X(Cosh)                       \
  X(Tanh)                       \
  X(Asinh)                      \
  X(Acosh)                      \
  X(Atanh)                      \
  X(Sigmoid)                    \
  X(Softplus)                   \
  X(Elu)                        \
  X(Erf)                        \
  X(Erfc)

// One number at a time (slow_unary.cc).
#define PEN_SLOW_UNARY_OPS(X) \
  X(Tan)                      \
  X(Angle)                    \
  X(Lgamma)                   \
  X(Digamma)                  \
  X(Erfinv)                   \
  X(Ndtri)                    \
  X(BesselI0)                 \
  X(BesselI0e)                \
  X(BesselI1)                 \
  X(BesselI1e)                \
  X(BesselJ0)                 \
  X(BesselJ1)                 \
  X(BesselK0)                 \
  X(BesselK0e)                \
  X(BesselK1)                 \
  X(BesselK1e)                \
  X(BesselY0)                 \
  X(BesselY1)                 \
  X(Dawsn)                    \
  X(Expint)                   \
  X(FresnelCos)               \
  X(FresnelSin)               \
  X(Spence)

enum class UnaryOp : uint8_t {
#define PEN_ENUMERATOR(Name) k##Name,
  PEN_SIMPLE_UNARY_OPS(PEN_ENUMERATOR) PEN_TEST_UNARY_OPS(PEN_ENUMERATOR)
      PEN_VECTOR_UNARY_OPS(PEN_ENUMERATOR) PEN_SLOW_UNARY_OPS(PEN_ENUMERATOR)
          kOwn,  // in no list: the function is in the file of its op (function-inl.h)
#undef PEN_ENUMERATOR
};

// Null if the op does not exist for the dtype. Integers wrap around.
UnaryLoop unary_loop(UnaryOp op, DType dtype) noexcept;
// The same of a function in the file of its op.
using OwnUnary = UnaryLoop (*)(DType dtype);
inline UnaryLoop unary_loop(OwnUnary function, DType dtype) noexcept { return function(dtype); }

// Its parts, without the half types; each returns null for ops of the other parts.
UnaryLoop vector_unary_loop(UnaryOp op, DType dtype) noexcept;
UnaryLoop slow_unary_loop(UnaryOp op, DType dtype) noexcept;

// The op on single elements; null where there is only the loop to call.
ScalarFn unary_scalar(UnaryOp op, DType dtype) noexcept;

}  // namespace penstock::kernels
