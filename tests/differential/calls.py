"""The calls that programs are made of, as templates (builder.py says what the slots mean)."""

from __future__ import annotations

from calls_on_arrays import SHAPES, TEXTS, lines

UNARY_FLOAT = (
    "exp log log1p expm1 sqrt rsqrt reciprocal sin cos tan asin acos atan sinh cosh asinh acosh atanh"
    " tanh sigmoid erf erfc lgamma digamma floor ceil rint softplus softsign log_sigmoid is_nan is_inf"
    " is_finite erfinv bessel_i0e bessel_i1 reciprocal_no_nan ndtri"
).split()
UNARY = "abs negative sign square round".split()
BINARY = (
    "add subtract multiply maximum minimum less less_equal greater greater_equal equal not_equal"
    " floordiv floormod squared_difference divide"
).split()
BINARY_FLOAT = (
    "pow atan2 divide_no_nan multiply_no_nan xlogy xdivy xlog1py nextafter igamma zeta".split()
)
ACTIVATIONS = (
    "relu relu6 elu selu gelu silu leaky_relu softplus softsign crelu tanh sigmoid".split()
)
REDUCTIONS = "reduce_sum reduce_mean reduce_prod reduce_max reduce_min".split()
REDUCTIONS_FLOAT = "reduce_logsumexp reduce_euclidean_norm reduce_std reduce_variance".split()

ELEMENTWISE = [
    *(f"tf.math.{name}(<f>)" for name in UNARY_FLOAT),
    *(f"tf.math.{name}(<m>)" for name in UNARY),
    *(f"tf.math.{name}(<n=a>, <near a>)" for name in BINARY),
    *(f"tf.math.{name}(<m=a>, <near a>)" for name in BINARY),
    *(f"tf.math.{name}(<g=a>, <near a>)" for name in BINARY_FLOAT),
    *(f"tf.nn.{name}(<f=a>)" for name in ACTIVATIONS),
    *(f"<n=a> {op} <near a>" for op in ("+", "-", "*", "/", "//", "%", "<", ">=", "==", "!=")),
    *(f"<py a> {op} <n=a>".replace("<py a> ", "2 ") for op in ("+", "-", "*", "/", "//", "%")),
    *lines("""
    -<m>
    abs(<m>)
    <g=a> ** <one 2|3|0.5|2.0|-1>
    <j=a> ** <one 2|3|0>
    <n=a> + <m=b>
    <f=a> * <near a> + <near a>
    <b=a> & <near a>
    <b=a> | <near a>
    <b=a> ^ <near a>
    ~<b>
    tf.math.logical_and(<b=a>, <near a>)
    tf.math.logical_xor(<b=a>, <near a>)
    tf.logical_not(<b>)
    tf.bitwise.bitwise_and(<i=a>, <like a>)
    tf.bitwise.bitwise_xor(<i=a>, <like a>)
    tf.bitwise.invert(<i>)
    tf.bitwise.left_shift(<i=a>, <py a>)
    tf.bitwise.right_shift(<i=a>, <py a>)
    tf.cast(<m>, <dtype m>)
    tf.cast(<n>, <dtype z>)
    tf.cast(<b>, <dtype m>)
    tf.saturate_cast(<f>, <dtype i>)
    tf.bitcast(<new float32 2,3>, <one tf.int32|tf.uint8|tf.int16|tf.float32>)
    tf.complex(<g=a>, <like a>)
    tf.math.real(<z>)
    tf.math.imag(<c>)
    tf.math.conj(<z>)
    tf.math.angle(<z>)
    tf.abs(<c>)
    <c=a> * <near a>
    tf.exp(<c>)
    tf.math.truediv(<n=a>, <near a>)
    tf.truncatediv(<j=a>, <near a>)
    tf.truncatemod(<n=a>, <near a>)
    tf.clip_by_value(<n=a>, <one -1|0>, <one 1|2>)
    tf.clip_by_value(<f=a>, -0.5, <num>)
    tf.where(<b=a>, <of float32 a>, <of float32 a>)
    tf.where(<b=a>, <num>, <of float32 a>)
    tf.where(<n=a> > 0, <like a>, <near a>)
    tf.where(<b1+>)
    tf.where(<n1+>)
    tf.add_n([<n=a>, <like a>, <like a>])
    tf.math.accumulate_n([<f=a>, <like a>])
    tf.math.polyval([<f=a>, <like a>, <num>], <like a>)
    tf.math.scalar_mul(<num>, <f>)
    tf.math.cumsum(<n=a>, axis=<axis a>, exclusive=<flag>, reverse=<flag>)
    tf.math.cumprod(<n=a>, <axis a>, reverse=<flag>)
    tf.math.cumulative_logsumexp(<g1+=a>, <axis a>)
    tf.nn.leaky_relu(<f>, <num>)
    tf.nn.gelu(<f>, approximate=<flag>)
    tf.stop_gradient(<x>)
    tf.identity(<x>)
    tf.math.betainc(<new float32 3>, <new float32 3>, <new float32 3>)
    tf.math.special.<one dawsn|expint|fresnel_cos|spence|bessel_j0|bessel_k0e>(<g>)
    tf.math.special.<one fresnel_sin|bessel_j1|bessel_k0|bessel_k1|bessel_k1e|bessel_y0|bessel_y1|bessel_i0>(<g>)
    tf.math.<one bessel_i0|bessel_i1e|erfcinv|lbeta>(<g1+>)
    tf.math.igammac(<g=a>, <near a>)
    tf.math.polygamma(<g=a>, <near a>)
    tf.math.logical_or(<b=a>, <near a>)
    tf.bitwise.bitwise_or(<i=a>, <like a>)
    tf.realdiv(<f=a>, <near a>)
    tf.identity_n([<x=a>, <x=b>])
    tf.grad_pass_through(tf.round)(<f>)
    tf.cast(<c>, <one tf.float32|tf.complex128|tf.int32>)
    <z=a> - <near a>
    <c=a> / <near a>
    tf.math.<one square|sqrt|log|tanh|sigmoid|reciprocal|sin|negative|sign>(<c>)
    tf.abs(<c=a>) + tf.math.real(<ref a>)
    tf.quantization.fake_quant_with_min_max_vars(<new float32 4>, <num>, 4.0, num_bits=<int 2 8>)
    tf.debugging.check_numerics(<f>, 'bad')
    tf.get_static_value(<n>)
    """),
]

