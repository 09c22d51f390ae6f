// Functions of two operands: selects the loop for an op and a dtype, compiled for the current CPU.
#pragma once

#include "kernels/broadcast.h"
#include "kernels/scalar_step.h"

namespace penstock::kernels {

// Plain loops, vectorised by the compiler (binary.cc). Gradients of activations take the incoming
// gradient and the input or output of the activation, in TensorFlow's order.
#define PEN_SIMPLE_BINARY_OPS(X)          \
  X(Add)                                  \
  X(Subtract)                             \
  X(Multiply)                             \
  X(Divide) /* not for integers */        \
  X(DivideNoNan)                          \
  X(MultiplyNoNan)                        \
  X(SquaredDifference)                    \
  X(Maximum) /* NaN when either is */     \
  X(Minimum)                              \
  X(BitwiseAnd)                           \
  X(BitwiseOr)                            \
  X(BitwiseXor)                           \
  X(LeakyRelu) /* y: the slope below 0 */ \
  X(ReluGrad)                             \
  X(Relu6Grad)                            \
  X(EluGrad)                              \
  X(SeluGrad)                             \
  X(SoftsignGrad)                         \
  X(SigmoidGrad)                          \
  X(TanhGrad)                             \
  X(SqrtGrad)                             \
  X(RsqrtGrad)                            \
  X(ReciprocalGrad)

// The same, with a bool as the result (compare.cc).
#define PEN_COMPARE_BINARY_OPS(X) \
  X(Equal)                        \
  X(NotEqual)                     \
  X(Less)                         \
  X(LessEqual)                    \
  X(LogicalAnd)                   \
  X(LogicalOr)

// One number at a time (slow_binary.cc).
#define PEN_SLOW_BINARY_OPS(X)                                  \
  X(FloorDivide) /* Pre of division for integers: y is not 0 */ \
  X(FloorModulo)                                                \
  X(TruncateDivide)                                             \
  X(TruncateModulo)                                             \
  X(Power)     /* Pre for integers: y is not negative */        \
  X(LeftShift) /* by y cut to the width */                      \
  X(RightShift)                                                 \
  X(Atan2)                                                      \
  X(NextAfter)                                                  \
  X(Xdivy) /* 0 where x is 0, and so for the next two */        \
  X(Xlogy)                                                      \
  X(Xlog1py)                                                    \
  X(Igamma)                                                     \
  X(Igammac)                                                    \
  X(IgammaGradA)                                                \
  X(RandomGammaGrad)                                            \
  X(Zeta)                                                       \
  X(Polygamma)

enum class BinaryOp : uint8_t {
#define PEN_ENUMERATOR(Name) k##Name,
  PEN_SIMPLE_BINARY_OPS(PEN_ENUMERATOR) PEN_COMPARE_BINARY_OPS(PEN_ENUMERATOR) PEN_SLOW_BINARY_OPS(
      PEN_ENUMERATOR) kOwn,  // in no list: the function is in the file of its op (function-inl.h)
#undef PEN_ENUMERATOR
};

// Null if the op does not exist for the dtype: never for strings, and complex numbers have no
// order. Integers wrap around.
BinaryLoop binary_loop(BinaryOp op, DType dtype) noexcept;
// The same of a function in the file of its op.
using OwnBinary = BinaryLoop (*)(DType dtype);
inline BinaryLoop binary_loop(OwnBinary function, DType dtype) noexcept { return function(dtype); }

// Its parts, without the half types; each returns null for ops of the other parts.
BinaryLoop compare_loop(BinaryOp op, DType dtype) noexcept;
BinaryLoop vector_binary_loop(BinaryOp op, DType dtype) noexcept;
BinaryLoop slow_binary_loop(BinaryOp op, DType dtype) noexcept;

// The op on single elements, and its parts; null where there is only the loop to call.
ScalarFn binary_scalar(BinaryOp op, DType dtype) noexcept;
ScalarFn compare_scalar(BinaryOp op, DType dtype) noexcept;
ScalarFn slow_binary_scalar(BinaryOp op, DType dtype) noexcept;

// Whether an integer tensor contains a zero, or a negative number.
bool has_zero(const View& x) noexcept;
bool has_negative(const View& x) noexcept;

}  // namespace penstock::kernels
