"""tf.signal: transforms of real signals, windows, and short-time spectra."""

from __future__ import annotations

import math

from penstock import _core, dtypes, raw_ops
from penstock._api import public
from penstock._context.scope import scoped
from penstock._core import Tensor
from penstock._memory.host import booked
from penstock._ops.convert import cast, node_of, shape_of, size_of
from penstock._ops.create import ones
from penstock._tensors.shape import TensorShape


def _own_length(value, dims):
    own = shape_of(value)
    return _core.to_tensor(
        list(own)[-dims:] if isinstance(own, TensorShape) else own[-dims:], dtypes.int32
    )


def _real_transform(dims):
    op = "RFFT" if dims == 1 else f"RFFT{dims}D"

    @scoped(op.lower())
    def run(input_tensor, fft_length=None, name=None) -> Tensor:
        value = _core.to_tensor(input_tensor)
        own = fft_length is None
        length = _own_length(value, dims) if own else _core.to_tensor(fft_length, dtypes.int32)
        return getattr(raw_ops, op)(input=value, fft_length=length, name=name)

    run.__name__ = run.__qualname__ = op.lower()
    run.__doc__ = "The Fourier transform of a real signal: half of it, as the rest mirrors it."
    return run


def _inverse_transform(dims):
    op = "IRFFT" if dims == 1 else f"IRFFT{dims}D"

    @scoped(op.lower())
    def run(input_tensor, fft_length=None, name=None) -> Tensor:
        value = _core.to_tensor(input_tensor)
        own = fft_length is None
        length = _real_length(value, dims) if own else _core.to_tensor(fft_length, dtypes.int32)
        return getattr(raw_ops, op)(input=value, fft_length=length, name=name)

    run.__name__ = run.__qualname__ = op.lower()
    run.__doc__ = "The real signal of half a Fourier transform."
    return run


def _real_length(value, dims):
    """The signal lengths of half a transform."""
    if value.shape.is_fully_defined():
        *others, half = value.shape
        return _core.to_tensor([*others, max(0, 2 * (half - 1))][-dims:], dtypes.int32)
    own = _own_length(value, dims)
    last = raw_ops.Maximum(x=0, y=2 * (own[-1:] - 1))
    return raw_ops.ConcatV2(values=[own[:-1], last], axis=0)


rfft, rfft2d, rfft3d = (_real_transform(dims) for dims in (1, 2, 3))
public("signal.rfft3d", "v1.spectral.rfft3d")(rfft3d)
public("signal.rfft2d", "v1.spectral.rfft2d")(rfft2d)
public("signal.rfft", "v1.spectral.rfft")(rfft)
irfft, irfft2d, irfft3d = (_inverse_transform(dims) for dims in (1, 2, 3))
public("signal.irfft3d", "v1.spectral.irfft3d")(irfft3d)
public("signal.irfft2d", "v1.spectral.irfft2d")(irfft2d)
public("signal.irfft", "v1.spectral.irfft")(irfft)


def _window_dtype(dtype):
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype}")
    return dtype


@public("signal.hann_window")
def hann_window(window_length, periodic=True, dtype=dtypes.float32, name=None) -> Tensor:
    """A Hann window."""
    return raw_ops.HannWindow(
        window_length=window_length, periodic=periodic, dtype=_window_dtype(dtype), name=name
    )


@public("signal.hamming_window")
def hamming_window(window_length, periodic=True, dtype=dtypes.float32, name=None) -> Tensor:
    """A Hamming window."""
    return raw_ops.HammingWindow(
        window_length=window_length, periodic=periodic, dtype=_window_dtype(dtype), name=name
    )


def _ramp(start, stop, dtype):
    numbers = raw_ops.Range(start=start, limit=stop, delta=1)
    return cast(numbers, dtypes.as_dtype(dtype))


@public("signal.kaiser_window")
@scoped("kaiser_window")
def kaiser_window(window_length, beta=12.0, dtype=dtypes.float32, name=None) -> Tensor:
    """A Kaiser window."""
    window_length = int(window_length)
    if window_length == 1:
        return ones([1], dtypes.as_dtype(dtype), name="ones")
    half = (window_length - 1) / 2
    places = _ramp(0, window_length, dtype) - half
    beta = _core.to_tensor(beta, places.dtype)
    inside = raw_ops.Sqrt(x=raw_ops.Maximum(x=1 - raw_ops.Square(x=places / half), y=0.0))
    bessel = raw_ops.BesselI0e
    # The scaled functions, because the plain ones overflow: e^|x| is multiplied back.
    scaled = beta * inside
    factor = raw_ops.Exp(x=raw_ops.Abs(x=scaled) - raw_ops.Abs(x=beta))
    return factor * (bessel(x=scaled) / bessel(x=beta))


