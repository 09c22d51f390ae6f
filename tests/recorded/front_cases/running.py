"""tf.config, and what surrounds ops: Python functions as ops, dependencies, scopes, builds."""

SETUP = """
cpu = tf.config.list_physical_devices("CPU")[0]
c, e = tf.config, tf.config.experimental
x = tf.Variable(3.0)

def slope(function):
    with tf.GradientTape() as tape:
        y = function()
    return tape.gradient(y, x)

def entered(scope):
    with scope as found:
        return found
"""

CALLS = r"""
c.list_physical_devices("cpu")
[tuple(each) for each in c.list_physical_devices()]
[tuple(each) for each in c.list_logical_devices()]
repr(cpu)
repr(c.list_logical_devices()[0])
c.list_logical_devices("GPU")
c.get_visible_devices() == [cpu]
c.get_visible_devices("GPU")
c.set_visible_devices([], "GPU")
c.set_visible_devices("CPU:0")
c.set_visible_devices([cpu], "GPU")
c.get_logical_device_configuration(cpu)
c.set_logical_device_configuration("CPU:0", [c.LogicalDeviceConfiguration()])
tuple(c.LogicalDeviceConfiguration(memory_limit=5))
e.VirtualDeviceConfiguration is c.LogicalDeviceConfiguration
e.set_memory_growth("CPU:0", True)
e.get_device_details(cpu)
e.get_device_details("CPU")
e.list_physical_devices("GPU")
c.run_functions_eagerly(True); c.functions_run_eagerly()
c.run_functions_eagerly(False); c.functions_run_eagerly()
c.get_soft_device_placement()
c.set_soft_device_placement(True)
e.enable_tensor_float_32_execution(False); e.tensor_float_32_execution_enabled()
e.get_synchronous_execution()
c.optimizer.set_jit(True); c.optimizer.get_jit()
c.optimizer.set_jit("autoclustering"); c.optimizer.get_jit()
c.optimizer.set_jit(False); c.optimizer.get_jit()
e.get_memory_info("GPU:0")
e.get_memory_info("nosuch")
e.reset_memory_stats("GPU:0")
tf.test.is_built_with_cuda()
tf.test.is_built_with_gpu_support()
tf.test.is_built_with_rocm()
tf.test.gpu_device_name()
tf.sysconfig.get_build_info()["is_cuda_build"]
tf.version.VERSION.split(".")[0]
tf.get_logger().name
tf.timestamp().dtype.name
tf.timestamp() > 1e9
tf.no_op(name="a")
tf.group(1, [2], name="a")
entered(tf.control_dependencies([1]))
entered(tf.control_dependencies(None))
tf.control_dependencies(5)
called = []; entered(tf.control_dependencies([lambda: called.append(1)])); called
entered(tf.init_scope())
# Python functions
tf.py_function(lambda x: x * 2, [3.0], tf.float32)
tf.py_function(lambda x: x * 2, inp=[tf.constant(3)], Tout=tf.int32)
tf.py_function(lambda x: x * 2, [3], tf.float32)
tf.py_function(lambda x, y: x + y, [1.0, 2.0], tf.float32, name="sum")
tf.py_function(lambda x: (x, 2), [3.0], [tf.float32, tf.int32])
tf.py_function(lambda x: (x, x), [3.0], (tf.float32, tf.float64))
tf.py_function(lambda x: None, [3.0], [])
tf.py_function(lambda x: None, [3.0], tf.float32)
tf.py_function(lambda x: [x], [3.0], [tf.float32])
tf.py_function(lambda x: type(x).__name__, [3.0], tf.string)
tf.py_function(lambda: 1 / 0, [], tf.float32)
tf.py_function(lambda: int("a"), [], tf.float32)
tf.py_function(lambda: next(iter([])), [], tf.float32)
tf.py_function(lambda: {}["a"], [], tf.float32)
tf.py_function(lambda: tf.ones([2]) + tf.ones([3]), [], tf.float32)
tf.py_function(lambda x: "a", [3.0], tf.float32)
tf.py_function(lambda x: 1.5, [3.0], tf.int32)
tf.py_function(lambda x: x, 3.0, tf.float32)
tf.py_function(lambda x: x, [None], tf.float32)
tf.py_function(5, [3.0], tf.int32)
slope(lambda: tf.py_function(lambda a: a * a, [x], tf.float32))
tf.numpy_function(lambda x: x * 2, [tf.constant(3.0)], tf.float32)
tf.numpy_function(lambda x: type(x).__name__, [3.0], tf.string)
tf.numpy_function(lambda x: np.sin(x), [tf.constant([0.0])], tf.float32)
tf.numpy_function(lambda x: (x, x + 1), [tf.constant([1])], [tf.int32, tf.int32])
tf.numpy_function(lambda x: x, [x], tf.float32)
tf.numpy_function(lambda x: x, [tf.constant(["a"])], tf.string)
tf.numpy_function(lambda x: None, ["a"], [])
tf.numpy_function(lambda x: 3, [1], tf.int32)
tf.numpy_function(lambda: 1 / 0, [], tf.float32)
slope(lambda: tf.numpy_function(lambda a: a * a, [x], tf.float32))
"""
