"""Summaries: as messages of TensorFlow 1, and as event files hold them."""

NEEDS = "tensorboard"

SETUP = """
import glob, tempfile
v1 = tf.compat.v1
x = np.random.RandomState(0).randn(50).astype(np.float32)
image = np.random.RandomState(1).rand(4, 2, 3, 3).astype(np.float32)
def written(*calls, step=None):
    with tempfile.TemporaryDirectory() as folder:
        writer = tf.summary.create_file_writer(folder)
        with writer.as_default(step=step):
            for call in calls:
                call()
        writer.close()
        (path,) = glob.glob(folder + "/*")
        return events(path)
def events(path):
    found = []
    for event in v1.train.summary_iterator(path):
        for value in event.summary.value:
            data = value.metadata
            array = tf.make_ndarray(value.tensor) if value.HasField("tensor") else None
            if array is not None and data.plugin_data.plugin_name == "images":
                array = [bytes(each)[:4].hex() for each in array]
            about = [data.plugin_data.plugin_name, int(data.data_class), data.summary_description]
            found.append([value.tag, int(event.step), *about, array])
    return found
def histo(values):
    found = v1.Summary.FromString(v1.summary.histogram("h", values).numpy()).value[0].histo
    return [list(found.bucket_limit), list(found.bucket), found.min, found.max, found.num]
"""

CALLS = """
written(lambda: tf.summary.scalar("loss", 0.5, step=3))
written(lambda: tf.summary.scalar("loss", 0.5, step=3, description="text"))
written(lambda: tf.summary.scalar("loss", tf.constant(2, tf.int32), step=3))
written(lambda: tf.summary.scalar("loss", 0.5), step=7)
written(lambda: tf.summary.scalar("loss", 0.5, step=tf.constant(3, tf.int64)))
written(lambda: tf.summary.scalar("loss", 0.5, step=tf.Variable(3, dtype=tf.int64)))
written(lambda: tf.summary.scalar("loss", 0.5))
written(lambda: tf.summary.scalar("loss", [0.5, 1.0], step=1))
written(lambda: tf.summary.scalar("a/b c", 0.5, step=1))
written(lambda: tf.summary.histogram("h", x, step=1))
written(lambda: tf.summary.histogram("h", x, step=1, buckets=4))
written(lambda: tf.summary.histogram("h", [3.0, 3.0], step=1, buckets=4))
written(lambda: tf.summary.histogram("h", [], step=1, buckets=4))
written(lambda: tf.summary.histogram("h", [[1, 2], [2, 5]], step=1, buckets=3))
written(lambda: tf.summary.text("t", "hello", step=1))
written(lambda: tf.summary.text("t", ["a", "b"], step=1))
written(lambda: tf.summary.text("t", 3, step=1))
written(lambda: tf.summary.image("i", image, step=1))
written(lambda: tf.summary.image("i", image, step=1, max_outputs=1))
written(lambda: tf.summary.image("i", image[0], step=1))
written(lambda: tf.summary.write("w", [1.0, 2.0], step=1))
tf.summary.scalar("loss", 0.5, step=1)
tf.summary.scalar("loss", 0.5)
tf.summary.should_record_summaries()
tf.summary.experimental.get_step()
histo(x)
histo([])
histo([0.0, 0.0])
histo([1e30, -1e30, 1e-20])
histo([1, 2, 3])
histo([float("nan")])
v1.Summary.FromString(v1.summary.scalar("loss", 0.5).numpy()).value[0].tag
v1.Summary.FromString(v1.summary.scalar("a loss", 0.5).numpy()).value[0].tag
v1.Summary.FromString(v1.summary.scalar("loss", 0.5).numpy()).value[0].simple_value
v1.Summary.FromString(v1.summary.scalar("loss", 0.5, family="f").numpy()).value[0].tag
v1.summary.scalar("loss", [1.0, 2.0])
tf.make_ndarray(tf.make_tensor_proto([[1.5, 2.5]]))
tf.make_ndarray(tf.make_tensor_proto(["a", "b"]))
tf.make_ndarray(tf.make_tensor_proto(3, tf.int64))
tf.make_ndarray(tf.make_tensor_proto(1.0, shape=[2, 2]))
tf.make_tensor_proto([1.0, 2.0, 3.0], shape=[2])
tf.make_tensor_proto([1.0, 2.0, 3.0], shape=[3, 1], verify_shape=True)
tf.make_tensor_proto(1.0).dtype
"""
