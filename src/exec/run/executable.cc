#include "exec/run/executable.h"

#include <cstring>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "exec/op_call.h"
#include "exec/run/scalar_runner.h"
#include "exec/run/tile_runner.h"
#include "ops/random_inputs.h"

namespace penstock::exec {
namespace {

std::vector<std::unique_ptr<ControlCode>> make_controls(const Graph& graph,
                                                        MakeControlFn make_control) {
  std::vector<std::unique_ptr<ControlCode>> made;
  for (const Node& node : graph.nodes()) {
    if (node.kind == NodeKind::kControl) made.push_back(make_control(graph, node));
  }
  return made;
}

std::vector<int64_t> scratch_of(std::span<const std::unique_ptr<ControlCode>> controls) {
  std::vector<int64_t> bytes;
  for (const auto& control : controls) bytes.push_back(control->scratch_bytes());
  return bytes;
}

}  // namespace

Code::Code(const Graph& graph, MakeControlFn make_control)
    : graph_(graph),
      controls_(make_controls(graph, make_control)),
      layout_(make_layout(graph, scratch_of(controls_))) {
  for (int32_t i = 0; i < layout_.steps.size(); ++i) add_instruction(i);
}

Code::~Code() = default;

int32_t Code::add_stream(const Node& node) {
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

void Code::add_view(ValueId value) {
  const Place& place = layout_.places[static_cast<size_t>(value)];
  views_.push_back({nullptr, graph_.dtype(value), graph_.shape(value)});
  places_.push_back({place.storage, place.offset});
}

void Code::add_instruction(int32_t i) {
  if (!layout_.has_kernel[static_cast<size_t>(i)]) return;
  if (layout_.tiled[static_cast<size_t>(i)] != kNoIndex ||
      layout_.scalar[static_cast<size_t>(i)] != kNoIndex)
    return add_group(i);
  const std::span<const NodeId> nodes = layout_.steps.step(i);
  const Node& node = graph_.node(nodes[0]);
  if (node.kind == NodeKind::kControl) return add_control(i);
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
  made.call = made.scalars = made.tiled = made.product = made.control = kNoIndex;
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

void Code::add_call(const LoopCall& call) {
  Instruction made{};
  made.scratch = made.stream = made.scalars = made.tiled = kNoIndex;
  made.product = made.control = kNoIndex;
  made.call = static_cast<int32_t>(calls_.size());
  calls_.push_back(call);
  instructions_.push_back(made);
}

void Code::add_group(int32_t i) {
  Instruction made{};
  made.scratch = layout_.scratch[static_cast<size_t>(i)];
  made.stream = made.call = made.product = made.control = kNoIndex;
  made.scalars = layout_.scalar[static_cast<size_t>(i)];
  made.tiled = layout_.tiled[static_cast<size_t>(i)];
  instructions_.push_back(made);
}

void Code::add_control(int32_t i) {
  const Node& node = graph_.node(layout_.steps.step(i)[0]);
  Instruction made{};
  made.first_view = static_cast<int32_t>(views_.size());
  made.num_inputs = node.num_inputs;
  made.num_outputs = node.num_outputs;
  made.scratch = layout_.scratch[static_cast<size_t>(i)];
  made.stream = made.call = made.scalars = made.tiled = made.product = kNoIndex;
  made.control = node.index;
  for (ValueId input : graph_.inputs(node)) add_view(input);
  for (ValueId k = 0; k < node.num_outputs; ++k) add_view(node.first_output + k);
  instructions_.push_back(made);
}

std::unique_ptr<Code::Frame> Code::make_frame() const {
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

void Code::bind(Frame& frame) const {
  for (size_t v = 0; v < places_.size(); ++v)
    frame.views[v].data = frame.bases[static_cast<size_t>(places_[v].storage)] + places_[v].offset;
}

void Code::run(Frame& frame) const {
  Attr* own_attrs = frame.attrs.data();
  for (const Instruction& instruction : instructions_) {
    if (instruction.call != kNoIndex) {
      run_loop_call(calls_[static_cast<size_t>(instruction.call)], frame.bases.data());
      continue;
    }
    if (instruction.scalars != kNoIndex || instruction.tiled != kNoIndex) {
      const GroupResult found = run_group(instruction, frame);
      if (__builtin_expect(found.failed != nullptr, 0)) fail_kernel(*found.failed, found.result);
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
      context.attrs = placed(instruction, frame, own_attrs);
      own_attrs += instruction.attrs.size();
    }
    if (instruction.control != kNoIndex) {
      const auto index = static_cast<size_t>(instruction.control);
      controls_[index]->run(context, *frame.controls[index]);
      continue;
    }
    const KernelResult result = instruction.kernel != nullptr ? instruction.kernel(context)
                                                              : run_product(instruction, context);
    if (__builtin_expect(result.problem != nullptr, 0)) fail_kernel(*instruction.op, result);
  }
}

Attrs Code::placed(const Instruction& instruction, Frame& frame, Attr* own) const {
  const auto number = static_cast<size_t>(instruction.stream);
  const Stream& stream = streams_[number];
  frame.drawn[number] = stream.source == kNoIndex ? stream.state->take(stream.blocks)
                                                  : frame.drawn[static_cast<size_t>(stream.source)];
  const int64_t first = instruction.attrs[static_cast<size_t>(stream.attr)].as_int();
  own[stream.attr] = Attr(random_inputs::place_after(first, frame.drawn[number]));
  return {own, instruction.attrs.size()};
}

KernelResult Code::run_product(const Instruction& instruction, const KernelContext& context) const {
  const ProductStep& product = products_[static_cast<size_t>(instruction.product)];
  kernels::Epilogue epilogue;
  if (product.bias != kNoIndex) epilogue.bias = context.inputs.back().data;
  epilogue.activation = product.activation;
  return product.run(context, epilogue);
}

GroupResult Code::run_group(const Instruction& instruction, Frame& frame) const {
  if (instruction.scalars != kNoIndex) {
    return run_scalars(layout_.scalars[static_cast<size_t>(instruction.scalars)],
                       frame.bases.data());
  }
  char* const scratch = instruction.scratch == kNoIndex
                            ? nullptr
                            : frame.bases[static_cast<size_t>(instruction.scratch)];
  return run_tiles(layout_.tiles[static_cast<size_t>(instruction.tiled)], frame.bases.data(),
                   scratch);
}

void Code::move_writes(Frame& frame) const {
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

std::string Code::name_of(const Node& node) const {
  return node.kind == NodeKind::kControl ? penstock::name_of(graph_.control(node)->kind)
                                         : std::string(node.op->name.value);
}

std::string Code::name_of(int32_t i) const {
  const std::span<const NodeId> nodes = layout_.steps.step(i);
  if (nodes.size() == 1) return name_of(graph_.node(nodes[0]));
  std::string text = "Fused(";
  for (NodeId id : nodes) {
    if (id != nodes[0]) text += ", ";
    text += name_of(graph_.node(id));
  }
  return text + ")";
}

std::string Code::line_of(const Node& node) const {
  const Location at = graph_.location(node);
  return at.file.empty() ? std::string() : cat(at.file, ":", at.line);
}

void Code::add_loops(std::vector<PlannedLoop>& loops) const {
  for (const Node& node : graph_.nodes()) {
    if (node.kind == NodeKind::kControl)
      controls_[static_cast<size_t>(node.index)]->add_loops(line_of(node), loops);
  }
}

int64_t Code::bytes() const {
  size_t group_bytes = calls_.size() * sizeof(LoopCall);
  for (const Tiles& tiles : layout_.tiles)
    group_bytes += tiles.ops.size() * sizeof(TileOp) + tiles.operands.size() * sizeof(TileOperand);
  for (const Scalars& scalars : layout_.scalars) group_bytes += scalars.bytes();
  auto bytes = static_cast<int64_t>(views_.size() * (2 * sizeof(View) + sizeof(ViewPlace)) +
                                    instructions_.size() * sizeof(Instruction) + group_bytes +
                                    layout_.storages.size() * (sizeof(Storage) + sizeof(char*)) +
                                    streams_.size() * (sizeof(Stream) + sizeof(int64_t)));
  for (const auto& control : controls_) bytes += control->bytes();
  return bytes;
}

}  // namespace penstock::exec
