// memory: what every sample of an op takes, to the byte.
//
//   - a call allocates its outputs and the scratch that infer declares, and nothing else;
//   - its kernel does not touch the heap;
//   - an input that the op can overwrite, once handed over, is: the result is in its place, one
//     buffer less is allocated, and the bits are those of an ordinary call. Every forward that an
//     op declares is met by a sample, and an elementwise op can overwrite one of those that fit.
//
// A composed op takes what the ops it is made of take.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

#include <penstock/base/small_vector.h>
#include <penstock/memory/buffer.h>
#include <penstock/memory/memory.h>
#include <penstock/ops/context.h>

#include "call.h"

namespace {

std::atomic<int64_t> g_heap_calls{0};

}  // namespace

#if !defined(PENSTOCK_SANITIZE_ADDRESS) && !defined(PENSTOCK_SANITIZE_THREAD)
// operator new comes down to these; glibc's own are under the names that interposing leaves alone.
extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

void* malloc(size_t bytes) {
  g_heap_calls.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  g_heap_calls.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, bytes);
}
void* realloc(void* block, size_t bytes) {
  g_heap_calls.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(block, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  g_heap_calls.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** block, size_t alignment, size_t bytes) {
  g_heap_calls.fetch_add(1, std::memory_order_relaxed);
  *block = __libc_memalign(alignment, bytes);
  return *block == nullptr ? 12 : 0;  // ENOMEM
}
}
#endif

namespace penstock::op_check {
namespace {

// The result of infer for a call.
struct Spec {
  std::vector<OutputSpec> outputs;
  int64_t scratch = 0;

  int64_t bytes(size_t i) const {
    const OutputSpec& spec = outputs[i];
    return spec.shares_input >= 0 ? 0 : spec.shape.num_bytes(dtype_size(spec.dtype));
  }
  int64_t all_bytes() const {
    int64_t sum = scratch;
    for (size_t i = 0; i < outputs.size(); ++i) sum += bytes(i);
    return sum;
  }
};

class Check {
 public:
  int64_t samples = 0;
  int64_t overwritten = 0;
  int64_t failures = 0;

  void run(const Op& op) {
    if (op.def->compose != nullptr) return;
    met_.clear();
    for (const Call& call : calls_of(op)) {
      ++samples;
      try {
        run_sample(call);
      } catch (const std::exception& error) {
        fail(call.describe(), error.what());
      }
    }
    for (const Forward& forward : op.def->forwards) {
      if (met_.contains({forward.input, forward.output})) continue;
      fail(op.def->name.value, cat("no sample has its input ", int{forward.input},
                                   " overwritten by output ", int{forward.output}));
    }
  }

 private:
  void fail(std::string_view what, std::string_view problem) {
    ++failures;
    std::printf("FAILED %.*s: %.*s\n", static_cast<int>(what.size()), what.data(),
                static_cast<int>(problem.size()), problem.data());
  }

  void run_sample(const Call& call) {
    const SmallVector<Attr, 8> attrs = in_order(*call.op.def, call.attrs());
    const Spec spec = infer(call, attrs);
    check_bytes(call, spec);
    check_heap(call, attrs, spec);
    for (size_t o = 0; o < spec.outputs.size(); ++o) check_forwards(call, spec, o);
  }

  static Spec infer(const Call& call, Attrs attrs) {
    std::vector<View> views;
    for (const Tensor& input : call.inputs) views.push_back(input.view());
    InferContext context(*call.op.def, views, attrs);
    call.op.def->infer(context);
    return {{context.outputs().begin(), context.outputs().end()}, context.scratch_bytes()};
  }

  // The text of strings is no part of a tensor's bytes, and outputs whose size is not known before
  // may be moved to smaller buffers at the end.
  static bool has_loose_ends(const Call& call, const Spec& spec) {
    if (call.op.def->traits.has(Trait::kDynamicShape)) return true;
    for (const OutputSpec& output : spec.outputs) {
      if (output.dtype == DType::kString) return true;
    }
    return false;
  }

  void check_bytes(const Call& call, const Spec& spec) {
    static_cast<void>(call.run());  // what is made once is made
    const int64_t held = memory::info().current;
    const int64_t total = memory::info().total;
    memory::reset_peak();
    {
      const Tensors outputs = call.run();
      const int64_t allocated = memory::info().total - total;
      if (allocated != spec.all_bytes() && !has_loose_ends(call, spec)) {
        fail(call.describe(),
             cat("allocated ", allocated, " bytes for outputs and scratch of ", spec.all_bytes()));
      }
      if (memory::info().peak > held + allocated) fail(call.describe(), "the peak is too high");
    }
    if (memory::info().current != held)
      fail(call.describe(), cat("holds ", memory::info().current - held, " bytes more at its end"));
  }

