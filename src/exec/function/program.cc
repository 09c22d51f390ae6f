#include "exec/function/program.h"

#include <algorithm>
#include <cstring>

#include <penstock/base/check.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "exec/eager/variable_state.h"
#include "exec/run/control/control_factory.h"
#include "memory/buffer_observer.h"

namespace penstock::exec {

using Kind = Storage::Kind;

// The frame of one run.
struct Program::Frame {
  std::unique_ptr<Executable::Frame> executable;
  std::vector<BufferRef> held;
};

// The allocations of a run.
struct Program::Memory {
  BufferRef arena;
  SmallVector<BufferRef, 4> outputs;
  SmallVector<Tensor, 4> copies;  // of results that are stored in variables
};

// The variables of a run: those that it updates are locked and exclusive, the others are read as
// they are.
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
      owner_(ledger::add_owner(name, ledger::OwnerKind::kFunction)),
      executable_(graph, make_control),
      layout_(executable_.layout()) {
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
  frame->executable = executable_.make_frame();
  frame->held.reserve(variables_.size() + 1);
  return frame;
}

void Program::give_frame(std::unique_ptr<Frame> frame) {
  frame->held.clear();
  const std::lock_guard lock(mutex_);
  if (spare_.size() < spare_.capacity()) spare_.push_back(std::move(frame));
}

Program::Memory Program::allocate() const {
  Memory memory;
  if (layout_.arena_bytes > 0) {
    memory.arena = BufferRef(allocate_buffer(
        {.bytes = layout_.arena_bytes, .device = {}, .tag = Tag::kActivation, .owner = owner_}));
  }
  for (int32_t i = 0; i < layout_.num_outputs; ++i) memory.outputs.push_back({});
  for (const Storage& storage : layout_.storages) {
    if (storage.kind != Kind::kOutput) continue;
    memory.outputs[static_cast<size_t>(storage.index)] = BufferRef(allocate_buffer(
        {.bytes = storage.bytes, .device = {}, .tag = Tag::kOutput, .owner = owner_}));
  }
  for (ValueId output : graph_.outputs()) {
    if (is_copied(output))
      memory.copies.push_back(
          Tensor::empty(graph_.dtype(output), graph_.shape(output), Tag::kOutput, owner_));
  }
  return memory;
}

void Program::bind(Frame& frame, const Held& variables, const Memory& memory,
                   std::span<const Tensor* const> inputs) const {
  size_t next_read = 0;
  for (size_t s = 0; s < layout_.storages.size(); ++s) {
    const Storage& storage = layout_.storages[s];
    const auto index = static_cast<size_t>(storage.index);
    void* base = nullptr;
    switch (storage.kind) {
      case Kind::kArena:
        base = memory.arena ? static_cast<char*>(memory.arena->data) + storage.offset : nullptr;
        break;
      case Kind::kOutput:
        base = memory.outputs[index]->data;
        break;
      case Kind::kInput:
        base = inputs[index]->raw();
        break;
      case Kind::kConstant:
        base = graph_.constant(storage.index).raw();
        break;
      case Kind::kVariable:
        if (next_read < read_slots_.size() && read_slots_[next_read] == storage.index) {
          base = variables.read(next_read++);
        } else {
          base = variables_[index].state().value.raw();
        }
        break;
    }
    frame.executable->bases[s] = static_cast<char*>(base);
  }
  for (int32_t slot : written_slots_) {
    frame.executable->slots[static_cast<size_t>(slot)] =
        static_cast<char*>(variables_[static_cast<size_t>(slot)].state().value.raw());
  }
  executable_.bind(*frame.executable);
}

// Runs before written values move into the variables.
void Program::copy_outputs(const Frame& frame, const Memory& memory) const {
  const Tensor* copy = memory.copies.begin();
  for (ValueId output : graph_.outputs()) {
    if (!is_copied(output)) continue;
    const Place& place = layout_.places[static_cast<size_t>(output)];
    std::memcpy(copy->raw(),
                frame.executable->bases[static_cast<size_t>(place.storage)] + place.offset,
                static_cast<size_t>(copy->num_bytes()));
    ++copy;
  }
}

Tensors Program::collect(std::span<const Tensor* const> inputs, Memory& memory,
                         const Frame& frame) const {
  Tensors outputs;
  Tensor* copy = memory.copies.begin();
  for (ValueId output : graph_.outputs()) {
    outputs.push_back(is_copied(output) ? std::move(*copy++)
                                        : output_tensor(output, inputs, memory.outputs, frame));
  }
  return outputs;
}

Tensors Program::run(std::span<const Tensor* const> inputs) {
  std::unique_ptr<Frame> frame = take_frame();
  struct Return {
    Program& program;
    std::unique_ptr<Frame>& frame;
    ~Return() { program.give_frame(std::move(frame)); }
  } give_back{*this, frame};
  const Held variables(*this, *frame);
  Memory memory = allocate();
  bind(*frame, variables, memory, inputs);
  executable_.run(*frame->executable);
  copy_outputs(*frame, memory);
  executable_.move_writes(*frame->executable);
  return collect(inputs, memory, *frame);
}

// A result stored in a variable that the function changes is copied; others are shared.
bool Program::is_copied(ValueId output) const {
  const Place& place = layout_.places[static_cast<size_t>(output)];
  const Storage& storage = layout_.storages[static_cast<size_t>(place.storage)];
  return storage.kind == Kind::kVariable &&
         std::find(read_slots_.begin(), read_slots_.end(), storage.index) == read_slots_.end();
}

Tensor Program::output_tensor(ValueId output, std::span<const Tensor* const> inputs,
                              std::span<const BufferRef> buffers, const Frame& frame) const {
  const Place& place = layout_.places[static_cast<size_t>(output)];
  const Storage& storage = layout_.storages[static_cast<size_t>(place.storage)];
  const auto part_of = [&](const BufferRef& buffer, int64_t first) {
    if (const auto* observer = memory::observer(); observer && storage.kind == Kind::kOutput)
      observer->describe(*buffer.get(), graph_.dtype(output), graph_.shape(output));
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
      // Shared: a later update of the variable uses another buffer.
      for (size_t i = 0; i < read_slots_.size(); ++i) {
        if (read_slots_[i] == storage.index) return part_of(frame.held[i], 0);
      }
      break;
    case Kind::kArena:
      break;
  }
  return {};  // not reached: a result has its own buffer, or is copied
}

int64_t Program::output_bytes() const {
  int64_t bytes = layout_.output_bytes;
  for (ValueId output : graph_.outputs()) {
    if (is_copied(output)) bytes += graph_.bytes(output);
  }
  return bytes;
}

PlannedValue Program::planned(const Storage& storage) const {
  PlannedValue value;
  const auto maker = static_cast<size_t>(std::max(storage.first, 0));
  if (maker < layout_.steps.size()) {
    const bool is_scratch = storage.value == kNoIndex;
    const Node& node =
        graph_.node(is_scratch ? layout_.steps[maker].nodes[0] : graph_.node_of(storage.value));
    value.name =
        is_scratch ? executable_.name_of(static_cast<int32_t>(maker)) : executable_.name_of(node);
    value.line = executable_.line_of(node);
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
  return value;
}

void Program::add_loops(MemoryPlan& plan) const {
  executable_.add_loops(plan.loops);
  for (const PlannedLoop& loop : plan.loops) {
    if (!loop.grows()) continue;
    const std::string at = loop.line.empty() ? "" : cat(" at ", loop.line);
    plan.unknown.push_back(cat(loop.name(), at, ": min(n - 1, ", loop.most_checkpoints(),
                               ") states of ", loop.state_bytes, " bytes for n steps"));
  }
}

MemoryPlan Program::plan() const {
  MemoryPlan plan;
  plan.arena_bytes = layout_.arena_bytes;
  plan.lower_bound = layout_.lower_bound;
  plan.output_bytes = output_bytes();
  plan.peak_bytes = peak_bytes();
  for (size_t c = 0; c < graph_.num_constants(); ++c)
    plan.constant_bytes += graph_.constant(static_cast<int32_t>(c)).num_bytes();
  add_loops(plan);
  for (size_t i = 0; i < layout_.steps.size(); ++i)
    plan.instructions.push_back(executable_.name_of(static_cast<int32_t>(i)));
  plan.timeline.assign(plan.instructions.size(), plan.output_bytes);
  for (const Storage& storage : layout_.storages) {
    if (storage.kind != Kind::kArena && storage.kind != Kind::kOutput) continue;
    plan.values.push_back(planned(storage));
    if (storage.kind == Kind::kOutput) continue;
    const auto last = std::min(static_cast<size_t>(storage.last) + 1, plan.timeline.size());
    for (auto i = static_cast<size_t>(std::max(storage.first, 0)); i < last; ++i)
      plan.timeline[i] += storage.bytes;
  }
  const auto highest = std::max_element(plan.timeline.begin(), plan.timeline.end());
  if (highest != plan.timeline.end())
    plan.peak_instruction = static_cast<int>(highest - plan.timeline.begin());
  return plan;
}

}  // namespace penstock::exec
