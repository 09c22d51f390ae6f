"""TensorFlow 1's flags and configuration messages."""

SETUP = """
import enum
v1 = tf.compat.v1
F = v1.flags
V = F.FlagValues()
F.DEFINE_string("name", "none", "A name.", flag_values=V)
F.DEFINE_integer("steps", 100, "Steps.", flag_values=V, short_name="s")
F.DEFINE_integer("small", 1, "A few.", lower_bound=0, upper_bound=10, flag_values=V)
F.DEFINE_float("rate", 0.5, "The rate.", flag_values=V)
F.DEFINE_bool("fast", False, "Whether fast.", flag_values=V)
F.DEFINE_boolean("slow", True, "Whether slow.", flag_values=V)
F.DEFINE_enum("mode", "train", ["train", "eval"], "The mode.", flag_values=V)
F.DEFINE_list("layers", "8,16", "The layers.", flag_values=V)
F.DEFINE_spaceseplist("words", "a b", "The words.", flag_values=V)
F.DEFINE_multi_string("path", ["x"], "Paths.", flag_values=V)
F.DEFINE_multi_integer("size", None, "Sizes.", flag_values=V)
F.DEFINE_string("empty", None, "Nothing.", flag_values=V)
class Kind(enum.Enum):
    ONE = 1
    TWO = 2
F.DEFINE_enum_class("kind", Kind.ONE, Kind, "A kind.", flag_values=V)
def with_verbosity(level):
    before = v1.logging.get_verbosity()
    v1.logging.set_verbosity(level)
    found = v1.logging.get_verbosity()
    v1.logging.set_verbosity(before)
    return found
def read(*arguments, known_only=False):
    return V(["program", *arguments], known_only=known_only)
"""

