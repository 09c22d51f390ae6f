#include "exec/run/executable.h"

#include <cstring>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "exec/compile/fusion/find_steps.h"
#include "exec/compile/step_order.h"
#include "exec/op_call.h"
#include "exec/run/direct_loop.h"
#include "exec/run/scalar_runner.h"
#include "exec/run/tile_runner.h"
#include "ops/random_inputs.h"

namespace penstock::exec {
namespace {

std::vector<std::unique_ptr<ControlExecutable>> make_controls(const Graph& graph,
                                                              MakeControlFn make_control) {
  std::vector<std::unique_ptr<ControlExecutable>> controls;
  for (const Node& node : graph.nodes()) {
    if (node.kind == NodeKind::kControl) controls.push_back(make_control(graph, node));
  }
  return controls;
}

MemoryLayout compile(const Graph& graph,
                     std::span<const std::unique_ptr<ControlExecutable>> controls) {
  std::vector<int64_t> scratch;
  for (const auto& control : controls) scratch.push_back(control->scratch_bytes());
  return make_layout(graph, order_steps(graph, find_steps(graph), scratch), scratch);
}

KernelResult run_product(const ProductStep& product, const KernelContext& context) {
  kernels::Epilogue epilogue;
  if (product.bias != kNoIndex) epilogue.bias = context.inputs.back().data;
  epilogue.activation = product.activation;
  return product.run(context, epilogue);
}

void check(const OpDef& op, const KernelResult& result) {
  if (__builtin_expect(result.problem != nullptr, 0)) fail_kernel(op, result);
}

void check(const GroupResult& result) {
  if (__builtin_expect(result.failed != nullptr, 0)) fail_kernel(*result.failed, result.result);
}

}  // namespace

Executable::Executable(const Graph& graph, MakeControlFn make_control)
    : graph_(graph),
      controls_(make_controls(graph, make_control)),
      layout_(compile(graph, controls_)) {
  for (const Step& step : layout_.steps) add_instruction(step);
}

Executable::~Executable() = default;

int32_t Executable::add_stream(const Node& node) {
  if (!node.op->traits.has(Trait::kStateful)) return kNoIndex;
  const size_t attr = random_inputs::skip_attr(*node.op);
  if (attr == node.op->attrs.size()) return kNoIndex;
  Stream stream{graph_.state(node), static_cast<int32_t>(attr), kNoIndex,
                random_inputs::blocks_taken(*node.op, graph_.shape(node.first_output))};
  if (stream.state == nullptr) stream.state = make_random_state(RandomState::Restarts::kWithSeed);
  for (size_t i = 0; i < streams_.size(); ++i) {
    if (streams_[i].state == stream.state->source()) stream.source = static_cast<int32_t>(i);
  }
  streams_.push_back(std::move(stream));
  return static_cast<int32_t>(streams_.size() - 1);
}

void Executable::add_view(ValueId value) {
  const Place& place = layout_.places[static_cast<size_t>(value)];
  views_.push_back({nullptr, graph_.dtype(value), graph_.shape(value)});
  places_.push_back({place.storage, place.offset});
}

void Executable::add_views(Instruction& instruction, std::span<const ValueId> inputs,
                           ValueId first_output, int32_t num_outputs) {
  instruction.first_view = static_cast<int32_t>(views_.size());
  instruction.num_inputs = static_cast<int32_t>(inputs.size());
  instruction.num_outputs = num_outputs;
  for (ValueId input : inputs) add_view(input);
  for (ValueId k = 0; k < num_outputs; ++k) add_view(first_output + k);
}

void Executable::add_instruction(const Step& step) {
  Instruction instruction{.kind = step.kind(), .step = &step};
  const Node& node = graph_.node(step.nodes[0]);
  const std::span<const ValueId> inputs = graph_.inputs(node);
  switch (step.kind()) {
    case Step::Kind::kShared:
      return;
    case Step::Kind::kDirectLoop:
      instruction.loop = &step.loop();
      break;
    case Step::Kind::kScalars:
    case Step::Kind::kTiles:
      break;
    case Step::Kind::kKernel:
      instruction.kernel = node.op->cpu.run;
      instruction.stream = add_stream(node);
      add_views(instruction, inputs, node.first_output, node.num_outputs);
      break;
    case Step::Kind::kProduct: {
      SmallVector<ValueId, 4> operands(inputs.begin(), inputs.end());
      if (step.product().bias != kNoIndex) operands.push_back(step.product().bias);
      add_views(instruction, operands, graph_.node(step.nodes.back()).first_output,
                node.num_outputs);
      break;
    }
    case Step::Kind::kControl:
      add_views(instruction, inputs, node.first_output, node.num_outputs);
      break;
  }
  if (node.kind == NodeKind::kOp) {
    instruction.op = node.op;
    instruction.attrs = graph_.attrs(node);
  }
  instructions_.push_back(instruction);
}

std::unique_ptr<Executable::Frame> Executable::make_frame() const {
  auto frame = std::make_unique<Frame>();
  frame->views.assign(views_.begin(), views_.end());
  frame->bases.resize(layout_.storages.size());
  for (const Write& write : graph_.writes()) {
    if (static_cast<size_t>(write.slot) >= frame->slots.size())
      frame->slots.resize(static_cast<size_t>(write.slot) + 1);
  }
  for (const Instruction& instruction : instructions_) {
    if (instruction.stream != kNoIndex)
      frame->attrs.insert(frame->attrs.end(), instruction.attrs.begin(), instruction.attrs.end());
  }
  frame->drawn.resize(streams_.size());
  for (const auto& control : controls_) frame->controls.push_back(control->make_frame());
  return frame;
}

void Executable::bind(Frame& frame) const {
  for (size_t v = 0; v < places_.size(); ++v)
    frame.views[v].data = frame.bases[static_cast<size_t>(places_[v].storage)] + places_[v].offset;
}

char* Executable::scratch_of(const Step& step, Frame& frame) const {
  return step.scratch == kNoIndex ? nullptr : frame.bases[static_cast<size_t>(step.scratch)];
}

KernelContext Executable::context_of(const Instruction& instruction, Frame& frame) const {
  View* const views = frame.views.data() + instruction.first_view;
  return {{views, static_cast<size_t>(instruction.num_inputs)},
          {views + instruction.num_inputs, static_cast<size_t>(instruction.num_outputs)},
          instruction.attrs,
          scratch_of(*instruction.step, frame)};
}

void Executable::run(Frame& frame) const {
  char* const* const bases = frame.bases.data();
  Attr* own_attrs = frame.attrs.data();
  for (const Instruction& instruction : instructions_) {
    const Step& step = *instruction.step;
    switch (instruction.kind) {
      case Step::Kind::kShared:
        break;
      case Step::Kind::kDirectLoop:
        run_direct_loop(*instruction.loop, bases);
        break;
      case Step::Kind::kScalars:
        check(run_scalars(step.scalars(), bases));
        break;
      case Step::Kind::kTiles:
        check(run_tiles(step.tiles(), bases, scratch_of(step, frame)));
        break;
      case Step::Kind::kProduct:
        check(*instruction.op, run_product(step.product(), context_of(instruction, frame)));
        break;
      case Step::Kind::kControl: {
        const auto index = static_cast<size_t>(step.control());
        controls_[index]->run(context_of(instruction, frame), *frame.controls[index]);
        break;
      }
      case Step::Kind::kKernel: {
        KernelContext context = context_of(instruction, frame);
        if (__builtin_expect(instruction.stream != kNoIndex, 0)) {
          context.attrs = placed(instruction, frame, own_attrs);
          own_attrs += instruction.attrs.size();
        }
        check(*instruction.op, instruction.kernel(context));
        break;
      }
    }
  }
}

Attrs Executable::placed(const Instruction& instruction, Frame& frame, Attr* own) const {
  const auto number = static_cast<size_t>(instruction.stream);
  const Stream& stream = streams_[number];
  frame.drawn[number] = stream.source == kNoIndex ? stream.state->take(stream.blocks)
                                                  : frame.drawn[static_cast<size_t>(stream.source)];
  const int64_t first = instruction.attrs[static_cast<size_t>(stream.attr)].as_int();
  own[stream.attr] = Attr(random_inputs::place_after(first, frame.drawn[number]));
  return {own, instruction.attrs.size()};
}

void Executable::move_writes(Frame& frame) const {
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
    char* const to = frame.slots[static_cast<size_t>(writes[w].slot)];
    if (source != to) std::memmove(to, source, static_cast<size_t>(graph_.bytes(writes[w].value)));
  }
}

