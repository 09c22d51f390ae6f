// NonMaxSuppressionV3 and V4: the best boxes that do not overlap each other much.
#include <algorithm>

#include <penstock/ops/context.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

// The output's size: at most `max_output_size`, and all of that with padding.
void infer_common(InferContext& ctx, bool is_padded) {
  ctx.check_rank(0, 2);
  ctx.check_rank(1, 1);
  for (size_t i : {2, 3, 4}) ctx.check_rank(i, 0);
  const Shape &boxes = ctx.shape(0), &scores = ctx.shape(1);
  if (boxes.is_known() && boxes[1] != 4)
    ctx.fail("boxes must have 4 columns, but their shape is ", boxes);
  if (boxes.is_known() && scores.is_known() && boxes[0] != scores[0])
    ctx.fail("scores has incompatible shape ", scores, " for boxes of shape ", boxes);
  if (boxes.is_known() && boxes[0] > INT32_MAX) ctx.fail("there are too many boxes: ", boxes);
  bool known = false;
  const IntVector most = ctx.ints(2, &known);
  if (known && most[0] < 0) ctx.fail("max_output_size must be non-negative, but is ", most[0]);
  int64_t count = known ? most[0] : kUnknownDim;
  if (known && !is_padded && boxes.is_known()) count = std::min(count, boxes[0]);
  if (is_padded) {
    ctx.add_output(DType::kInt32, Shape{count});
  } else {
    ctx.add_bounded_output(DType::kInt32, Shape{count});
  }
  if (boxes.is_known()) ctx.set_scratch(boxes[0], sizeof(int32_t));
}

// Corners in order, whichever way they were given.
struct Box {
  float top, left, bottom, right;
  explicit Box(const float* b)
      : top(std::min(b[0], b[2])),
        left(std::min(b[1], b[3])),
        bottom(std::max(b[0], b[2])),
        right(std::max(b[1], b[3])) {}
  float area() const { return (bottom - top) * (right - left); }
};

float overlap(const Box& a, const Box& b) {
  if (a.area() <= 0 || b.area() <= 0) return 0;
  const float height = std::max(0.0f, std::min(a.bottom, b.bottom) - std::max(a.top, b.top));
  const float width = std::max(0.0f, std::min(a.right, b.right) - std::max(a.left, b.left));
  return height * width / (a.area() + b.area() - height * width);
}

// Sets the first numbers of `chosen` and returns their count.
int64_t choose(const KernelContext& ctx, int64_t most, int32_t* chosen) {
  const float* boxes = ctx.inputs[0].as<float>();
  const float* scores = ctx.inputs[1].as<float>();
  const float iou = *ctx.inputs[3].as<float>(), least = *ctx.inputs[4].as<float>();
  int32_t* order = static_cast<int32_t*>(ctx.scratch);
  int64_t candidates = 0;
  for (int64_t i = 0; i < ctx.inputs[1].size(); ++i) {
    if (scores[i] > least) order[candidates++] = static_cast<int32_t>(i);
  }
  std::sort(order, order + candidates, [&](int32_t a, int32_t b) {
    return scores[a] > scores[b] || (scores[a] == scores[b] && a < b);
  });
  int64_t found = 0;
  for (int64_t i = 0; i < candidates && found < most; ++i) {
    const Box box(boxes + 4 * order[i]);
    const bool is_free = std::all_of(chosen, chosen + found, [&](int32_t k) {
      return !(overlap(box, Box(boxes + 4 * k)) > iou);
    });
    if (is_free) chosen[found++] = order[i];
  }
  return found;
}

KernelResult check(const KernelContext& ctx) {
  const float iou = *ctx.inputs[3].as<float>();
  if (iou >= 0 && iou <= 1) return KernelResult::ok();
  return KernelResult::invalid("iou_threshold must be in [0, 1]");
}

void infer_v3(InferContext& ctx) { infer_common(ctx, false); }
KernelResult cpu_v3(const KernelContext& ctx) {
  if (const KernelResult result = check(ctx); result.problem != nullptr) return result;
  View& out = ctx.outputs[0];
  out.shape = Shape{choose(ctx, out.shape[0], out.as<int32_t>())};
  return KernelResult::ok();
}

void infer_v4(InferContext& ctx) {
  infer_common(ctx, ctx.attr(0).as_bool());
  ctx.add_output(DType::kInt32, Shape{});
}
KernelResult cpu_v4(const KernelContext& ctx) {
  if (const KernelResult result = check(ctx); result.problem != nullptr) return result;
  View& out = ctx.outputs[0];
  const int64_t found = choose(ctx, out.shape[0], out.as<int32_t>());
  *ctx.outputs[1].as<int32_t>() = static_cast<int32_t>(found);
  if (ctx.attrs[0].as_bool()) {
    std::fill(out.as<int32_t>() + found, out.as<int32_t>() + out.shape[0], 0);
  } else {
    out.shape = Shape{found};
  }
  return KernelResult::ok();
}

std::vector<Sample> samples() {
  using enum DType;
  const SampleInput boxes = given(kFloat32, {4, 4},
                                  {0, 0, 1, 1, 0, 0.1, 1, 1.1,  //
                                   0, 3, 1, 4, 1, 1.05, 0, 0.05});
  const SampleInput scores = given(kFloat32, {4}, {0.5, 0.7, 0.6, 0.1});
  const auto number = [](double value) { return given(kFloat32, {}, {value}); };
  const auto most = [](double value) { return given(kInt32, {}, {value}); };
  return {
      {{boxes, scores, most(3), number(0.5), number(0)}},
      {{boxes, scores, most(1), number(0.5), number(0)}},
      {{boxes, scores, most(10), number(1), number(0.2)}},
      {{f32({0, 4}), f32({0}), most(3), number(0.5), number(0)}},
      {{f32({2, 4}), f32({2}), most(0), number(0.5), number(0)}},
      {.inputs = {f32({1000, 4}), f32({1000}), most(100), number(0.5), number(0)},
       .for_speed = true},
  };
}
std::vector<Sample> samples_v4() {
  std::vector<Sample> list = samples();
  list.push_back(list[0]);
  list.back().attrs = {{"pad_to_max_output_size", true}};
  return list;
}

}  // namespace

PEN_OP_DEF(non_max_suppression) = {
    .name = "NonMaxSuppressionV3",
    .doc =
        "The numbers of the boxes with the best scores that overlap no better one by more than "
        "iou_threshold.",
    .inputs = {in("boxes", DType::kFloat32), in("scores", DType::kFloat32),
               host("max_output_size", DType::kInt32), in("iou_threshold", DType::kFloat32),
               in("score_threshold", DType::kFloat32)},
    .outputs = {"selected_indices"},
    .traits = {Trait::kDynamicShape},
    .infer = infer_v3,
    .cpu = cpu_v3,
    .grad = missing_gradient,
    .samples = samples,
};

PEN_OP_DEF(non_max_suppression_padded) = {
    .name = "NonMaxSuppressionV4",
    .doc = "As NonMaxSuppressionV3, with zeros up to max_output_size if asked for, and the count.",
    .inputs = {in("boxes", DType::kFloat32), in("scores", DType::kFloat32),
               host("max_output_size", DType::kInt32), in("iou_threshold", DType::kFloat32),
               in("score_threshold", DType::kFloat32)},
    .attrs = {bool_attr("pad_to_max_output_size", false)},
    .outputs = {"selected_indices", "valid_outputs"},
    .traits = {Trait::kDynamicShape},
    .infer = infer_v4,
    .cpu = cpu_v4,
    .grad = missing_gradient,
    .samples = samples_v4,
};

}  // namespace penstock