  // Runs the kernel by itself, over memory that is there before.
  void check_heap(const Call& call, Attrs attrs, const Spec& spec) {
    if (call.op.def->cpu == nullptr || has_loose_ends(call, spec)) return;
    if (call.op.def->traits.has(Trait::kUsesHeap)) return;
    std::vector<View> in;
    for (const Tensor& input : call.inputs) in.push_back(input.view());
    std::vector<Tensor> outputs;
    std::vector<View> out;
    for (const OutputSpec& output : spec.outputs) {
      if (output.shares_input >= 0) return;
      outputs.push_back(Tensor::empty(output.dtype, output.shape));
      out.push_back(outputs.back().view());
    }
    const Tensor scratch = Tensor::empty(DType::kUInt8, Shape{spec.scratch}, Tag::kWorkspace);
    const int64_t before = g_heap_calls;
    const KernelResult result =
        call.op.def->cpu({in, out, attrs, spec.scratch > 0 ? scratch.raw() : nullptr});
    const int64_t calls = g_heap_calls - before;
    if (result.problem != nullptr) fail(call.describe(), result.problem);
    if (calls != 0) fail(call.describe(), cat("its kernel called the heap ", calls, " times"));
  }

  static bool declares(const OpDef& op, size_t input, size_t output) {
    for (const Forward& forward : op.forwards) {
      if (forward.input == input && forward.output == output) return true;
    }
    return false;
  }

  void check_forwards(const Call& call, const Spec& spec, size_t o) {
    const OpDef& op = *call.op.def;
    const OutputSpec& output = spec.outputs[o];
    if (output.shares_input >= 0 || output.dtype == DType::kString) return;
    int fitting = 0;
    int declared = 0;
    for (size_t i = 0; i < std::min(call.inputs.size(), op.inputs.size()); ++i) {
      const Tensor& input = call.inputs[i];
      if (output.dtype != input.dtype() || !(output.shape == input.shape())) continue;
      ++fitting;
      if (!declares(op, i, o)) continue;
      ++declared;
      check_forward(call, spec, i, o);
    }
    if (op.traits.has(Trait::kElementwise) && fitting > 0 && declared == 0)
      fail(call.describe(), cat("elementwise, but no input is overwritten by output ", o));
  }

  void check_forward(const Call& call, const Spec& spec, size_t i, size_t o) {
    const OpDef& op = *call.op.def;
    const Tensor& input = call.inputs[i];
    met_.insert({i, o});
    ++overwritten;
    const Tensors expected = call.run();
    std::vector<Tensor> inputs = call.inputs;
    inputs[i] = copy_of(input);
    const void* place = inputs[i].raw();
    const int64_t total = memory::info().total;
    const Tensors outputs = penstock::call(op, inputs, call.attrs(), uint64_t{1} << i);
    const int64_t allocated = memory::info().total - total;
    if (outputs[o].raw() != place) fail(call.describe(), cat("input ", i, " was not overwritten"));
    if (allocated != spec.all_bytes() - spec.bytes(o))
      fail(call.describe(), cat("allocated ", allocated, " bytes with input ", i, " handed over"));
    if (op.traits.has(Trait::kStateful)) return;
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (!same_contents(outputs[k], expected[k]))
        fail(call.describe(), cat("gives other bits over input ", i));
    }
  }

  static Tensor copy_of(const Tensor& tensor) {
    Tensor copy = Tensor::empty(tensor.dtype(), tensor.shape());
    if (tensor.num_bytes() > 0)
      std::memcpy(copy.raw(), tensor.raw(), static_cast<size_t>(tensor.num_bytes()));
    return copy;
  }

  std::set<std::pair<size_t, size_t>> met_;  // forwards of the op that a sample has shown
};

}  // namespace

int run_memory(const Options& options) {
  Check check;
  for (const Op& op : options.ops) check.run(op);
  std::printf("op_check memory: %lld samples, %lld inputs overwritten, %lld failed\n",
              static_cast<long long>(check.samples), static_cast<long long>(check.overwritten),
              static_cast<long long>(check.failures));
  return check.failures == 0 ? 0 : 1;
}

}  // namespace penstock::op_check
