"""Images: patches, other sizes, boxes."""

import numpy as np

from references import ref


def wide(x):
    """Half types as float32."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind not in "iu" else x


def band(depth, radius):
    """Which channels count for which."""
    places = np.arange(depth)
    return (np.abs(places[:, None] - places) <= radius).astype(np.float64)


def lrn_norm(x, depth_radius, bias, alpha):
    return bias + alpha * (x**2 @ band(x.shape[-1], depth_radius))


def lrn(x, depth_radius, bias, alpha, beta):
    x = wide(x).astype(np.float64)
    return x / lrn_norm(x, depth_radius, bias, alpha) ** beta


def lrn_grad(dy, x, y, depth_radius, bias, alpha, beta):
    dy, x, y = (wide(t).astype(np.float64) for t in (dy, x, y))
    norm = lrn_norm(x, depth_radius, bias, alpha)
    around = (dy * y / norm) @ band(x.shape[-1], depth_radius)
    return dy / norm**beta - 2 * alpha * beta * x * around


ref("LRN", lrn)
ref("LRNGrad", lrn_grad)


def patch_places(shape, ksizes, strides, rates, padding):
    """(output's shape, for each element of a window: where it looks along each axis)."""
    out, befores = [], []
    rates = rates or [1] * len(shape)
    spatial = range(1, len(shape) - 1)
    for a in spatial:
        reach = (ksizes[a] - 1) * rates[a] + 1
        same = padding == "SAME"
        n = -(-shape[a] // strides[a]) if same else (shape[a] - reach) // strides[a] + 1
        out.append(n)
        befores.append(max(0, (n - 1) * strides[a] + reach - shape[a]) // 2 if same else 0)
    windows = list(np.ndindex(*(ksizes[a] for a in spatial)))
    places = []
    for element in windows:
        axes = []
        for i, a in enumerate(spatial):
            axes.append(np.arange(out[i]) * strides[a] - befores[i] + element[i] * rates[a])
        places.append(axes)
    return out, places


def patches_of(x, ksizes, strides, padding, rates=None):
    out, places = patch_places(x.shape, ksizes, strides, rates, padding)
    y = np.zeros((x.shape[0], *out, len(places), x.shape[-1]), x.dtype)
    for k, axes in enumerate(places):
        for position in np.ndindex(*out):
            at = [axes[i][p] for i, p in enumerate(position)]
            if all(0 <= p < n for p, n in zip(at, x.shape[1:-1], strict=True)):
                y[(slice(None), *position, k)] = x[(slice(None), *at)]
    return (
        y.reshape(x.shape[0], *out, -1)
        if y.size
        else np.zeros((x.shape[0], *out, len(places) * x.shape[-1]), x.dtype)
    )


def patches_to_volume(patches, shape, ksizes, strides, rates, padding):
    out, places = patch_places(shape, ksizes, strides, rates, padding)
    x = np.zeros(shape, wide(patches).dtype)
    parts = wide(patches).reshape(shape[0], *out, len(places), shape[-1])
    for k, axes in enumerate(places):
        for position in np.ndindex(*out):
            at = [axes[i][p] for i, p in enumerate(position)]
            if all(0 <= p < n for p, n in zip(at, shape[1:-1], strict=True)):
                x[(slice(None), *at)] += parts[(slice(None), *position, k)]
    return x


ref("ExtractImagePatches", patches_of)
ref("ExtractVolumePatches", patches_of)
ref("PatchesToVolume", patches_to_volume)


def cubic(a, x):
    x = abs(x)
    if x <= 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a if x < 2 else 0.0


def resize_matrix(method, size, out, align_corners, half_pixel_centers=False):
    """The weight of every input (column) in every output (row) along one axis."""
    scale = np.float32((size - 1) / (out - 1) if align_corners and out > 1 else size / out)
    m = np.zeros((out, size))
    for i in range(out):
        place = float(np.float32(i + 0.5) * scale if half_pixel_centers else i * scale)
        centre = place - 0.5 if half_pixel_centers else place
        if method == "nearest":
            index = np.floor(place + 0.5) if align_corners else np.floor(place)
            m[i, int(np.clip(index, 0, size - 1))] = 1
        elif method == "bilinear":
            low = np.floor(centre)
            m[i, int(np.clip(low, 0, size - 1))] += 1 - (centre - low)
            m[i, int(np.clip(np.ceil(centre), 0, size - 1))] += centre - low
        elif method == "bicubic":
            low = np.floor(centre)
            x = np.rint((centre - low) * 1024) / 1024
            for k in range(-1, 3):
                at = int(np.clip(low + k, 0, size - 1))
                if half_pixel_centers and at != low + k:
                    continue
                m[i, at] += cubic(-0.5 if half_pixel_centers else -0.75, x - k)
            if half_pixel_centers:
                m[i] /= m[i].sum()
        else:
            end = (i + 1) * float(scale)
            for j in range(int(np.floor(place)), int(np.ceil(end))):
                m[i, min(j, size - 1)] += (min(j + 1, end) - max(j, place)) / float(scale)
    return m


def resize(method):
    def compute(images, size, **attrs):
        h = resize_matrix(method, images.shape[1], size[0], **attrs)
        w = resize_matrix(method, images.shape[2], size[1], **attrs)
        return np.einsum("yh,xw,nhwc->nyxc", h, w, wide(images).astype(np.float64))

    return compute


def resize_grad(grads, size, method, dtype=None, **attrs):
    h = resize_matrix(method, size[0], grads.shape[1], **attrs)
    w = resize_matrix(method, size[1], grads.shape[2], **attrs)
    return np.einsum("yh,xw,nyxc->nhwc", h, w, wide(grads).astype(np.float64))


ref("ResizeNearestNeighbor", resize("nearest"))
ref("ResizeBilinear", resize("bilinear"))
ref("ResizeBicubic", resize("bicubic"))
ref("ResizeArea", resize("area"))
ref("ResizeGrad", resize_grad)
ref("ResizeNearestNeighborGrad", lambda g, size, **attrs: resize_grad(g, size, "nearest", **attrs))
ref(
    "ResizeBilinearGrad",
    lambda g, x, **attrs: resize_grad(g, x.shape[1:3], "bilinear", **attrs),
)
ref(
    "ResizeBicubicGrad",
    lambda g, x, **attrs: resize_grad(g, x.shape[1:3], "bicubic", **attrs),
)


class Boxes:
    """Where each position of each box lies in its image."""

    def __init__(self, boxes, box_ind, image_shape, crop_size, method):
        self.size, self.crop = image_shape[1:3], crop_size
        self.boxes, self.images, self.method = boxes, box_ind, method

    def axis(self, box, a):
        low, high = (np.float32(self.boxes[box][a + end]) for end in (0, 2))
        last, count = np.float32(self.size[a] - 1), self.crop[a]
        if count == 1:
            return np.array([(low + high) * last / 2])
        return low * last + np.arange(count) * ((high - low) * last / np.float32(count - 1))

    def taps(self, y, x):
        """[(row, column, weight)]; None outside of the image."""
        if not (0 <= y <= self.size[0] - 1 and 0 <= x <= self.size[1] - 1):
            return None
        if self.method == "nearest":
            return [(int(np.floor(y + 0.5)), int(np.floor(x + 0.5)), 1.0)]
        rows = [(int(np.floor(y)), 1 - y % 1), (int(np.ceil(y)), y % 1)]
        columns = [(int(np.floor(x)), 1 - x % 1), (int(np.ceil(x)), x % 1)]
        return [(r, c, a * b) for r, a in rows for c, b in columns]

    def places(self):
        for box, image in enumerate(self.images):
            for i, y in enumerate(self.axis(box, 0)):
                for j, x in enumerate(self.axis(box, 1)):
                    yield box, image, i, j, self.taps(y, x)


def crop_and_resize(image, boxes, box_ind, crop_size, method, extrapolation_value):
    out = np.full((len(boxes), *crop_size, image.shape[3]), float(extrapolation_value))
    cut = Boxes(boxes, box_ind, image.shape, crop_size, method)
    for box, n, i, j, taps in cut.places():
        if taps is not None:
            out[box, i, j] = sum(w * wide(image)[n, r, c] for r, c, w in taps)
    return out


def crop_grad_image(grads, boxes, box_ind, size, T, method):
    out = np.zeros(size)
    for box, n, i, j, taps in Boxes(boxes, box_ind, size, grads.shape[1:3], method).places():
        for r, c, w in taps or ():
            out[n, r, c] += w * grads[box, i, j]
    return out


def crop_grad_boxes(grads, image, boxes, box_ind, method):
    """By differences: a small step to either side crosses no pixel."""
    out = np.zeros(boxes.shape)
    step = 1e-3
    for at in np.ndindex(*boxes.shape):
        sides = []
        for sign in (1, -1):
            moved = boxes.astype(np.float64)
            moved[at] += sign * step
            crops = crop_and_resize(image, moved, box_ind, grads.shape[1:3], method, 0)
            sides.append((crops * grads).sum())
        out[at] = (sides[0] - sides[1]) / (2 * step)
    return out


ref("CropAndResize", crop_and_resize)
ref("CropAndResizeGradImage", crop_grad_image)
ref("CropAndResizeGradBoxes", crop_grad_boxes)


def overlap(a, b):
    (top, left), (bottom, right) = np.minimum(a[:2], a[2:]), np.maximum(a[:2], a[2:])
    (top2, left2), (bottom2, right2) = np.minimum(b[:2], b[2:]), np.maximum(b[:2], b[2:])
    areas = (bottom - top) * (right - left), (bottom2 - top2) * (right2 - left2)
    if min(areas) <= 0:
        return 0
    height = max(0, min(bottom, bottom2) - max(top, top2))
    width = max(0, min(right, right2) - max(left, left2))
    return height * width / (sum(areas) - height * width)


def suppress(boxes, scores, most, iou, least):
    chosen = []
    for i in sorted(range(len(scores)), key=lambda k: -scores[k]):
        is_free = all(overlap(boxes[i], boxes[k]) <= iou for k in chosen)
        if scores[i] > least and len(chosen) < most and is_free:
            chosen.append(i)
    return chosen


def suppress_padded(*inputs, pad_to_max_output_size):
    chosen = suppress(*inputs)
    padding = [0] * (inputs[2] - len(chosen)) if pad_to_max_output_size else []
    return np.array(chosen + padding, np.int32), np.int32(len(chosen))


ref("NonMaxSuppressionV3", lambda *inputs: np.array(suppress(*inputs), np.int32))
ref("NonMaxSuppressionV4", suppress_padded)
