"""Fourier transforms and signals in NumPy."""

import numpy as np

from references import ref


def fit(x, sizes):
    """The last axes cut or filled up with zeros."""
    for axis, size in zip(range(-len(sizes), 0), sizes, strict=True):
        x = np.take(x, range(min(size, x.shape[axis])), axis)
        widths = [(0, 0)] * x.ndim
        widths[axis] = (0, size - x.shape[axis])
        x = np.pad(x, widths)
    return x


def complex_transform(function, rank):
    def reference(x):
        return function(x, axes=tuple(range(-rank, 0))) if x.size else x

    return reference


def real_transform(x, fft_length):
    sizes = [int(n) for n in fft_length]
    if 0 in sizes:
        last = sizes[-1] // 2 + 1 if sizes[-1] else 0
        return np.zeros((*x.shape[: -len(sizes)], *sizes[:-1], last))
    return np.fft.rfftn(fit(x, sizes), axes=tuple(range(-len(sizes), 0)))


def half_transform(x, fft_length):
    sizes = [int(n) for n in fft_length]
    if 0 in sizes:
        return np.zeros((*x.shape[: -len(sizes)], *sizes))
    half = fit(x, [*sizes[:-1], sizes[-1] // 2 + 1])
    return np.fft.irfftn(half, sizes, axes=tuple(range(-len(sizes), 0)))


for rank, suffix in (1, ""), (2, "2D"), (3, "3D"):
    ref(f"FFT{suffix}", complex_transform(np.fft.fftn, rank))
    ref(f"IFFT{suffix}", complex_transform(np.fft.ifftn, rank))
    ref(f"RFFT{suffix}", real_transform)
    ref(f"IRFFT{suffix}", half_transform)

ref("Fftshift", lambda x, axes: np.fft.fftshift(x, axes))
ref("Ifftshift", lambda x, axes: np.fft.ifftshift(x, axes))


def dct(x, type, n, axis, norm):
    """By the definition."""
    n = x.shape[-1] if n == -1 else n
    x = fit(x, [n])
    k, i = np.arange(n)[:, None], np.arange(n)[None, :]
    if type == 1:
        matrix = 2 * np.cos(np.pi * k * i / (n - 1))
        matrix[:, [0, -1]] /= 2
    elif type == 2:
        matrix = 2 * np.cos(np.pi * k * (2 * i + 1) / (2 * n))
        if norm:
            matrix *= np.where(k == 0, np.sqrt(0.25 / n), np.sqrt(0.5 / n))
    elif type == 3:
        matrix = 2 * np.cos(np.pi * i * (2 * k + 1) / (2 * n))
        matrix[:, 0] /= 2
        if norm:
            matrix *= np.where(i == 0, np.sqrt(1 / n), np.sqrt(0.5 / n))
    else:
        matrix = 2 * np.cos(np.pi * (2 * k + 1) * (2 * i + 1) / (4 * n))
        if norm:
            matrix *= np.sqrt(0.5 / n)
    return x @ matrix.T


ref("Dct", dct)
ref("Idct", lambda x, type, **rest: dct(x, {2: 3, 3: 2}.get(type, type), **rest))


def window(mean):
    def reference(window_length, periodic, dtype):
        if window_length == 1:
            return np.ones(1)
        n = window_length + (periodic and window_length % 2 == 0) - 1
        return mean - (1 - mean) * np.cos(2 * np.pi * np.arange(window_length) / n)

    return reference


hann, hamming = window(0.5), window(0.54)


def frame(signal, frame_length, frame_step, pad_end, pad_value, axis):
    x = np.moveaxis(signal, axis, -1)
    n = x.shape[-1]
    count = -(-n // frame_step) if pad_end else max(0, 1 + (n - frame_length) // frame_step)
    extra = max(0, (count - 1) * frame_step + frame_length - n)
    x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, extra)], constant_values=pad_value)
    at = np.arange(count)[:, None] * frame_step + np.arange(frame_length)
    axis %= signal.ndim
    return np.moveaxis(x[..., at], (-2, -1), (axis, axis + 1))


def overlap_and_add(signal, frame_step):
    frames, length = signal.shape[-2:]
    out = np.zeros(
        (*signal.shape[:-2], max(0, (frames - 1) * frame_step + length) if frames else 0)
    )
    for i in range(frames):
        out[..., i * frame_step : i * frame_step + length] += signal[..., i, :]
    return out


def window_named(name, length):
    windows = {"hann": hann, "hamming": hamming, "": lambda n, *_: np.ones(n)}
    return windows[name](length, True, None)


def length_of(fft_length, frame_length):
    return 1 << (frame_length - 1).bit_length() if fft_length == -1 else fft_length


def stft(signals, frame_length, frame_step, fft_length, window, pad_end):
    frames = frame(signals, frame_length, frame_step, pad_end, 0, -1)
    windowed = frames * window_named(window, frame_length)
    return real_transform(windowed, [length_of(fft_length, frame_length)])


def inverse_stft(stfts, frame_length, frame_step, fft_length, window):
    frames = half_transform(stfts, [length_of(fft_length, frame_length)])
    windowed = fit(frames, [frame_length]) * window_named(window, frame_length)
    return overlap_and_add(windowed, frame_step)


ref("HannWindow", hann)
ref("HammingWindow", hamming)
ref("Frame", frame)
ref("OverlapAndAdd", overlap_and_add)
ref("Stft", stft)
ref("InverseStft", inverse_stft)
