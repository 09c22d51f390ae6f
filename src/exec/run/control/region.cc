#include "exec/run/control/region.h"

#include <algorithm>
#include <cstring>

#include "graph/copier.h"
#include "graph/passes/share_loop_checkpoints.h"
#include "graph/passes/simplify.h"
#include "memory/alignment.h"

namespace penstock::exec {

using Kind = Storage::Kind;

RegionExecutable::RegionExecutable(Graph graph, MakeControlFn make_control)
    : graph_(std::move(graph)), executable_(graph_, make_control) {
  const MemoryLayout& layout = executable_.layout();
  scratch_bytes_ = layout.arena_bytes;
  output_of_.assign(static_cast<size_t>(layout.num_outputs), kNoIndex);
  place_of_.assign(output_of_.size(), 0);
  const std::span<const ValueId> outputs = graph_.outputs();
  for (size_t k = 0; k < outputs.size(); ++k) {
    const Place& place = layout.places[static_cast<size_t>(outputs[k])];
    const Storage& storage = layout.storages[static_cast<size_t>(place.storage)];
    const int64_t bytes = graph_.bytes(outputs[k]);
    if (storage.kind == Kind::kOutput && place.offset == 0 && storage.bytes == bytes &&
        output_of_[static_cast<size_t>(storage.index)] == kNoIndex) {
      output_of_[static_cast<size_t>(storage.index)] = static_cast<int32_t>(k);
    } else {
      copies_.push_back({k, place, bytes});
    }
  }
  for (const Storage& storage : layout.storages) {
    if (storage.kind != Kind::kOutput || output_of_[static_cast<size_t>(storage.index)] != kNoIndex)
      continue;
    scratch_bytes_ = aligned(scratch_bytes_);
    place_of_[static_cast<size_t>(storage.index)] = scratch_bytes_;
    scratch_bytes_ += storage.bytes;
  }
  has_writes_ = !graph_.writes().empty();
}

void RegionExecutable::place(Executable::Frame& frame, const Memory& memory) const {
  const MemoryLayout& layout = executable_.layout();
  for (size_t s = 0; s < layout.storages.size(); ++s) {
    const Storage& storage = layout.storages[s];
    const auto index = static_cast<size_t>(storage.index);
    char* base = nullptr;
    switch (storage.kind) {
      case Kind::kArena:
        base = memory.scratch + storage.offset;
        break;
      case Kind::kOutput:
        base = output_of_[index] != kNoIndex
                   ? memory.outputs[static_cast<size_t>(output_of_[index])]
                   : memory.scratch + place_of_[index];
        break;
      case Kind::kInput:
        base = memory.inputs[index];
        break;
      case Kind::kConstant:
        base = static_cast<char*>(graph_.constant(storage.index).raw());
        break;
      case Kind::kVariable:
        base = memory.slots[index];
        break;
    }
    frame.bases[s] = base;
  }
  for (const Write& write : graph_.writes())
    frame.slots[static_cast<size_t>(write.slot)] = memory.slots[static_cast<size_t>(write.slot)];
  executable_.bind(frame);
}

void RegionExecutable::run(Executable::Frame& frame, const Memory& memory) const {
  executable_.run(frame);
  for (const Copy& copy : copies_) {
    std::memcpy(memory.outputs[copy.output],
                frame.bases[static_cast<size_t>(copy.from.storage)] + copy.from.offset,
                static_cast<size_t>(copy.bytes));
  }
  if (has_writes_) executable_.move_writes(frame);
}

void RegionExecutable::add_inner_loops(std::vector<PlannedLoop>& loops) const {
  const size_t before = loops.size();
  add_loops(loops);
  for (size_t i = before; i < loops.size(); ++i) ++loops[i].depth;
}

Graph with_slots(const Graph& region, size_t num_slots) {
  Graph graph;
  Copier copier(region, graph);
  for (size_t i = 0; i < num_slots; ++i) {
    const ValueId input = region.inputs()[i];
    copier.set(input,
               graph.add_read(static_cast<int32_t>(i), region.dtype(input), region.shape(input)));
  }
  for (const Node& node : region.nodes()) copier.copy(node);
  std::vector<Write> writes;
  std::vector<ValueId> outputs;
  for (size_t i = 0; i < region.outputs().size(); ++i) {
    const ValueId result = copier[region.outputs()[i]];
    if (i >= num_slots) {
      outputs.push_back(result);
    } else if (result != copier[region.inputs()[i]]) {
      writes.push_back({static_cast<int32_t>(i), result});
    }
  }
  graph.set_writes(writes);
  graph.set_outputs(outputs);
  return share_loop_checkpoints(simplify(graph));
}

}  // namespace penstock::exec
