"""Networks: strides and SAME padding that do not divide, one-pixel images, refused layouts."""

import numpy as np

from cases import c64, call, f16, f32, f64, i32, inf, nan, steps

IMAGE = steps(np.float32, 1, 5, 4, 2, start=-4, step=0.5)
FILTER = steps(np.float32, 3, 2, 2, 3, start=-1, step=0.125)


def conv(image, kernel, stride=(1, 1), padding="SAME", dilation=(1, 1), **attrs):
    call("Conv2D", image, kernel, strides=[1, *stride, 1], padding=padding,
         dilations=[1, *dilation, 1], **attrs)  # fmt: skip


for padding in ("SAME", "VALID"):
    for stride in ((1, 1), (2, 2), (3, 1), (1, 2)):
        conv(IMAGE, FILTER, stride, padding)
    conv(IMAGE, FILTER, dilation=(2, 1), padding=padding)
    conv(IMAGE, FILTER, dilation=(1, 2), padding=padding)
    conv(f64(IMAGE), f64(FILTER), (2, 1), padding)
    conv(f32(np.ones((0, 5, 4, 2))), FILTER, padding=padding)
    conv(f32(np.ones((1, 1, 1, 2))), FILTER, padding=padding)
conv(IMAGE, FILTER, padding="EXPLICIT", explicit_paddings=[0, 0, 2, 1, 0, 3, 0, 0])
conv(IMAGE, FILTER, padding="EXPLICIT", explicit_paddings=[0, 0, -1, 1, 0, 3, 0, 0])
conv(IMAGE, FILTER, padding="EXPLICIT")
conv(IMAGE, steps(np.float32, 3, 2, 3, 3))  # 3 channels of 2
conv(IMAGE, steps(np.float32, 3, 2, 1, 4))  # groups
conv(IMAGE, steps(np.float32, 3, 2, 2))
conv(IMAGE[0], FILTER)
conv(IMAGE, FILTER, stride=(0, 1))
conv(IMAGE, FILTER, stride=(-1, 1))
conv(IMAGE, f64(FILTER))
conv(f32([[[[nan, 1], [inf, 1]]]]), f32(np.ones((1, 1, 2, 1))))
GRAD = steps(np.float32, 1, 3, 2, 3)
call("Conv2DBackpropInput", i32([1, 5, 4, 2]), FILTER, GRAD, strides=[1, 2, 2, 1], padding="SAME")
call("Conv2DBackpropInput", i32([1, 5, 4, 2]), FILTER, GRAD, strides=[1, 1, 1, 1], padding="VALID")
call("Conv2DBackpropInput", i32([1, 5, 3, 2]), FILTER, GRAD, strides=[1, 1, 1, 1], padding="VALID")
call("Conv2DBackpropFilter", IMAGE, i32([3, 2, 2, 3]), GRAD, strides=[1, 2, 2, 1], padding="SAME")
call("Conv2DBackpropFilter", IMAGE, i32([3, 2, 2, 2]), GRAD, strides=[1, 2, 2, 1], padding="SAME")

for op in ("MaxPool", "AvgPool"):
    for padding in ("SAME", "VALID"):
        for size, stride in (
            ((2, 2), (2, 2)),
            ((3, 2), (1, 1)),
            ((2, 3), (3, 2)),
            ((1, 1), (2, 2)),
        ):
            call(op, IMAGE, ksize=[1, *size, 1], strides=[1, *stride, 1], padding=padding)
    call(op, f16(IMAGE), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    call(op, IMAGE, ksize=[1, 6, 6, 1], strides=[1, 1, 1, 1], padding="VALID")
    call(op, IMAGE, ksize=[1, 0, 2, 1], strides=[1, 1, 1, 1], padding="VALID")
    call(op, IMAGE, ksize=[1, 2, 2, 1], strides=[1, 0, 1, 1], padding="VALID")
    call(op, IMAGE[0], ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID")
    call(op, IMAGE, ksize=[1, 2, 2], strides=[1, 1, 1, 1], padding="VALID")
    call(op, c64(IMAGE), ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID")
    call(op, f32(np.ones((0, 4, 4, 1))), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")

A = steps(np.float32, 2, 3)
call("MatMul", A, steps(np.float32, 3, 2))
call("MatMul", A, A, transpose_b=True)
call("MatMul", A, A, transpose_a=True)
call("MatMul", A, A)
call("MatMul", A, f64(A), transpose_b=True)
call("MatMul", f32([1, 2]), f32([1, 2]))
call("MatMul", f32(np.ones((2, 0))), f32(np.ones((0, 3))))
call("MatMul", f32(np.ones((0, 3))), f32(np.ones((3, 2))))
call("MatMul", steps(np.float32, 2, 1, 2, 3), steps(np.float32, 4, 3, 1))
call("MatMul", steps(np.float32, 2, 2, 3), steps(np.float32, 3, 3, 1))
call("MatMul", c64([[1 + 1j, 2]]), c64([[1 - 1j, 3j]]), adjoint_b=True)
call("MatMul", c64([[1 + 1j, 2]]), c64([[1 - 1j, 3j]]), transpose_b=True)
call("MatMul", i32([[2147483647, 2]]), i32([[1], [1]]))
call("MatMul", f32([[nan, 1]]), f32([[0], [1]]))
call("MatMul", f32([[inf, 1]]), f32([[0], [1]]))
call("MatMul", f16([[1, 2]]), f16([[3], [4]]))
call("BiasAdd", steps(np.float32, 2, 3), f32([1, 2, 3]))
call("BiasAdd", steps(np.float32, 2, 3, 2), f32([1, 2, 3]), data_format="NCHW")
call("BiasAdd", steps(np.float32, 2, 3), f32([1, 2]))
call("BiasAdd", f32([1, 2]), f32([1, 2]))
call("BiasAdd", steps(np.float32, 2, 3), f32([[1, 2, 3]]))
call("BiasAdd", steps(np.float32, 2, 3), f64([1, 2, 3]))
call("BiasAdd", steps(np.float32, 2, 3), f32([1, 2, 3]), data_format="XYZ")
