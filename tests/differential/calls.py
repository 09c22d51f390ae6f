"""The calls that programs are made of, as templates (builder.py says what the slots mean)."""

from __future__ import annotations


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip() and line.strip()[0] != "#"]


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
    """),
]

SHAPES = lines("""
    tf.reshape(<x=a>, <newshape a>)
    tf.reshape(<n=a>, tf.constant(<newshape a>))
    tf.reshape(<n=a>, [-1])
    tf.reshape(<n1+=a>, [tf.shape(<ref a>)[0], -1])
    tf.transpose(<x=a>)
    tf.transpose(<n=a>, <perm a>)
    tf.expand_dims(<x=a>, <int -2 2>)
    tf.squeeze(<x=a>)
    tf.squeeze(<n=a>, axis=<axis a>)
    tf.concat([<x1+=a>, <like a>], axis=<axis a>)
    tf.concat([<n1+=a>, <like a>, <like a>], <axis a>)
    tf.stack([<x=a>, <like a>], axis=<int 0 1>)
    tf.unstack(<n1+=a>, axis=<axis a>)
    tf.split(<n1+=a>, <parts a>)
    tf.tile(<x=a>, <each a 0 3>)
    tf.repeat(<n=a>, <int 1 3>, axis=<one 0|-1>)
    tf.repeat(<n1+=a>, <lit a0 0 3>, axis=0)
    tf.broadcast_to(<x=a>, [2, *<ref a>.shape])
    tf.broadcast_to(<n=a>, tf.concat([[2], tf.shape(<ref a>)], 0))
    tf.pad(<n=a>, <pads a>)
    tf.pad(<n=a>, <pads a>, constant_values=<py a>)
    tf.pad(<n2+=a>, <pads a>, mode=<one 'REFLECT'|'SYMMETRIC'>)
    tf.reverse(<x1+=a>, [<axis a>])
    tf.roll(<x1+=a>, <int -2 3>, <axis a>)
    tf.slice(<x=a>, <begin a>)
    <x1+=a>[<index a>]
    <n2+=a>[<index a>]
    <n=a>[<index a>]
    tf.gather(<x1+=a>, <lit 3 0 1>)
    tf.gather(<n1+=a>, <lit 2,2 0 1>, axis=<axis a>)
    tf.gather(<n1+=a>, <int 0 1>, axis=<axis a>)
    tf.gather(<n2+=a>, <lit a0,2 0 1>, batch_dims=1)
    tf.gather(<n1+>, <new j 2>)
    tf.gather_nd(<n1+=a>, <lit 3,1 0 1>)
    tf.gather_nd(<n2+=a>, <lit 2,2 0 1>)
    tf.boolean_mask(<n1+=a>, <new bool a0>)
    tf.boolean_mask(<n=a>, <ref a> > 0)
    tf.scatter_nd(<lit 3,1 0 4>, <new n 3>, [<int 3 6>])
    tf.scatter_nd(<lit 2,1 0 2>, <new float32 2,3>, [3, 3])
    tf.tensor_scatter_nd_update(<n1=a>, <lit 2,1 0 1>, <of a 2>)
    tf.tensor_scatter_nd_add(<n1=a>, <lit 3,1 0 1>, <of a 3>)
    tf.tensor_scatter_nd_max(<n1=a>, <lit 2,1 0 1>, <of a 2>)
    tf.one_hot(<lit 4 -1 4>, <int 1 5>)
    tf.one_hot(<j=a>, 3, on_value=<num>, off_value=0.0, axis=<one -1|0>)
    tf.range(<int -2 3>, <int 2 8>, <one 1|2|3>)
    tf.range(<num>, 5.0, 0.75)
    tf.range(tf.shape(<n1+>)[0])
    tf.linspace(<num>, 4.0, <int 1 5>)
    tf.eye(<int 1 3>, <int 1 4>)
    tf.zeros_like(<x>)
    tf.ones_like(<m>)
    tf.ones_like(<n>, dtype=<dtype m>)
    tf.fill([2, <int 0 3>], <num>)
    tf.zeros(tf.shape(<n>))
    tf.ones([<int 0 3>, 2], <dtype m>)
    tf.shape(<x>)
    tf.shape(<x>, out_type=tf.int64)
    tf.size(<x>)
    tf.rank(<x>)
    tf.meshgrid(<n1>, <n1>)
    tf.meshgrid(<new float32 2>, <new float32 3>, indexing='ij')
    tf.sequence_mask(<lit 3 0 4>, <one 4|None|2>)
    tf.reverse_sequence(<new float32 3,4>, <lit 3 0 4>, seq_axis=1, batch_axis=0)
    tf.dynamic_partition(<n1=a>, <lit a0 0 1>, 2)
    tf.dynamic_stitch([[0, 2], [1, 3]], [<new float32 2,2>, <new float32 2,2>])
    tf.ensure_shape(<n=a>, <ref a>.shape)
    tf.unravel_index(<lit 3 0 5>, [2, 3])
    tf.linalg.diag(<n1+>)
    tf.linalg.diag(<n1>, k=<int -1 1>)
    tf.linalg.diag_part(<n2+>)
    tf.linalg.band_part(<n2+>, <int -1 1>, <int -1 1>)
    tf.linalg.tensor_diag(<n1>)
    tf.linalg.set_diag(<new float32 3,3>, <new float32 3>)
    tf.linalg.trace(<n2+>)
    tf.tensordot(<g2=a>, <of a a-1,?>, 1)
    tf.tensordot(<g1+=a>, <like a>, [[0], [0]])
    tf.space_to_batch(<new float32 1,4,4,1>, [2, 2], [[0, 0], [0, 0]])
    tf.batch_to_space(<new float32 4,2,2,1>, [2, 2], [[0, 0], [0, 0]])
    tf.nn.space_to_depth(<new float32 1,4,4,1>, 2)
    tf.nn.depth_to_space(<new float32 1,2,2,4>, 2)
    tf.strided_slice(<n2+=a>, [0, 0], [2, -1], [1, 1])
    tf.convert_to_tensor(<n>)
    tf.convert_to_tensor([<num>, <num>])
    tf.constant(<lit 2,2 0 5>, <dtype m>)
    tf.broadcast_dynamic_shape(tf.shape(<n=a>), tf.shape(<n=b>))
    tf.shape_n([<n=a>, <like a>])
    tf.nest.map_structure(lambda x: x + 1, [<n=a>, <like a>])
    """)

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
    """)

TEXTS = lines("""
    tf.strings.join([<s=a>, <like a>], separator=<one ''|'-'>)
    <s=a> + <near a>
    tf.strings.length(<s>)
    tf.strings.upper(<s>)
    tf.strings.lower(<s>)
    tf.strings.strip(<s>)
    tf.strings.substr(<s>, 0, <int 0 2>)
    tf.strings.reduce_join(<s1+=a>, axis=<axis a>, separator=',')
    tf.strings.regex_replace(<s>, '[a-z]', 'z')
    tf.strings.regex_full_match(<s>, '[a-z]+')
    tf.strings.as_string(<m>)
    tf.strings.as_string(<g>, precision=2)
    tf.strings.to_number(tf.constant(['1', '2.5']), tf.float32)
    tf.strings.to_hash_bucket_fast(<s>, 7)
    tf.strings.to_number(<s1>)
    <s=a> == <near a>
    tf.equal(<s=a>, <like a>)
    tf.where(<b=a>, <of string a>, <of string a>)
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