REDUCED = [
    *(f"tf.{name}(<n=a>, axis=<axes a>, keepdims=<flag>)" for name in REDUCTIONS),
    *(f"tf.{name}(<m=a>, <axes a>)" for name in REDUCTIONS),
    *(f"tf.math.{name}(<g=a>, <axes a>, <flag>)" for name in REDUCTIONS_FLOAT),
    *lines("""
    tf.reduce_sum(<z>)
    tf.reduce_all(<b=a>, <axes a>)
    tf.reduce_any(<b=a>, <axes a>, keepdims=True)
    tf.argmax(<n1+=a>, axis=<axis a>)
    tf.argmin(<n1+=a>, <axis a>, output_type=<one tf.int32|tf.int64>)
    tf.argmax(<n1+>)
    tf.math.count_nonzero(<m=a>, axis=<axes a>)
    tf.math.zero_fraction(<g>)
    tf.norm(<g=a>, ord=<one 1|2|np.inf|'euclidean'|3>, axis=<axis a>)
    tf.norm(<g>)
    tf.linalg.normalize(<g1+=a>, axis=<axis a>)
    tf.nn.l2_normalize(<g1+=a>, <axis a>)
    tf.nn.moments(<f1+=a>, [0], keepdims=<flag>)
    tf.nn.softmax(<f1+=a>, axis=<axis a>)
    tf.nn.softmax(<f1+>)
    tf.nn.log_softmax(<f1+=a>, <axis a>)
    tf.math.top_k(<n1+>, k=<int 1 2>)
    tf.sort(<n1+=a>, axis=<axis a>, direction=<one 'ASCENDING'|'DESCENDING'>)
    tf.argsort(<n1+=a>, <axis a>, stable=True)
    tf.math.segment_sum(<n1+=a>, sorted(<lit a0 0 3>))
    tf.math.segment_mean(<f1+=a>, sorted(<lit a0 0 2>))
    tf.math.segment_max(<n1+=a>, sorted(<lit a0 0 2>))
    tf.math.unsorted_segment_sum(<n1+=a>, <lit a0 -1 3>, <int 3 4>)
    tf.math.unsorted_segment_mean(<f1+=a>, <lit a0 -1 3>, 4)
    tf.math.unsorted_segment_max(<n1+=a>, <lit a0 0 3>, 4)
    tf.math.unsorted_segment_prod(<f1+=a>, <lit a0 0 2>, 3)
    tf.math.bincount(<lit 5 0 4>, minlength=<int 0 6>)
    tf.math.bincount(<lit 5 0 4>, weights=<new float32 5>)
    tf.math.confusion_matrix(<lit 4 0 2>, <lit 4 0 2>, num_classes=3)
    tf.math.reduce_mean(<c>)
    tf.unique(<n1>)
    tf.unique_with_counts(<n1>)
    tf.searchsorted(tf.sort(<n1>), <new float32 ?>)
    tf.searchsorted([1.0, 2.0, 4.0], <new float32 ?>, side=<one 'left'|'right'>)
    tf.histogram_fixed_width(<g>, [-2.0, 2.0], nbins=<int 1 5>)
    tf.math.in_top_k(<lit 3 0 3>, <new float32 3,4>, <int 1 3>)
    tf.math.invert_permutation([2, 0, 1])
    tf.clip_by_norm(<f=a>, <one 1.0|2.0|0.5>)
    tf.clip_by_global_norm([<g=a>, <like a>], <one 1.0|2.0>)
    tf.linalg.global_norm([<g=a>, <like a>])
    tf.math.is_strictly_increasing(<n>)
    tf.math.is_non_decreasing(<n>)
    tf.math.segment_min(<n1+=a>, sorted(<lit a0 0 2>))
    tf.math.segment_prod(<n1+=a>, sorted(<lit a0 0 3>))
    tf.math.unsorted_segment_min(<n1+=a>, <lit a0 -1 3>, 4)
    tf.math.unsorted_segment_sqrt_n(<f1+=a>, <lit a0 0 2>, 3)
    tf.histogram_fixed_width_bins(<g>, [-1.0, 2.0], <int 1 6>)
    tf.nn.sufficient_statistics(<g2=a>, [<axis a>])
    tf.nn.weighted_moments(<g1+=a>, [0], tf.abs(<like a>))
    tf.reduce_mean(<z=a>, <axes a>)
    tf.reduce_prod(<z=a>, <axes a>)
    tf.reduce_max(<m=a>, [<axis a>], True)
    tf.math.reduce_sum(<x=a>, <axes a>)
    tf.nn.softmax(<z=a>)
    tf.math.cumsum(<z=a>, <axis a>)
    tf.argmax(<x=a>, <axis a>)
    tf.sort(<m1+>, direction='DESCENDING')
    tf.math.top_k(<m1+>, <int 0 2>)
    tf.math.bincount(<j>, minlength=2, maxlength=<one 3|None>, dtype=<one tf.int64|tf.float32>)
    tf.math.bincount(<lit 2,3 0 3>, axis=<one -1|0>)
    """),
]

