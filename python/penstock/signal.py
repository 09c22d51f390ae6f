"""tf.signal: mostly ops under their public names (see _api/ops.txt)."""

from penstock import _api
from penstock._ops.signal import (
    hamming_window,
    hann_window,
    inverse_mdct,
    inverse_stft,
    inverse_stft_window_fn,
    irfft,
    irfft2d,
    irfft3d,
    kaiser_bessel_derived_window,
    kaiser_window,
    linear_to_mel_weight_matrix,
    mdct,
    mfccs_from_log_mel_spectrograms,
    rfft,
    rfft2d,
    rfft3d,
    stft,
    vorbis_window,
)

__all__ = [
    "hamming_window",
    "hann_window",
    "inverse_mdct",
    "inverse_stft",
    "inverse_stft_window_fn",
    "irfft",
    "irfft2d",
    "irfft3d",
    "kaiser_bessel_derived_window",
    "kaiser_window",
    "linear_to_mel_weight_matrix",
    "mdct",
    "mfccs_from_log_mel_spectrograms",
    "rfft",
    "rfft2d",
    "rfft3d",
    "stft",
    "vorbis_window",
]
__getattr__, __dir__ = _api.surface("signal")
