#include "exec/run/control/branch.h"

#include <algorithm>

#include "exec/run/control/control_memory.h"
#include "exec/run/control/region.h"

namespace penstock::exec {
namespace {

struct BranchFrame : ControlFrame {
  std::vector<std::unique_ptr<Executable::Frame>> regions;
  Addresses inputs, outputs;
};

class Branch final : public ControlExecutable {
 public:
  Branch(const Control& control, MakeControlFn make_control) {
    for (const auto& region : control.regions)
      regions_.push_back(std::make_unique<RegionExecutable>(with_slots(*region, 0), make_control));
  }

  int64_t scratch_bytes() const override {
    int64_t most = 0;
    for (const auto& region : regions_) most = std::max(most, region->scratch_bytes());
    return most;
  }

  std::unique_ptr<ControlFrame> make_frame() const override {
    auto frame = std::make_unique<BranchFrame>();
    for (const auto& region : regions_) frame->regions.push_back(region->make_frame());
    frame->inputs.reserve(regions_[0]->graph().num_inputs());
    frame->outputs.reserve(regions_[0]->graph().outputs().size());
    return frame;
  }

  void run(const KernelContext& context, ControlFrame& any_frame) const override {
    auto& frame = static_cast<BranchFrame&>(any_frame);
    const auto index = static_cast<size_t>(*static_cast<const int32_t*>(context.inputs[0].data));
    const size_t chosen = std::min(index, regions_.size() - 1);
    frame.inputs.assign(context.inputs.subspan(1));
    frame.outputs.assign(context.outputs);
    const RegionExecutable::Memory memory{
        frame.inputs, frame.outputs, {}, static_cast<char*>(context.scratch)};
    regions_[chosen]->place(*frame.regions[chosen], memory);
    regions_[chosen]->run(*frame.regions[chosen], memory);
  }

  int64_t bytes() const override {
    int64_t bytes = 0;
    for (const auto& region : regions_) bytes += region->bytes();
    return bytes;
  }

  void add_loops(const std::string&, std::vector<PlannedLoop>& loops) const override {
    for (const auto& region : regions_) region->add_loops(loops);
  }

 private:
  std::vector<std::unique_ptr<RegionExecutable>> regions_;
};

}  // namespace

std::unique_ptr<ControlExecutable> make_branch(const Control& control, MakeControlFn make_control) {
  return std::make_unique<Branch>(control, make_control);
}

}  // namespace penstock::exec