LINEAR = lines("""
    tf.matmul(<g2=a>, <of a a1,?>)
    tf.matmul(<f2=a>, <of a a0,?>, transpose_a=True)
    tf.matmul(<g2=a>, <of a ?,a1>, transpose_b=True)
    tf.matmul(<g3=a>, <of a a0,a2,?>)
    tf.matmul(<g3=a>, <of a a2,?>)
    tf.matmul(<j2=a>, <of a a1,?>)
    <f2=a> @ <of a a1,?>
    tf.linalg.matvec(<g2=a>, <of a a1>)
    tf.linalg.matmul(<c2=a>, <of a a0,?>, adjoint_a=True)
    tf.einsum('ij,jk->ik', <g2=a>, <of a a1,?>)
    tf.einsum('bij,bjk->bik', <g3=a>, <of a a0,a2,2>)
    tf.einsum('ij->ji', <n2>)
    tf.einsum('ij->', <g2>)
    tf.einsum('i,j->ij', <g1=a>, <of a ?>)
    tf.einsum('...ij,jk->...ik', <g2+=a>, <of a a-1,2>)
    tf.einsum('ii->i', <new float32 3,3>)
    tf.linalg.det(<new g 3,3>)
    tf.linalg.inv(<new g 3,3> + 6.0 * tf.eye(3, dtype=<one tf.float32|tf.float32|tf.float64>))
    tf.linalg.solve(<new float32 3,3> + 7.0 * tf.eye(3), <new float32 3,2>)
    tf.linalg.cholesky(tf.eye(3) * <one 4.0|2.0> + 0.25)
    tf.linalg.triangular_solve(tf.eye(3) + 0.5, <new float32 3,1>, lower=<flag>)
    tf.linalg.slogdet(<new float32 3,3> + 8.0 * tf.eye(3))
    tf.linalg.svd(<new float32 3,2>, compute_uv=False)
    tf.linalg.eigvalsh(tf.eye(3) + 0.5)
    tf.linalg.expm(<new float32 2,2> * 0.1)
    tf.linalg.adjoint(<z2+>)
    tf.linalg.matrix_transpose(<n2+>)
    tf.linalg.cross(<new float32 2,3>, <new float32 2,3>)
    tf.linalg.lstsq(<new float32 4,2> + tf.eye(4, 2) * 5.0, <new float32 4,1>)
    tf.linalg.logdet(tf.eye(2) * 3.0 + 0.5)
    tf.linalg.pinv(<new float32 3,2> + tf.eye(3, 2) * 5.0)
    tf.abs(tf.linalg.qr(<new float32 3,2> + tf.eye(3, 2) * 5.0)[1])
    tf.signal.fft(<c1+>)
    tf.signal.ifft(<c1+>)
    tf.signal.rfft(<new float32 2,8>)
    tf.signal.irfft(<new complex64 2,5>)
    tf.signal.rfft(<new float32 8>, [<one 4|8|12>])
    tf.signal.dct(<new float32 2,4>)
    tf.signal.frame(<new float32 9>, 4, 2, pad_end=<flag>)
    tf.signal.hann_window(<int 1 8>)
    tf.signal.fftshift(<n1+>)
    tf.signal.ifftshift(<n1+=a>, <axis a>)
    tf.signal.fft2d(<c2+>)
    tf.signal.ifft2d(<c2+>)
    tf.signal.fft3d(<c3+>)
    tf.signal.rfft2d(<new float32 2,4,4>)
    tf.signal.irfft2d(<new complex64 4,3>)
    tf.signal.idct(<new float32 2,4>)
    tf.signal.overlap_and_add(<new float32 3,4>, 2)
    tf.signal.stft(<new float32 16>, 8, 4, pad_end=<flag>)
    tf.signal.inverse_stft(<new complex64 3,5>, 8, 4)
    tf.signal.<one hamming_window|kaiser_window|vorbis_window>(<one 4|6|8>)
    tf.signal.linear_to_mel_weight_matrix(3, 5, 16.0, 0.5, 7.0)
    tf.signal.mfccs_from_log_mel_spectrograms(<new float32 2,4>)
    tf.linalg.cholesky_solve(tf.eye(3) * 2.0, <new float32 3,2>)
    tf.linalg.eigh(tf.eye(2) * 3.0 + 0.5)[0]
    tf.abs(tf.linalg.eigvals(tf.eye(2) * 3.0 + 0.5))
    tf.linalg.lu(<new float32 3,3> + 7.0 * tf.eye(3))
    tf.linalg.matrix_rank(<new float32 3,2>)
    tf.linalg.sqrtm(tf.eye(2) * 3.0 + 0.5)
    tf.linalg.logm(tf.cast(tf.eye(2) * 3.0 + 0.5, tf.complex64))
    tf.linalg.inv(<new c 2,2> + tf.cast(6.0 * tf.eye(2), tf.complex64))
    tf.matmul(<c2=a>, <of a a1,?>)
    tf.matmul(<m2=a>, <of a a1,?>)
    tf.matmul(<f2+=a>, <like a>, transpose_b=True)
    tf.matmul(<g2=a>, <g3=b>)
    tf.linalg.matvec(<g3=a>, <of a a2>, transpose_a=False)
    tf.einsum('ij,ij->i', <z2=a>, <like a>)
    tf.einsum('ijk,k->ji', <g3=a>, <of a a2>)
    tf.einsum('i,i', <g1=a>, <like a>)
    tf.tensordot(<g3=a>, <of a a2,a1,2>, [[2, 1], [0, 1]])
    tf.tensordot(<g1=a>, <of a ?>, 0)
    tf.norm(<c>)
    tf.norm(<g2=a>, ord=<one 'fro'|1|2|np.inf>, axis=[-2, -1], keepdims=<flag>)
    """)

