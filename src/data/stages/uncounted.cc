// Uncounted: the dataset itself, whose number of elements is taken as unknown. TensorFlow 1 does not
// count the elements of a map.
#include "data/stage_iterator.h"

namespace penstock::data {
namespace {

StageIteratorRef iterate_input(std::shared_ptr<const DatasetState> state, const Scope& scope) {
  return iterate(state->input(), scope);
}

}  // namespace

extern const StageDef kUncounted;
const StageDef kUncounted = {.name = "Uncounted",
                             .cardinality = [](const DatasetState&) { return kUnknown; },
                             .iterate = iterate_input};

}  // namespace penstock::data
