#include "exec/compile/fusion/tile_program.h"

#include <span>

namespace penstock::exec {

using Kind = TileOperand::Kind;

bool Tiles::may_overwrite(ValueId input, ValueId output) const {
  bool is_written = false;
  for (const TileOp& op : ops) {
    const std::span<const TileOperand> all(operands.data() + op.first_operand,
                                           static_cast<size_t>(op.num_inputs + op.num_outputs));
    const auto inputs = all.first(static_cast<size_t>(op.num_inputs));
    const auto outputs = all.subspan(static_cast<size_t>(op.num_inputs));
    bool is_read = false, can_forward = false;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].value != input) continue;
      is_read = true;
      if (inputs[i].kind != Kind::kSliced || is_written) return false;
      for (const Forward& forward : op.op->forwards) {
        can_forward = can_forward || (forward.input == i && forward.output < outputs.size() &&
                                      outputs[forward.output].value == output);
      }
    }
    for (const TileOperand& each : outputs) is_written = is_written || each.value == output;
    if (is_written && is_read && !can_forward) return false;
  }
  return true;
}

}  // namespace penstock::exec