NETWORK = lines("""
    tf.nn.conv2d(<new g ?,5,5,2>, <new float32 3,3,2,2>, <int 1 2>, <one 'SAME'|'VALID'>)
    tf.nn.conv2d(<new float32 2,6,5,1>, <new float32 2,3,1,3>, [1, 2, 1, 1], <one 'SAME'|'VALID'>, dilations=<one 1|1|2>)
    tf.nn.conv2d(<new float32 1,4,4,1>, <new float32 2,2,1,1>, 1, [[0, 0], [1, 0], [0, 1], [0, 0]])
    tf.nn.conv1d(<new float32 2,6,2>, <new float32 3,2,2>, <int 1 2>, <one 'SAME'|'VALID'>)
    tf.nn.conv3d(<new float32 1,3,3,3,1>, <new float32 2,2,2,1,2>, [1, 1, 1, 1, 1], <one 'SAME'|'VALID'>)
    tf.nn.conv2d_transpose(<new float32 1,3,3,2>, <new float32 2,2,1,2>, [1, 6, 6, 1], 2)
    tf.nn.conv1d_transpose(<new float32 1,3,2>, <new float32 2,1,2>, [1, 6, 1], 2)
    tf.nn.depthwise_conv2d(<new float32 1,5,5,2>, <new float32 3,3,2,2>, [1, <int 1 1>, 1, 1], <one 'SAME'|'VALID'>)
    tf.nn.separable_conv2d(<new float32 1,4,4,2>, <new float32 2,2,2,1>, <new float32 1,1,2,3>, [1, 1, 1, 1], 'SAME')
    tf.nn.convolution(<new float32 1,5,1>, <new float32 3,1,2>, padding=<one 'SAME'|'VALID'>)
    tf.nn.max_pool2d(<new g ?,4,5,2>, <int 1 3>, <int 1 2>, <one 'SAME'|'VALID'>)
    tf.nn.avg_pool2d(<new float32 2,4,5,1>, <int 1 3>, <int 1 2>, <one 'SAME'|'VALID'>)
    tf.nn.max_pool1d(<new float32 2,6,1>, 2, 2, <one 'SAME'|'VALID'>)
    tf.nn.avg_pool1d(<new float32 2,6,1>, 3, 1, <one 'SAME'|'VALID'>)
    tf.nn.max_pool3d(<new float32 1,3,4,3,1>, 2, 1, 'SAME')
    tf.nn.max_pool_with_argmax(<new float32 1,4,4,1>, 2, 2, 'VALID')
    tf.nn.pool(<new float32 1,5,1>, [2], <one 'MAX'|'AVG'>, padding='SAME')
    tf.nn.bias_add(<g2+=a>, <of a a-1>)
    tf.nn.batch_normalization(<g2=a>, <of a a1>, tf.abs(<of a a1>), <of a a1>, <of a a1>, 1e-3)
    tf.nn.softmax_cross_entropy_with_logits(<g2=a>, <like a>)
    tf.nn.sparse_softmax_cross_entropy_with_logits(<lit 3 0 3>, <new g 3,4>)
    tf.nn.sigmoid_cross_entropy_with_logits(labels=<g=a>, logits=<like a>)
    tf.nn.weighted_cross_entropy_with_logits(<g=a>, <like a>, 2.0)
    tf.nn.l2_loss(<f>)
    tf.nn.log_poisson_loss(<g=a>, <like a>)
    tf.nn.embedding_lookup(<new float32 4,3>, <lit 3 0 3>)
    tf.nn.embedding_lookup(<new float32 4,3>, <lit 2,2 0 3>)
    tf.nn.local_response_normalization(<new float32 1,2,2,4>, depth_radius=2)
    tf.losses.mean_squared_error(<g2=a>, <like a>)
    tf.losses.MeanSquaredError()(<g2=a>, <like a>)
    tf.losses.mean_absolute_error(<g2=a>, <like a>)
    tf.losses.Huber()(<g2=a>, <like a>)
    tf.losses.BinaryCrossentropy(from_logits=True)(tf.cast(<g2=a> > 0, tf.float32), <of float32 a>)
    tf.losses.CategoricalCrossentropy(from_logits=True)(tf.one_hot(<lit 3 0 2>, 3), <new float32 3,3>)
    tf.losses.SparseCategoricalCrossentropy(from_logits=True)(tf.constant(<lit 3 0 2>), <new float32 3,3>)
    tf.nn.dropout(<g=a>, 0.0)
    tf.nn.zero_fraction(<g>)
    tf.quantization.fake_quant_with_min_max_args(<new float32 4>, -2.0, 2.0)
    tf.random.stateless_uniform([<int 1 3>], seed=[<int 0 9>, 2])
    tf.random.stateless_normal([2, 2], [1, <int 0 9>])
    tf.random.stateless_uniform([3], [3, 4], 0, 10, tf.int32)
    tf.nn.max_pool(<new float32 1,4,4,2>, [1, 2, 2, 1], [1, 1, 2, 1], <one 'SAME'|'VALID'>)
    tf.nn.avg_pool(<new f 1,4,4,1>, 2, <int 1 3>, 'SAME')
    tf.nn.avg_pool3d(<new float32 1,3,4,3,1>, 2, 2, <one 'SAME'|'VALID'>)
    tf.nn.conv2d(<new f 1,4,4,2>, <new f 2,2,2,1>, 1, 'SAME')
    tf.nn.conv2d(<new float32 1,4,4,4>, <new float32 2,2,2,2>, 1, 'VALID')
    tf.nn.atrous_conv2d(<new float32 1,6,6,1>, <new float32 2,2,1,1>, 2, <one 'SAME'|'VALID'>)
    tf.nn.conv3d_transpose(<new float32 1,2,2,2,1>, <new float32 2,2,2,1,1>, [1, 4, 4, 4, 1], 2)
    tf.nn.conv_transpose(<new float32 1,3,1>, <new float32 2,1,1>, [1, 6, 1], 2)
    tf.nn.compute_average_loss(<new float32 4>, global_batch_size=<int 2 8>)
    tf.nn.scale_regularization_loss(<g>)
    tf.nn.embedding_lookup(<new float32 4,3>, <lit 2 0 3>, max_norm=<num>)
    tf.nn.softmax_cross_entropy_with_logits(<f2=a>, <like a>, axis=<axis a>)
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=<lit 2,2 0 2>, logits=<new f 2,2,3>)
    tf.nn.batch_norm_with_global_normalization(<new float32 1,2,2,2>, <new float32 2>, tf.abs(<new float32 2>), <new float32 2>, <new float32 2>, 1e-3, True)
    tf.nn.bias_add(<m2+=a>, <of a a-1>)
    tf.nn.relu(<m>)
    tf.nn.swish(<f>)
    tf.losses.<one MeanAbsoluteError|LogCosh|Poisson|KLDivergence|Hinge|SquaredHinge|CosineSimilarity>()(<g2=a>, <like a>)
    tf.losses.MeanSquaredError(reduction=<one 'sum'|'none'|None>)(<g2=a>, <like a>, sample_weight=<of a a0>)
    tf.losses.categorical_crossentropy(tf.one_hot(<lit 3 0 2>, 3), tf.nn.softmax(<new float32 3,3>))
    tf.losses.binary_crossentropy(tf.cast(<g2=a> > 0, tf.float32), tf.sigmoid(<of float32 a>), label_smoothing=0.1)
    tf.nn.dropout(<i=a>, 0.0)
    tf.nn.experimental.stateless_dropout(<g>, 0.5, seed=[1, <int 0 9>])
    """)