@public("signal.kaiser_bessel_derived_window")
@scoped("kaiser_bessel_derived_window")
def kaiser_bessel_derived_window(
    window_length, beta=12.0, dtype=dtypes.float32, name=None
) -> Tensor:
    """A Kaiser-Bessel-derived window."""
    half = int(window_length) // 2
    sums = raw_ops.Cumsum(x=kaiser_window(half + 1, beta, dtype))
    rising = raw_ops.Sqrt(x=sums[:-1] / sums[-1])
    return raw_ops.ConcatV2(values=[rising, raw_ops.ReverseV2(tensor=rising, axis=[0])], axis=0)


@public("signal.vorbis_window")
@scoped("vorbis_window")
def vorbis_window(window_length, dtype=dtypes.float32, name=None) -> Tensor:
    """A Vorbis power-complementary window."""
    places = _ramp(0, int(window_length), dtype)
    inner = raw_ops.Sin(x=math.pi / max(1, int(window_length)) * (places + 0.5))
    return raw_ops.Sin(x=math.pi / 2 * raw_ops.Square(x=inner))


_NAMES = {"hann_window": "hann", "hamming_window": "hamming"}


def _named_window(window_fn):
    """The op's name of a window, or None if it must be computed here."""
    if window_fn is None:
        return ""
    if window_fn in (hann_window, hamming_window):
        return _NAMES[window_fn.__name__]
    return None


def _power_of_two(length):
    return 1 << (int(length) - 1).bit_length() if length > 0 else 1


@public("signal.stft")
def stft(
    signals,
    frame_length,
    frame_step,
    fft_length=None,
    window_fn=hann_window,
    pad_end=False,
    name=None,
) -> Tensor:
    """The Fourier transforms of overlapping frames."""
    signals, frame_length = _core.to_tensor(signals), int(frame_length)
    length = _power_of_two(frame_length) if fft_length is None else int(fft_length)
    window = _named_window(window_fn)
    if window is not None:
        return raw_ops.Stft(
            signals=signals,
            frame_length=frame_length,
            frame_step=frame_step,
            fft_length=length,
            window=window,
            pad_end=pad_end,
            name=name,
        )
    return _windowed_stft(signals, frame_length, frame_step, length, window_fn, pad_end, name)


@scoped("stft")
def _windowed_stft(signals, frame_length, frame_step, length, window_fn, pad_end, name):
    frames = raw_ops.Frame(
        signal=signals, frame_length=frame_length, frame_step=frame_step, pad_end=pad_end
    )
    return rfft(frames * window_fn(frame_length, dtype=signals.dtype), [length])


@public("signal.inverse_stft")
@scoped("inverse_stft")
def inverse_stft(
    stfts, frame_length, frame_step, fft_length=None, window_fn=hann_window, name=None
) -> Tensor:
    """The signal of the Fourier transforms of overlapping frames."""
    stfts, frame_length = _core.to_tensor(stfts), int(frame_length)
    length = _power_of_two(frame_length) if fft_length is None else int(fft_length)
    frames = irfft(stfts, [length])
    if length > frame_length:
        frames = frames[..., :frame_length]
    elif length < frame_length:
        spare = [[0, 0]] * (frames.ndim - 1) + [[0, frame_length - length]]
        frames = raw_ops.PadV2(input=frames, paddings=spare, constant_values=0)
    if window_fn is not None:
        frames = frames * window_fn(frame_length, dtype=frames.dtype)
    return raw_ops.OverlapAndAdd(signal=frames, frame_step=frame_step)


