"""Functions of numbers, matrices and texts under their public names: defaults and keywords."""

SETUP = """
a = tf.constant([0.25, 0.5, 0.75])
b = tf.constant([1.5, 2.5, 4.0])
i = tf.constant([7, -7, 9])
m = tf.constant([[4.0, 1.0], [1.0, 3.0]])
t = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
ids = tf.constant([0, 0, 2])
s = tf.constant(["Apple pie", "pear"])

def both(values):
    return [values[0], values[1]]
"""

CALLS = r"""
[tf.acos(a), tf.math.acosh(b), tf.asinh(a), tf.atanh(a)]
tf.math.acosh(0.5)
[tf.math.greater(b, 2.0), tf.less_equal(b, 2.5)]
tf.greater([1, 2], [2, 1], name="greater")
[tf.realdiv(a, b), tf.truncatediv(i, 2), tf.truncatemod(i, 2)]
tf.truncatediv(i, 0)
[tf.math.truediv(i, 2), tf.truediv(1, 2), tf.truediv(a, b)]
[tf.scalar_mul(2.0, a), tf.math.scalar_mul(tf.constant(3.0), b)]
tf.scalar_mul([1.0, 2.0], a)
[tf.math.erfinv(a), tf.math.erfcinv(a), tf.math.ndtri(a)]
[tf.math.igamma(a, b), tf.math.igammac(a, b), tf.math.betainc(a, b, a)]
tf.math.betainc(0.5, 0.5, 2.0)
[tf.math.polygamma(1.0, b), tf.math.zeta(b, a), tf.math.lbeta(b)]
tf.math.lbeta([[1.0, 2.0], [3.0, 4.0]])
[tf.math.xdivy([0.0, 1.0], [0.0, 2.0]), tf.math.xlog1py([0.0, 1.0], [-1.0, 2.0])]
tf.math.nextafter(1.0, 2.0)
tf.math.nextafter(tf.constant(1.0, tf.float64), tf.constant(0.0, tf.float64))
tf.math.log_sigmoid([-100.0, 0.0, 100.0])
tf.math.accumulate_n([a, b, a])
tf.math.accumulate_n([])
tf.math.cumulative_logsumexp(b)
tf.math.cumulative_logsumexp(b, exclusive=True, reverse=True)
tf.math.invert_permutation([2, 0, 1])
tf.math.invert_permutation([2, 0, 0])
tf.math.is_non_decreasing([1, 1, 2])
[tf.math.is_strictly_increasing([1, 1, 2]), tf.math.is_strictly_increasing([])]
[tf.math.bessel_i0(b), tf.math.bessel_i0e(b), tf.math.bessel_i1(b), tf.math.bessel_i1e(b)]
[tf.math.special.bessel_j0(b), tf.math.special.bessel_j1(b)]
[tf.math.special.bessel_k0(b), tf.math.special.bessel_k0e(b), tf.math.special.bessel_k1(b)]
[tf.math.special.bessel_k1e(b), tf.math.special.bessel_y0(b), tf.math.special.bessel_y1(b)]
[tf.math.special.dawsn(a), tf.math.special.expint(a), tf.math.special.spence(a)]
[tf.math.special.fresnel_cos(a), tf.math.special.fresnel_sin(a)]
# segments
[tf.math.segment_max(t, ids), tf.math.segment_min(t, ids)]
[tf.math.segment_mean(t, ids), tf.math.segment_prod(t, ids)]
tf.math.segment_sum(t, [0, 2, 1])
tf.math.segment_sum(data=t, segment_ids=[0, 1])
[tf.math.unsorted_segment_max(t, ids, 3), tf.math.unsorted_segment_min(t, ids, 3)]
tf.math.unsorted_segment_mean(t, [2, 0, 2], num_segments=3)
tf.math.unsorted_segment_prod(t, [2, -1, 2], num_segments=3)
tf.math.unsorted_segment_sqrt_n(t, [1, 1, 1], 2)
tf.math.unsorted_segment_sum(t, [5, 0, 0], 2)
# arrays
tf.bitcast([1.0, 2.0], tf.int32)
tf.bitcast(tf.constant([1, 2], tf.int32), tf.int8)
tf.bitcast(tf.constant([1, 2, 3], tf.int8), tf.int32)
tf.dynamic_partition(t, [0, 1, 0], 2)
tf.dynamic_partition(t, [0, 2, 0], 2)
tf.get_static_value(a)
tf.get_static_value(5)
[tf.identity_n([a, i])[0], tf.identity_n([a, i])[1]]
tf.parallel_stack([a, b])
tf.reverse_sequence(t, [1, 2, 2], seq_axis=1, batch_axis=0)
tf.reverse_sequence(t, [1, 2, 3], seq_axis=1, batch_axis=0)
tf.shape_n([a, t])
tf.shape_n([a, t], out_type=tf.int64)
tf.strided_slice(t, [0, 0], [3, 2], [2, 1])
tf.strided_slice(t, [1], [3], shrink_axis_mask=1)
tf.strided_slice(t, [0, -1], [3, -3], [1, -1], end_mask=2)
tf.strided_slice(t, [0], [1], [0])
tf.tensor_scatter_nd_max(a, [[0], [1]], [9.0, -9.0])
tf.tensor_scatter_nd_min(tensor=a, indices=[[0], [1]], updates=[9.0, -9.0])
tf.unravel_index([5, 3], [2, 3])
tf.unravel_index([6], [2, 3])
tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5)
tf.space_to_batch(tf.reshape(tf.range(4.0), [1, 2, 2, 1]), [2, 2], [[0, 0], [0, 0]])
tf.batch_to_space(tf.reshape(tf.range(4.0), [4, 1, 1, 1]), [2, 2], [[0, 0], [0, 0]])
tf.nn.space_to_batch(tf.ones([1, 3, 2, 1]), [2, 2], [[0, 0], [0, 0]])
tf.required_space_to_batch_paddings([5, 5], [2, 3])
tf.extract_volume_patches(tf.ones([1, 2, 2, 2, 1]), [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], "VALID")
[tf.bitwise.bitwise_or([6], [3]), tf.bitwise.bitwise_xor([6], [3]), tf.bitwise.invert([6])]
[tf.bitwise.left_shift([6], [2]), tf.bitwise.right_shift([-6], [1])]
tf.bitwise.invert([1.0])
# matrices
tf.linalg.adjoint([[1 + 2j, 3 + 0j]])
tf.linalg.matrix_transpose(t)
tf.linalg.matrix_transpose([[1 + 2j, 3 + 0j]], conjugate=True)
tf.linalg.matrix_transpose(a)
tf.linalg.cholesky_solve(tf.linalg.cholesky(m), [[1.0], [2.0]])
tf.linalg.triangular_solve([[1.0, 0.0], [2.0, 3.0]], [[1.0], [2.0]])
tf.linalg.triangular_solve([[1.0, 2.0], [0.0, 3.0]], [[1.0], [2.0]], lower=False, adjoint=True)
tf.linalg.eigvalsh(m)
tf.linalg.eigh(m)[0]
tf.abs(tf.linalg.eigh(m)[1])
tf.math.real(tf.linalg.eigvals(m))
tf.linalg.eig(m)[0].dtype
tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]])
tf.math.real(tf.linalg.logm([[1 + 0j, 0j], [0j, 1 + 0j]]))
[tf.linalg.sqrtm(m), tf.matrix_square_root(m)]
[tf.linalg.logdet(m), both(tf.linalg.slogdet(-m))]
tf.linalg.global_norm([a, b])
tf.linalg.global_norm([a, None])
both(tf.linalg.lu(m))
tf.linalg.lu_reconstruct(*tf.linalg.lu(m))
tf.linalg.lu_solve(*tf.linalg.lu(m), rhs=[[1.0], [2.0]])
tf.linalg.lu_matrix_inverse(*tf.linalg.lu(m))
tf.linalg.lstsq(t, [[1.0], [2.0], [3.0]])
tf.linalg.lstsq(t, [[1.0], [2.0], [3.0]], l2_regularizer=0.5)
tf.linalg.lstsq(t, [[1.0], [2.0], [3.0]], fast=False)
[tf.linalg.matrix_rank(m), tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]])]
tf.linalg.pinv(t)
tf.abs(tf.linalg.qr(t)[1])
tf.linalg.qr(t, full_matrices=True)[0].shape
tf.linalg.svd(t)[0]
tf.linalg.svd(t, compute_uv=False)
tf.linalg.svd(t, full_matrices=True)[1].shape
tf.linalg.set_diag(t, [7.0, 8.0])
tf.linalg.set_diag(t, [7.0, 8.0], k=-1)
tf.linalg.set_diag(t, [7.0, 8.0, 9.0])
tf.linalg.diag_part(t, k=-1)
tf.linalg.diag_part(t, k=(-1, 0), padding_value=9.0, align="LEFT_RIGHT")
tf.linalg.tensor_diag([1, 2])
tf.linalg.tensor_diag_part(tf.eye(3))
both(tf.linalg.normalize(b))
both(tf.linalg.normalize(t, ord=1, axis=0))
tf.linalg.inv([[1.0, 2.0], [2.0, 4.0]])
tf.linalg.cholesky([[1.0, 2.0], [2.0, 1.0]])
tf.linalg.inv(t)
tf.linalg.solve(m, a)
tf.linalg.matvec(t, [1.0, 2.0])
tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
tf.linalg.cross(a[:2], b[:2])
# texts
[tf.strings.lower(s), tf.strings.upper(s)]
tf.strings.lower("Ä", encoding="utf-8")
tf.strings.reduce_join([["a", "b"], ["c", "d"]])
tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=0, separator="-", keepdims=True)
tf.strings.regex_full_match(s, "A.*e")
tf.strings.regex_full_match(s, "(")
tf.strings.regex_replace(s, "p+", "<\\0>")
tf.strings.regex_replace(s, "p", "-", replace_global=False)
tf.strings.substr(s, 1, 3)
tf.strings.substr(s, [0, -2], [2, 2])
tf.strings.substr("äbc", 0, 2, unit="UTF8_CHAR")
tf.strings.substr("abc", 7, 2)
tf.strings.to_hash_bucket(s, 100)
tf.strings.to_hash_bucket_fast(s, 100)
tf.strings.to_hash_bucket_strong(s, 100, [1, 2])
tf.strings.to_hash_bucket_fast(s, 0)
tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 2, separator=":")
tf.strings.strip([" a ", "b\n"])
tf.strings.to_number(["1", "x"])
tf.strings.to_number("12", tf.int64)
tf.strings.as_string([1.5, 2.25], precision=1)
tf.strings.as_string([True, False])
tf.strings.as_string([3], width=4, fill="0")
tf.strings.length("äb", unit="UTF8_CHAR")
tf.strings.length("äb", unit="nosuch")
tf.strings.join([["a", "b"], "c"], separator="-")
tf.strings.join([["a", "b"], ["c"]])
"""