TOPICS = {
    "elementwise": (6, ELEMENTWISE),
    "reductions": (4, REDUCED),
    "shapes": (6, SHAPES),
    "linear": (2, LINEAR),
    "network": (2, NETWORK),
    "texts": (0.6, TEXTS),
}

# Calls that give a tensor of their argument's dtype and shape: the bodies of loops.
KEEPING = lines("""
    tf.nn.relu(<x>)
    tf.tanh(<x>)
    tf.sin(<x>) + 0.5
    <x> * 0.5 + 1.0
    <x> - tf.reduce_mean(<x>)
    tf.nn.softmax(<x>, axis=-1)
    tf.maximum(<x>, <y>)
    <x> + <y>
    <x> * <y> * 0.25
    tf.where(<x> > 0.0, <x>, <y>)
    tf.abs(<x>) - tf.cast(<i>, tf.float32)
    <x> / (1.0 + tf.square(<y>))
    tf.reshape(tf.reshape(<x>, [-1]), tf.shape(<x>))
    tf.cumsum(<x>, axis=-1) * 0.5
    tf.reverse(<x>, [-1])
    tf.roll(<x>, 1, -1)
    tf.clip_by_value(<x>, -1.0, 1.0)
    tf.sigmoid(<x>) * <y>
    """)