@public("signal.inverse_stft_window_fn")
@scoped("inverse_stft_window_fn")
def inverse_stft_window_fn(frame_step, forward_window_fn=hann_window, name=None):
    """A window with which inverse_stft undoes stft exactly."""

    def inverse_window(frame_length, dtype):
        window = forward_window_fn(frame_length, dtype=dtype)
        overlaps = -(-int(frame_length) // int(frame_step))
        spare = overlaps * int(frame_step) - int(frame_length)
        squares = raw_ops.Square(x=window)
        squares = raw_ops.PadV2(input=squares, paddings=[[0, spare]], constant_values=0)
        squares = raw_ops.Reshape(tensor=squares, shape=[overlaps, frame_step])
        sums = raw_ops.Sum(input=squares, axis=[0], keepdims=True)
        sums = raw_ops.Tile(input=sums, multiples=[overlaps, 1])
        return window / raw_ops.Reshape(tensor=sums, shape=[-1])[:frame_length]

    return inverse_window


@public("signal.linear_to_mel_weight_matrix")
@scoped("linear_to_mel_weight_matrix")
def linear_to_mel_weight_matrix(
    num_mel_bins=20,
    num_spectrogram_bins=129,
    sample_rate=8000,
    lower_edge_hertz=125.0,
    upper_edge_hertz=3800.0,
    dtype=dtypes.float32,
    name=None,
) -> Tensor:
    """The weights with which bins of frequencies make bins of the mel scale."""
    rate = float(sample_rate)
    if num_mel_bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {num_mel_bins}")
    if not 0 <= lower_edge_hertz < upper_edge_hertz:
        raise ValueError(
            f"lower_edge_hertz {lower_edge_hertz:.1f} >= upper_edge_hertz {upper_edge_hertz:.1f}"
        )
    if upper_edge_hertz > rate / 2:
        raise ValueError(
            "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
            f"Got {upper_edge_hertz} for sample_rate: {rate}"
        )
    with booked(48 * num_mel_bins * num_spectrogram_bins, "linear_to_mel_weight_matrix"):
        edges = (lower_edge_hertz, upper_edge_hertz)
        weights = _mel_weights(num_mel_bins, num_spectrogram_bins, rate, edges)
        tensor = _core.to_tensor(weights, dtypes.as_dtype(dtype))
        return node_of(tensor, tensor.dtype, name)


def _mel_weights(num_mel_bins, num_spectrogram_bins, rate, range_):
    import numpy as np

    def mel(hertz):
        return 1127.0 * np.log1p(np.asarray(hertz) / 700.0)

    # The first bin, of frequency 0, belongs to no mel bin.
    bins = mel(np.linspace(0, rate / 2, num_spectrogram_bins)[1:])[:, None]
    edges = np.linspace(*mel(range_), num_mel_bins + 2)
    low, centre, high = edges[None, :-2], edges[None, 1:-1], edges[None, 2:]
    rising, falling = (bins - low) / (centre - low), (high - bins) / (high - centre)
    return np.pad(np.maximum(0, np.minimum(rising, falling)), [[1, 0], [0, 0]])


@public("signal.mfccs_from_log_mel_spectrograms")
@scoped("mfccs_from_log_mel_spectrograms", "mul_1")
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms, name=None) -> Tensor:
    """Mel-frequency cepstral coefficients."""
    value = _core.to_tensor(log_mel_spectrograms)
    size = size_of(value, -1)
    if isinstance(size, int):
        return raw_ops.Dct(input=value, type=2) * (2 * size) ** -0.5
    return raw_ops.Dct(input=value, type=2) * raw_ops.Rsqrt(x=cast(2 * size, value.dtype))


@public("signal.mdct")
@scoped("mdct")
def mdct(signals, frame_length, window_fn=vorbis_window, pad_end=False, norm=None, name=None):
    """The modified cosine transform of frames that overlap by half."""
    frame_length, half = _half_frame(frame_length, norm)
    frames = raw_ops.Frame(
        signal=signals, frame_length=frame_length, frame_step=half, pad_end=pad_end
    )
    frames = frames * _overlap_window(window_fn, frame_length, frames.dtype)
    a, b, c, d = raw_ops.Split(value=frames, num_split=4, axis=-1)
    folded = raw_ops.ConcatV2(values=[-_turned(c) - d, a - _turned(b)], axis=-1)
    return raw_ops.Dct(input=folded, type=4, norm=norm or "")


@public("signal.inverse_mdct")
@scoped("inverse_mdct")
def inverse_mdct(mdcts, window_fn=vorbis_window, norm=None, name=None):
    """The signal whose frames have these modified cosine transforms."""
    mdcts = _core.to_tensor(mdcts)
    if mdcts.shape[-1] is None:
        raise ValueError("inverse_mdct needs a frame length that is known: the last size is not")
    frame_length, half = _half_frame(2 * mdcts.shape[-1], norm)
    folded = raw_ops.Dct(input=mdcts, type=4, norm=norm or "")
    if norm is None:
        folded = folded * (0.5 / half)
    first, second = raw_ops.Split(value=folded, num_split=2, axis=-1)
    parts = [second, -_turned(second), -_turned(first), -first]
    frames = raw_ops.ConcatV2(values=parts, axis=-1)
    frames = frames * _overlap_window(window_fn, frame_length, frames.dtype)
    return raw_ops.OverlapAndAdd(signal=frames, frame_step=half)


def _overlap_window(window_fn, frame_length, dtype):
    """A window whose squares, half a frame apart, add up to 1. None is the flat one."""
    return 0.5**0.5 if window_fn is None else window_fn(frame_length, dtype=dtype)


def _half_frame(frame_length, norm):
    frame_length = int(frame_length)
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")
    if frame_length % 4:
        raise ValueError("The frame length must be a multiple of 4.")
    return frame_length, frame_length // 2


def _turned(value):
    return raw_ops.ReverseV2(tensor=value, axis=[-1])
