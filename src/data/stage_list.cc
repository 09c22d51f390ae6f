#include <algorithm>

#include "data/stage.h"

namespace penstock::data {

#define STAGE(name) extern const StageDef k##name;
#include "data/stage_list.inc"
#undef STAGE

namespace {

const StageDef* const kStages[] = {
#define STAGE(name) &k##name,
#include "data/stage_list.inc"
#undef STAGE
};

}  // namespace

const StageDef* find_stage(std::string_view name) {
  const auto at =
      std::ranges::find(kStages, name, [](const StageDef* stage) { return stage->name; });
  return at == std::end(kStages) ? nullptr : *at;
}

}  // namespace penstock::data
