// Signatures of ops that are about to be written.
#include <penstock/ops/context.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

void infer_pending(InferContext& ctx) {
  throw UnimplementedError(cat(ctx.op().name.value, " is pending"));
}
std::vector<Sample> no_samples() { return {}; }

}  // namespace

}  // namespace penstock
