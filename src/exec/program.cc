#include "exec/program.h"

#include <algorithm>
#include <cstring>

#include <penstock/base/check.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "exec/calls.h"
#include "exec/variable_state.h"
#include "ops/random_inputs.h"

namespace penstock::exec {

using Kind = Storage::Kind;

namespace {
// Counts the calls of restart_random_streams.
std::atomic<uint64_t> g_stream_epoch{0};
}  // namespace

// One run's Views and the addresses that they come from.
struct Program::Frame {
  Graph::List<View> views;
  Graph::List<char*> bases;  // of storages
  Graph::List<Attr> attrs;   // of random ops: their place in the stream changes
  std::vector<BufferRef> held;
};

// The variables of a run: those that it updates are locked and nobody else's, the others are read
// as they are now.
class Program::Held {
 public:
  Held(const Program& program, Frame& frame) {
    for (int32_t slot : program.written_slots_) {
      Variable::State& state = program.variables_[static_cast<size_t>(slot)].state();
      locks_.emplace_back(state.mutex);
      if (!state.value.can_be_overwritten())
        state.set(state.value.copy(Tag::kVariable, state.owner));
    }
    for (int32_t slot : program.read_slots_) {
      Variable::State& state = program.variables_[static_cast<size_t>(slot)].state();
      const std::lock_guard lock(state.mutex);
      frame.held.push_back(state.value.buffer());
      values_.push_back(static_cast<char*>(state.value.raw()));
    }
  }
  char* read(size_t i) const { return values_[i]; }