CALLS = """
read()
read(); [V.name, V.steps, V.rate, V.fast, V.slow, V.mode, V.layers, V.words, V.path, V.empty]
read("--name=x", "--rate", "0.25", "--fast", "--noslow"); [V.name, V.rate, V.fast, V.slow]
read("-steps", "7", "rest", "--fast=true"); [V.steps, V.fast]
read("a", "--steps=3", "b", "--", "--steps=4")
read("a", "--steps=3", "b", "--", "--steps=4"); V.steps
read("-s", "9"); V.steps
read("-s=9"); V.steps
read("--steps=0x10"); V.steps
read("--steps=-4"); V.steps
read("--steps=1.5")
read("--steps=text")
read("--steps=")
read("--steps")
read("--small=11")
read("--small=-1")
read("--rate=1"); V.rate
read("--rate=text")
read("--fast=maybe")
read("--fast=0"); V.fast
read("--nofast=1")
read("--fast", "false"); V.fast
read("--mode=eval"); V.mode
read("--mode=other")
read("--layers=1,2,3"); V.layers
read("--layers="); V.layers
read("--layers=a, b"); V.layers
read("--words=c d e"); V.words
read("--path=a", "--path=b"); V.path
read("--size=1", "--size=2"); V.size
read(); V.size
read("--kind=two"); V.kind.name
read("--kind=three")
read("--unknown=1")
read("--stps=1")
read("--unknown=1", known_only=True)
read("--unknown", "1", "--steps=2", known_only=True)
read("--name", "--fast"); V.name
V.name
V.nothing
read(); V.nothing
read(); V.steps = 12; V.steps
read(); V.other = 12
read("--steps=3"); V["steps"].value
read("--steps=3"); [V["steps"].default, V["steps"].present, V["name"].present]
"steps" in V
"other" in V
len(V)
V.is_parsed()
read(); V.is_parsed()
V.mark_as_parsed(); V.steps
read("--steps=3"); V.unparse_flags(); V.steps
V.set_default("steps", 8); read(); V.steps
read("--steps=3"); V.flag_values_dict()["steps"]
V([])
V("program")
F.DEFINE_string("name", "again", "A name.", flag_values=V)
F.DEFINE_string("two words", "x", "A name.", flag_values=V)
F.DEFINE_integer("wrong", "text", "A number.", flag_values=V)
F.DEFINE_enum("wrong", "c", ["a", "b"], "A choice.", flag_values=V)
F.DEFINE_integer("more", 4, "More.", flag_values=V); read("--more=6"); V.more
h = F.DEFINE_integer("more", 4, "", flag_values=V); read("--more=6"); [h.value, h.name, h.default]
F.mark_flag_as_required("empty", flag_values=V); read()
F.mark_flag_as_required("empty", flag_values=V); read("--empty=x"); V.empty
F.DEFINE_string("needed", None, "Needed.", flag_values=V, required=True); read()
F.register_validator("steps", lambda x: x > 0, "text", flag_values=V); read("--steps=-1")
F.register_validator("steps", lambda x: x > 0, flag_values=V); read(); V.steps = -1
F.register_validator("none", lambda x: x > 0, flag_values=V)
F.DEFINE_alias("alias", "steps", flag_values=V); read("--alias=6"); [V.alias, V.steps]
issubclass(F.IllegalFlagValueError, F.Error)
v1.ConfigProto(allow_soft_placement=True).allow_soft_placement
v1.ConfigProto().gpu_options.allow_growth
v1.GPUOptions(per_process_gpu_memory_fraction=0.25).per_process_gpu_memory_fraction
v1.ConfigProto(gpu_options=v1.GPUOptions(allow_growth=True)).gpu_options.allow_growth
c = v1.ConfigProto(); c.gpu_options.allow_growth = True; c.gpu_options.allow_growth
c = v1.ConfigProto(); c.gpu_options = v1.GPUOptions()
c = v1.ConfigProto(); c.nothing = 1
c = v1.ConfigProto(); c.nothing
c = v1.ConfigProto(); c.intra_op_parallelism_threads = 4; c.intra_op_parallelism_threads
c = v1.ConfigProto(); c.intra_op_parallelism_threads = 2**40
c = v1.ConfigProto(); c.intra_op_parallelism_threads = "4"
c = v1.ConfigProto(); c.intra_op_parallelism_threads = 1.5
c = v1.ConfigProto(); c.allow_soft_placement = 1; c.allow_soft_placement
c = v1.ConfigProto(); c.gpu_options.visible_device_list = "0,1"; c.gpu_options.visible_device_list
c = v1.ConfigProto(); c.gpu_options.visible_device_list = 3
v1.ConfigProto(nothing=1)
v1.ConfigProto(gpu_options=3)
v1.ConfigProto(gpu_options={"allow_growth": True}).gpu_options.allow_growth
v1.ConfigProto(device_count={"GPU": 0, "CPU": 2}).device_count["CPU"]
v1.ConfigProto(device_filters=["a"]).device_filters[0]
v1.ConfigProto() == v1.ConfigProto()
v1.ConfigProto(allow_soft_placement=True) == v1.ConfigProto()
v1.ConfigProto().HasField("gpu_options")
v1.ConfigProto(gpu_options=v1.GPUOptions(allow_growth=True)).HasField("gpu_options")
str(v1.ConfigProto(allow_soft_placement=True, gpu_options=v1.GPUOptions(allow_growth=True)))
str(v1.ConfigProto(inter_op_parallelism_threads=3))
v1.ConfigProto(allow_soft_placement=True, inter_op_parallelism_threads=3).SerializeToString().hex()
v1.GPUOptions(per_process_gpu_memory_fraction=0.3).SerializeToString().hex()
v1.ConfigProto(gpu_options=v1.GPUOptions(allow_growth=True)).SerializeToString().hex()
v1.ConfigProto(intra_op_parallelism_threads=-1).SerializeToString().hex()
v1.RunOptions.FromString(v1.RunOptions(timeout_in_ms=3).SerializeToString()).timeout_in_ms
v1.GraphOptions(optimizer_options=v1.OptimizerOptions(opt_level=-1)).optimizer_options.opt_level
v1.OptimizerOptions.L0
v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE).trace_level
v1.RunOptions(timeout_in_ms=10).timeout_in_ms
len(v1.RunMetadata().step_stats.dev_stats)
v1.Summary(value=[v1.Summary.Value(tag="a", simple_value=0.5)]).SerializeToString().hex()
v1.Summary(value=[v1.Summary.Value(tag="a", simple_value=0.0)]).SerializeToString().hex()
s = v1.Summary(); s.value.add(tag="b", simple_value=2); s.value[0].simple_value
v1.Summary.Value(tag="a", simple_value=0.1).simple_value
str(v1.Summary(value=[v1.Summary.Value(tag="a", simple_value=0.5)]))
v1.Summary(value=[3])
v1.Summary.Value(tag=3)
v1.Summary.Value(simple_value="x")
v1.Summary.Value(tag="a", simple_value=1.0).WhichOneof("value")
v1.Event(wall_time=1.5, step=3).SerializeToString().hex()
v1.HistogramProto(min=1.0, bucket=[1.0, 2.0]).SerializeToString().hex()
v1.logging.INFO
with_verbosity(v1.logging.ERROR)
sorted(name for name in dir(v1.gfile) if name[0].isupper())
"""
