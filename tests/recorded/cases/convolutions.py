"""Convolutions and pools of other kinds: depthwise, transposed, atrous, over one axis and three."""

import numpy as np

from cases import call, f32, i32, i64, steps

LINE = steps(np.float32, 2, 5, 2, start=-1)
IMAGE = steps(np.float32, 1, 5, 4, 2, start=-4, step=0.5)
CUBE = steps(np.float32, 1, 3, 4, 3, 1, start=-2, step=0.25)

for padding in ("SAME", "VALID"):
    for stride in (1, 2):
        call("DepthwiseConv2dNative", IMAGE, steps(np.float32, 2, 3, 2, 2), padding=padding,
             strides=[1, stride, stride, 1])  # fmt: skip
        call("Conv1D", LINE, steps(np.float32, 3, 2, 2), stride=[stride], padding=padding)
        call("Conv3D", CUBE, steps(np.float32, 2, 2, 2, 1, 2), padding=padding,
             strides=[1, stride, stride, stride, 1])  # fmt: skip
        for op in ("MaxPool3D", "AvgPool3D"):
            call(
                op, CUBE, ksize=[1, 2, 3, 2, 1], strides=[1, stride, 1, stride, 1], padding=padding
            )
        for op in ("MaxPool1D", "AvgPool1D"):
            call(op, LINE, ksize=[2], strides=[stride], padding=padding)
        call("MaxPoolWithArgmax", IMAGE, ksize=[1, 2, 2, 1], strides=[1, stride, 2, 1],
             padding=padding)  # fmt: skip
    call("AtrousConv2D", IMAGE, steps(np.float32, 2, 2, 2, 1), rate=2, padding=padding)
    call("SeparableConv2D", IMAGE, steps(np.float32, 2, 2, 2, 1), steps(np.float32, 1, 1, 2, 3),
         strides=[1, 1, 1, 1], padding=padding)  # fmt: skip
    call("Convolution", LINE, steps(np.float32, 3, 2, 2), padding=padding)
    call("Convolution", IMAGE, steps(np.float32, 2, 2, 2, 1), padding=padding, strides=[2, 1])
    call("Convolution", IMAGE, steps(np.float32, 2, 2, 2, 1), padding=padding, dilations=[1, 2])
call("DepthwiseConv2dNative", IMAGE, steps(np.float32, 2, 3, 3, 1), padding="SAME",
     strides=[1, 1, 1, 1])  # fmt: skip
call("Conv1D", LINE, steps(np.float32, 3, 3, 2), stride=[1], padding="SAME")
call("Conv3D", CUBE, steps(np.float32, 2, 2, 2, 2, 2), padding="SAME", strides=[1, 1, 1, 1, 1])
GRAD = steps(np.float32, 1, 3, 2, 3)
KERNEL = steps(np.float32, 3, 2, 2, 3)
call("Conv2DTranspose", GRAD, KERNEL, i32([1, 5, 4, 2]), strides=[1, 2, 2, 1])
call("Conv2DTranspose", GRAD, KERNEL, i32([1, 6, 4, 2]), strides=[1, 2, 2, 1])
call("Conv2DTranspose", GRAD, KERNEL, i32([1, 5, 3, 2]), strides=[1, 1, 1, 1], padding="VALID")
call("Conv2DTranspose", GRAD, KERNEL, i32([1, 9, 4, 2]), strides=[1, 2, 2, 1])
call("Conv1DTranspose", steps(np.float32, 1, 3, 2), steps(np.float32, 2, 4, 2), i32([1, 6, 4]),
     strides=[2])  # fmt: skip
call("MaxPoolWithArgmax", IMAGE, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME",
     include_batch_in_index=True, Targmax=np.dtype(np.int32))  # fmt: skip
call("MaxPool3D", CUBE, ksize=[1, 4, 2, 2, 1], strides=[1, 1, 1, 1, 1], padding="VALID")
call("LRN", steps(np.float32, 1, 1, 2, 7, start=-2), depth_radius=2, bias=1.5, alpha=0.3, beta=0.7)
call("LRN", f32([1, 2]))
for align, half in ((False, False), (True, False), (False, True)):
    flags = {"align_corners": align, "half_pixel_centers": half}
    for op in ("ResizeNearestNeighbor", "ResizeBilinear", "ResizeBicubic"):
        call(op, IMAGE, i32([3, 7]), **flags)
        call(op, IMAGE, i32([1, 1]), **flags)
    call("ResizeBilinearGrad", steps(np.float32, 1, 3, 6, 2), IMAGE, **flags)
    call("ResizeBicubicGrad", steps(np.float32, 1, 3, 6, 2), IMAGE, **flags)
    call("ResizeNearestNeighborGrad", steps(np.float32, 1, 3, 6, 2), i32([5, 4]), **flags)
call("ResizeBilinear", IMAGE, i32([0, 3]))
call("ResizeBilinear", IMAGE, i32([3]))
call("ResizeBilinear", IMAGE[0], i32([3, 3]))
call("ResizeBilinear", IMAGE, i32([3, 3]), align_corners=True, half_pixel_centers=True)
call("ResizeArea", IMAGE, i32([2, 3]))
call("ResizeArea", IMAGE, i32([7, 5]), align_corners=True)
BOXES = f32([[0, 0, 1, 1], [0.2, 0.1, 0.7, 1.4], [1, 1, 0, 0]])
for method in ("bilinear", "nearest"):
    call("CropAndResize", IMAGE, BOXES, i32([0, 0, 0]), i32([3, 2]), method=method,
         extrapolation_value=-1.0)  # fmt: skip
call("CropAndResize", IMAGE, BOXES, i32([0, 1, 0]), i32([3, 2]))
call("CropAndResize", IMAGE, BOXES, i32([0, 0]), i32([3, 2]))
for padding in ("SAME", "VALID"):
    call("ExtractImagePatches", IMAGE, ksizes=[1, 2, 3, 1], strides=[1, 2, 1, 1],
         rates=[1, 1, 1, 1], padding=padding)  # fmt: skip
    call("ExtractImagePatches", IMAGE, ksizes=[1, 2, 2, 1], strides=[1, 1, 1, 1],
         rates=[1, 2, 1, 1], padding=padding)  # fmt: skip
    call("ExtractVolumePatches", CUBE, ksizes=[1, 2, 2, 1, 1], strides=[1, 1, 2, 1, 1],
         padding=padding)  # fmt: skip
LOGITS = steps(np.float32, 5, 2, 3, start=-1, step=0.1)
call("CTCLossDense", LOGITS, i32([[1, 2], [2, 2]]), i32([2, 1]), i32([5, 4]))
call("CTCLoss", LOGITS, i64([[0, 0], [0, 1], [1, 0]]), i32([0, 1, 1]), i32([5, 4]))
call("CTCGreedyDecoder", LOGITS, i32([5, 3]), merge_repeated=True)
RECTANGLES = f32([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 2, 1, 3], [0, 0, 1, 0.9]])
SCORES = f32([0.9, 0.75, 0.6, 0.95])
for threshold in (0.5, 0.0, 1.0):
    call("NonMaxSuppressionV3", RECTANGLES, SCORES, i32(3), f32(threshold), f32(0.0))
call("NonMaxSuppressionV3", RECTANGLES, SCORES, i32(3), f32(1.5), f32(0.0))
call("NonMaxSuppressionV3", RECTANGLES, SCORES[:2], i32(3), f32(0.5), f32(0.0))
call("NonMaxSuppressionV4", RECTANGLES, SCORES, i32(4), f32(0.5), f32(0.7),
     pad_to_max_output_size=True)  # fmt: skip