 private:
  SmallVector<std::unique_lock<std::mutex>, 8> locks_;
  SmallVector<char*, 8> values_;
};

Program::Program(const Graph& graph, std::span<const Variable> variables, std::string_view name)
    : graph_(graph),
      variables_(variables),
      owner_(ledger::add_owner(name)),
      layout_(make_layout(graph)) {
  for (int32_t i = 0; i < layout_.steps.size(); ++i) add_instruction(i);
  for (const Write& write : graph.writes()) written_slots_.push_back(write.slot);
  std::sort(written_slots_.begin(), written_slots_.end(), [&](int32_t a, int32_t b) {
    return variables_[static_cast<size_t>(a)].id() < variables_[static_cast<size_t>(b)].id();
  });
  for (const Storage& storage : layout_.storages) {
    if (storage.kind != Kind::kVariable) continue;
    if (std::find(written_slots_.begin(), written_slots_.end(), storage.index) ==
        written_slots_.end())
      read_slots_.push_back(storage.index);
  }
  spare_.reserve(8);
  give_frame(take_frame());  // the first run then allocates only what is planned
}

Program::~Program() { ledger::remove_owner(owner_); }

int32_t Program::add_stream(const Node& node) {
  if (!node.op->traits.has(Trait::kStateful)) return kNoIndex;
  for (size_t a = 0; a < node.op->attrs.size(); ++a) {
    if (node.op->attrs[a].name != "skip") continue;
    const int64_t blocks = random_inputs::blocks_taken(*node.op, graph_.shape(node.first_output));
    streams_.push_back(std::make_unique<Stream>(static_cast<int32_t>(a), blocks));
    return static_cast<int32_t>(streams_.size() - 1);
  }
  return kNoIndex;
}

void Program::add_instruction(int32_t i) {
  if (!layout_.has_kernel[static_cast<size_t>(i)]) return;
  if (layout_.tiled[static_cast<size_t>(i)] != kNoIndex ||
      layout_.scalar[static_cast<size_t>(i)] != kNoIndex)
    return add_group(i);
  const std::span<const NodeId> nodes = layout_.steps.step(i);
  const Node& node = graph_.node(nodes[0]);
  if (nodes.size() == 1) {
    if (const auto call = find_loop_call(graph_, node, layout_.places)) return add_call(*call);
  }
  const ProductStep product = product_step(graph_, nodes);
  Instruction made;
  made.kernel = product.run != nullptr ? nullptr : node.op->cpu.run;
  made.op = node.op;
  made.attrs = graph_.attrs(node);
  made.first_view = static_cast<int32_t>(views_.size());
  made.num_inputs = node.num_inputs;
  made.num_outputs = node.num_outputs;
  made.scratch = layout_.scratch[static_cast<size_t>(i)];
  made.stream = add_stream(node);
  made.scalars = made.tiled = made.call = made.product = kNoIndex;
  const auto add_view = [&](ValueId value) {
    const Place& place = layout_.places[static_cast<size_t>(value)];
    views_.push_back({nullptr, graph_.dtype(value), graph_.shape(value)});
    places_.push_back({place.storage, place.offset});
  };
  for (ValueId input : graph_.inputs(node)) add_view(input);
  if (product.run != nullptr) {
    made.product = static_cast<int32_t>(products_.size());
    products_.push_back(product);
    if (product.bias != kNoIndex) {
      add_view(product.bias);
      ++made.num_inputs;
    }
    add_view(graph_.node(nodes.back()).first_output);
  } else {
    for (ValueId k = 0; k < node.num_outputs; ++k) add_view(node.first_output + k);
  }
  instructions_.push_back(made);
}

void Program::add_group(int32_t i) {
  Instruction made{};
  made.scratch = layout_.scratch[static_cast<size_t>(i)];
  made.stream = kNoIndex;
  made.scalars = layout_.scalar[static_cast<size_t>(i)];
  made.tiled = layout_.tiled[static_cast<size_t>(i)];
  made.call = made.product = kNoIndex;
  instructions_.push_back(made);
}

void Program::add_call(const LoopCall& call) {
  Instruction made{};
  made.call = static_cast<int32_t>(calls_.size());
  made.scratch = made.stream = made.scalars = made.tiled = made.product = kNoIndex;
  calls_.push_back(call);
  instructions_.push_back(made);
}

std::unique_ptr<Program::Frame> Program::take_frame() {
  {
    const std::lock_guard lock(mutex_);
    if (!spare_.empty()) {
      std::unique_ptr<Frame> frame = std::move(spare_.back());
      spare_.pop_back();
      return frame;
    }
  }
  auto frame = std::make_unique<Frame>();
  frame->views.assign(views_.begin(), views_.end());
  frame->bases.resize(layout_.storages.size());
  for (const Instruction& instruction : instructions_) {
    if (instruction.stream != kNoIndex)
      frame->attrs.insert(frame->attrs.end(), instruction.attrs.begin(), instruction.attrs.end());
  }
  frame->held.reserve(variables_.size() + 1);
  return frame;
}

void Program::give_frame(std::unique_ptr<Frame> frame) {
  frame->held.clear();
  const std::lock_guard lock(mutex_);
  if (spare_.size() < spare_.capacity()) spare_.push_back(std::move(frame));
}

void Program::execute(Frame& frame) {
  for (size_t v = 0; v < places_.size(); ++v)
    frame.views[v].data = frame.bases[static_cast<size_t>(places_[v].storage)] + places_[v].offset;
  Attr* own_attrs = frame.attrs.data();
  for (const Instruction& instruction : instructions_) {
    if (instruction.call != kNoIndex) {
      run_loop_call(calls_[static_cast<size_t>(instruction.call)], frame.bases.data());
      continue;
    }
    if (instruction.kernel == nullptr && instruction.product == kNoIndex) {
      execute_group(instruction, frame);
      continue;
    }
    View* views = frame.views.data() + instruction.first_view;
    KernelContext context{
        {views, static_cast<size_t>(instruction.num_inputs)},
        {views + instruction.num_inputs, static_cast<size_t>(instruction.num_outputs)},
        instruction.attrs,
        instruction.scratch == kNoIndex ? nullptr
                                        : frame.bases[static_cast<size_t>(instruction.scratch)]};
    if (__builtin_expect(instruction.stream != kNoIndex, 0)) {
      Stream& stream = *streams_[static_cast<size_t>(instruction.stream)];
      const uint64_t epoch = g_stream_epoch.load(std::memory_order_relaxed);
      if (stream.epoch.exchange(epoch, std::memory_order_relaxed) != epoch)
        stream.next.store(0, std::memory_order_relaxed);
      const int64_t first = instruction.attrs[static_cast<size_t>(stream.attr)].as_int();
      own_attrs[stream.attr] =
          Attr(first + stream.next.fetch_add(stream.steps, std::memory_order_relaxed));
      context.attrs = {own_attrs, instruction.attrs.size()};
      own_attrs += instruction.attrs.size();
    }
    const KernelResult result = instruction.kernel != nullptr
                                    ? instruction.kernel(context)
                                    : execute_product(instruction, context);
    if (__builtin_expect(result.problem != nullptr, 0)) fail_kernel(*instruction.op, result);
  }
}

KernelResult Program::execute_product(const Instruction& instruction,
                                      const KernelContext& context) const {
  const ProductStep& product = products_[static_cast<size_t>(instruction.product)];
  kernels::Epilogue epilogue;
  if (product.bias != kNoIndex) epilogue.bias = context.inputs.back().data;
  epilogue.activation = product.activation;
  return product.run(context, epilogue);
}

void Program::execute_group(const Instruction& instruction, Frame& frame) const {
  if (instruction.scalars != kNoIndex) {
    const GroupResult found =
        run_scalars(layout_.scalars[static_cast<size_t>(instruction.scalars)], frame.bases.data());
    if (found.failed != nullptr) fail_kernel(*found.failed, found.result);
    return;
  }
  char* const scratch = instruction.scratch == kNoIndex
                            ? nullptr
                            : frame.bases[static_cast<size_t>(instruction.scratch)];
  const GroupResult found =
      run_tiles(layout_.tiles[static_cast<size_t>(instruction.tiled)], frame.bases.data(), scratch);
  if (found.failed != nullptr) fail_kernel(*found.failed, found.result);
}

// Values that were not made in their variable's own memory go there now.
void Program::finish_writes(Frame& frame) {
  const std::span<const Write> writes = graph_.writes();
  const auto from = [&](size_t w) {
    const Place& place = layout_.places[static_cast<size_t>(writes[w].value)];
    return frame.bases[static_cast<size_t>(place.storage)] + place.offset;
  };
  for (size_t w = 0; w < writes.size(); ++w) {
    if (layout_.temporary[w] == kNoIndex) continue;
    std::memcpy(frame.bases[static_cast<size_t>(layout_.temporary[w])], from(w),
                static_cast<size_t>(graph_.bytes(writes[w].value)));
  }
  for (size_t w = 0; w < writes.size(); ++w) {
    const char* source = layout_.temporary[w] == kNoIndex
                             ? from(w)
                             : frame.bases[static_cast<size_t>(layout_.temporary[w])];
    Tensor& value = variables_[static_cast<size_t>(writes[w].slot)].state().value;
    if (source != value.raw())
      std::memmove(value.raw(), source, static_cast<size_t>(value.num_bytes()));
  }
}

Tensors Program::run(std::span<const Tensor* const> inputs) {
  std::unique_ptr<Frame> frame = take_frame();
  struct Return {
    Program& program;
    std::unique_ptr<Frame>& frame;
    ~Return() { program.give_frame(std::move(frame)); }
  } give_back{*this, frame};
  const Held variables(*this, *frame);

  BufferRef arena;
  if (layout_.arena_bytes > 0) {
    arena = BufferRef(allocate_buffer(
        {.bytes = layout_.arena_bytes, .device = {}, .tag = Tag::kActivation, .owner = owner_}));
  }
  SmallVector<BufferRef, 4> buffers;
  for (int32_t i = 0; i < layout_.num_outputs; ++i) buffers.push_back({});
  size_t next_read = 0;
  for (size_t s = 0; s < layout_.storages.size(); ++s) {
    const Storage& storage = layout_.storages[s];
    void* base = nullptr;
    switch (storage.kind) {
      case Kind::kArena:
        base = arena ? static_cast<char*>(arena->data) + storage.offset : nullptr;
        break;
      case Kind::kOutput:
        buffers[static_cast<size_t>(storage.index)] = BufferRef(allocate_buffer(
            {.bytes = storage.bytes, .device = {}, .tag = Tag::kOutput, .owner = owner_}));
        base = buffers[static_cast<size_t>(storage.index)]->data;
        break;
      case Kind::kInput:
        base = inputs[static_cast<size_t>(storage.index)]->raw();
        break;
      case Kind::kConstant:
        base = graph_.constant(storage.index).raw();
        break;
      case Kind::kVariable:
        if (next_read < read_slots_.size() && read_slots_[next_read] == storage.index) {
          base = variables.read(next_read++);
        } else {
          base = variables_[static_cast<size_t>(storage.index)].state().value.raw();
        }
        break;
    }
    frame->bases[s] = static_cast<char*>(base);
  }
  SmallVector<Tensor, 4> copies;
  for (ValueId output : graph_.outputs()) {
    if (is_copied(output))
      copies.push_back(
          Tensor::empty(graph_.dtype(output), graph_.shape(output), Tag::kOutput, owner_));
  }
  execute(*frame);
  size_t next_copy = 0;
  for (ValueId output : graph_.outputs()) {
    if (!is_copied(output)) continue;
    const Place& place = layout_.places[static_cast<size_t>(output)];
    const Tensor& copy = copies[next_copy++];
    std::memcpy(copy.raw(), frame->bases[static_cast<size_t>(place.storage)] + place.offset,
                static_cast<size_t>(copy.num_bytes()));
  }
  finish_writes(*frame);

  next_copy = 0;
  Tensors outputs;
  for (ValueId output : graph_.outputs()) {
    if (is_copied(output)) {
      outputs.push_back(std::move(copies[next_copy++]));
    } else {
      outputs.push_back(output_tensor(output, inputs, buffers, *frame));
    }
  }
  return outputs;
}

// A result that lies in a variable which the function changes: others are shared.
bool Program::is_copied(ValueId output) const {
  const Place& place = layout_.places[static_cast<size_t>(output)];
  const Storage& storage = layout_.storages[static_cast<size_t>(place.storage)];
  return storage.kind == Kind::kVariable &&
         std::find(read_slots_.begin(), read_slots_.end(), storage.index) == read_slots_.end();
}

std::string Program::name_of(int32_t i) const {
  const std::span<const NodeId> nodes = layout_.steps.step(i);
  if (nodes.size() == 1) return std::string(graph_.node(nodes[0]).op->name.value);
  std::string text = "Fused(";
  for (NodeId id : nodes) {
    if (id != nodes[0]) text += ", ";
    text += graph_.node(id).op->name.value;
  }
  return text + ")";
}

Tensor Program::output_tensor(ValueId output, std::span<const Tensor* const> inputs,
                              std::span<const BufferRef> buffers, const Frame& frame) const {
  const Place& place = layout_.places[static_cast<size_t>(output)];
  const Storage& storage = layout_.storages[static_cast<size_t>(place.storage)];
  const auto part_of = [&](const BufferRef& buffer, int64_t first) {
    return Tensor::over(buffer, first + place.offset, graph_.dtype(output), graph_.shape(output));
  };
  switch (storage.kind) {
    case Kind::kOutput:
      return part_of(buffers[static_cast<size_t>(storage.index)], 0);
    case Kind::kInput: {
      const Tensor& input = *inputs[static_cast<size_t>(storage.index)];
      return part_of(input.buffer(), input.offset());
    }
    case Kind::kConstant: {
      const Tensor& constant = graph_.constant(storage.index);
      return part_of(constant.buffer(), constant.offset());
    }
    case Kind::kVariable:
      // Shared: who updates the variable later, does so in another buffer.
      for (size_t i = 0; i < read_slots_.size(); ++i) {
        if (read_slots_[i] == storage.index) return part_of(frame.held[i], 0);
      }
      break;
    case Kind::kArena:
      break;
  }
  return {};  // not reached: a result is in a buffer of its own, or copied
}

int64_t Program::output_bytes() const {
  int64_t bytes = layout_.output_bytes;
  for (ValueId output : graph_.outputs()) {
    if (is_copied(output)) bytes += graph_.bytes(output);
  }
  return bytes;
}

MemoryPlan Program::plan() const {
  MemoryPlan plan;
  plan.arena_bytes = layout_.arena_bytes;
  plan.lower_bound = layout_.lower_bound;
  plan.output_bytes = output_bytes();
  plan.peak_bytes = peak_bytes();
  for (size_t c = 0; c < graph_.num_constants(); ++c)
    plan.constant_bytes += graph_.constant(static_cast<int32_t>(c)).num_bytes();
  const auto line_of = [&](const Node& node) {
    const Location at = graph_.location(node);
    return at.file.empty() ? std::string() : cat(at.file, ":", at.line);
  };
  for (int32_t i = 0; i < layout_.steps.size(); ++i) plan.instructions.push_back(name_of(i));
  plan.timeline.assign(plan.instructions.size(), plan.output_bytes);
  for (const Storage& storage : layout_.storages) {
    if (storage.kind != Kind::kArena && storage.kind != Kind::kOutput) continue;
    PlannedValue value;
    const int32_t maker = std::max(storage.first, 0);
    if (maker < layout_.steps.size()) {
      const Node& node = graph_.node(storage.value == kNoIndex ? layout_.steps.step(maker)[0]
                                                               : graph_.node_of(storage.value));
      value.name = storage.value == kNoIndex ? name_of(maker) : node.op->name.value;
      value.line = line_of(node);
    }
    value.kind = storage.is_scratch              ? "scratch"
                 : storage.kind == Kind::kOutput ? "output"
                                                 : "activation";
    if (storage.value != kNoIndex) {
      value.dtype = graph_.dtype(storage.value);
      value.shape = graph_.shape(storage.value);
    }
    value.bytes = storage.bytes;
    value.offset = storage.kind == Kind::kArena ? storage.offset : -1;
    value.first = storage.first;
    value.last = storage.last;
    if (storage.kind == Kind::kArena) {
      for (int32_t i = std::max(storage.first, 0);
           i <= storage.last && static_cast<size_t>(i) < plan.timeline.size(); ++i)
        plan.timeline[static_cast<size_t>(i)] += storage.bytes;
    }
    plan.values.push_back(std::move(value));
  }
  const auto highest = std::max_element(plan.timeline.begin(), plan.timeline.end());
  if (highest != plan.timeline.end())
    plan.peak_instruction = static_cast<int>(highest - plan.timeline.begin());
  return plan;
}

int64_t Program::bytes() const {
  size_t group_bytes = 0;
  for (const Tiles& tiles : layout_.tiles)
    group_bytes += tiles.ops.size() * sizeof(TileOp) + tiles.operands.size() * sizeof(TileOperand);
  for (const Scalars& scalars : layout_.scalars) group_bytes += scalars.bytes();
  return static_cast<int64_t>(views_.size() * (2 * sizeof(View) + sizeof(ViewPlace)) +
                              instructions_.size() * sizeof(Instruction) +
                              calls_.size() * sizeof(LoopCall) + group_bytes +
                              layout_.storages.size() * (sizeof(Storage) + sizeof(char*)));
}

}  // namespace penstock::exec

namespace penstock {

void restart_random_streams() { exec::g_stream_epoch.fetch_add(1, std::memory_order_relaxed); }

}  // namespace penstock
