"""tf.linalg, the @ operator and tf.einsum."""

SETUP = """
a = tf.constant([[4.0, 1.0], [2.0, 3.0]])
sp = tf.constant([[2.0, 0.5], [0.5, 1.0]])
rhs = tf.constant([[1.0], [2.0]])
vi = tf.Variable([1, 2])
"""

CALLS = r"""
tf.linalg.inv(a)
tf.linalg.inv(tf.zeros([2, 2]))
tf.linalg.inv(a[0])
tf.linalg.det(a)
tf.linalg.cholesky(sp)
tf.linalg.cholesky(-sp)
tf.linalg.solve(a, rhs)
tf.linalg.solve(a, rhs[:1])
tf.linalg.lstsq(a, rhs)
tf.linalg.qr(a).r.shape
tf.linalg.svd(a)[0]
tf.linalg.svd(a, compute_uv=False)
tf.linalg.eigh(sp)[0]
tf.linalg.eigvalsh(sp)
tf.linalg.logdet(sp)
tf.linalg.slogdet(a)
tf.linalg.trace(a)
tf.linalg.matmul(a, a, transpose_a=True)
tf.linalg.matmul(a, [1.0, 2.0])
tf.linalg.matvec(a, [1.0, 2.0])
a @ a
a @ [[1.0], [2.0]]
[[1.0, 2.0]] @ a
np.ones([1, 2], np.float32) @ a
a @ 2.0
a @ tf.ones([3, 2])
a @ tf.cast(a, tf.float64)
tf.matmul(vi, vi)
tf.matmul([[1, 2]], [[3], [4]])
tf.matmul([[1]], [[1.5]])
tf.linalg.norm(a)
tf.linalg.norm(a, ord=1)
tf.linalg.norm(a, ord="fro", axis=[0, 1])
tf.linalg.norm(a, axis=0)
tf.linalg.norm(a, ord=np.inf, axis=1, keepdims=True)
tf.linalg.norm(a, ord=0)
tf.norm([3.0, 4.0])
tf.linalg.diag([1, 2])
tf.linalg.diag_part(a)
tf.linalg.set_diag(a, [9.0, 9.0])
tf.linalg.band_part(a, 0, -1)
tf.linalg.pinv(a)
tf.linalg.matrix_rank(a)
tf.linalg.triangular_solve(a, rhs)
tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
tf.linalg.tensordot(a, a, [[0], [1]])
tf.linalg.einsum("ij,jk->ik", a, a)
tf.einsum("ij->ji", a)
tf.einsum("ij,ij->", a, a)
tf.einsum("ij,jk", a, a)
tf.einsum("ii->", a)
tf.einsum("i,j->k", a[0], a[0])
tf.eye(2)
tf.eye(2, 3, batch_shape=[1])
tf.linalg.adjoint(tf.constant([[1 + 1j]]))
tf.linalg.global_norm([a, a])
tf.linalg.lu(a)
tf.linalg.sqrtm(sp)
tf.linalg.normalize(a)
tf.linalg.l2_normalize(a, 0)
v @ [[1.0], [2.0], [3.0]]
"""