std::string Executable::name_of(const Node& node) const {
  return node.kind == NodeKind::kControl ? penstock::name_of(graph_.control(node)->kind)
                                         : std::string(node.op->name.value);
}

std::string Executable::name_of(int32_t i) const {
  const SmallVector<NodeId, 2>& nodes = layout_.steps[static_cast<size_t>(i)].nodes;
  if (nodes.size() == 1) return name_of(graph_.node(nodes[0]));
  std::string text = "Fused(";
  for (NodeId id : nodes) {
    if (id != nodes[0]) text += ", ";
    text += name_of(graph_.node(id));
  }
  return text + ")";
}

std::string Executable::line_of(const Node& node) const {
  const Location at = graph_.location(node);
  return at.file.empty() ? std::string() : cat(at.file, ":", at.line);
}

void Executable::add_loops(std::vector<PlannedLoop>& loops) const {
  for (const Node& node : graph_.nodes()) {
    if (node.kind == NodeKind::kControl)
      controls_[static_cast<size_t>(node.index)]->add_loops(line_of(node), loops);
  }
}

int64_t Executable::bytes() const {
  size_t step_bytes = layout_.steps.size() * sizeof(Step);
  for (const Step& step : layout_.steps) {
    if (step.kind() == Step::Kind::kDirectLoop) step_bytes += sizeof(DirectLoop);
    if (step.kind() == Step::Kind::kProduct) step_bytes += sizeof(ProductStep);
    if (step.kind() == Step::Kind::kScalars) step_bytes += step.scalars().bytes();
    if (step.kind() == Step::Kind::kTiles) step_bytes += step.tiles().bytes();
  }
  auto bytes = static_cast<int64_t>(views_.size() * (2 * sizeof(View) + sizeof(ViewPlace)) +
                                    instructions_.size() * sizeof(Instruction) + step_bytes +
                                    layout_.storages.size() * (sizeof(Storage) + sizeof(char*)) +
                                    streams_.size() * (sizeof(Stream) + sizeof(int64_t)));
  for (const auto& control : controls_) bytes += control->bytes();
  return bytes;
}

}  // namespace penstock::exec
