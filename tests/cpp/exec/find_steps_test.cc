// What kind of step the nodes of a graph become, and what such a step knows.
#include "exec/compile/fusion/find_steps.h"

#include <vector>

#include <penstock/exec/control.h>
#include <penstock/ops/operators.h>

#include "graph/passes/simplify.h"
#include "support/functions.h"

namespace penstock::exec {
namespace {

using namespace testing_support;
using Kind = Step::Kind;
using Kinds = std::vector<Kind>;

struct Found {
  Graph graph;
  std::vector<Step> steps;

  Kinds kinds() const {
    Kinds all;
    for (const Step& step : steps) all.push_back(step.kind());
    return all;
  }
};

Found steps_of(const Body& body, std::span<const Tensor> inputs) {
  Found found;
  found.graph = simplify(traced(body, inputs).state().graph);
  found.steps = find_steps(found.graph);
  return found;
}

TEST(FindSteps, AnOpByItself) {
  const Tensor few = numbers(DType::kFloat32, {4, 6}, 1);
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    const Tensor sum = reduce_sum(in[0] * in[0], {0});  // a loop called at once, then a kernel
    return {sum, reshape(in[0], Tensor{int32_t{24}})};  // and one that only shares
  };
  const Found found = steps_of(body, {&few, 1});
  EXPECT_EQ(found.kinds(), (Kinds{Kind::kDirectLoop, Kind::kKernel, Kind::kShared}));
  const DirectLoop& loop = found.steps[0].loop();
  EXPECT_EQ(loop.n, 24);
  EXPECT_EQ(loop.values[3], found.graph.node(found.steps[0].nodes[0]).first_output);
}

TEST(FindSteps, OpsThatRunTogether) {
  const Tensor many = numbers(DType::kFloat32, {100, 128}, 1);
  const Tensor matrix = numbers(DType::kFloat32, {128, 128}, 2);
  const Tensor bias = numbers(DType::kFloat32, {128}, 3);
  const std::vector<Tensor> inputs = {many, matrix, bias};
  const Found tiles = steps_of(
      [](std::span<const Tensor> in) -> std::vector<Tensor> {
        return {reduce_sum(tanh(in[0]) * in[0] + 1)};
      },
      inputs);
  ASSERT_EQ(tiles.kinds(), Kinds{Kind::kTiles});
  EXPECT_EQ(tiles.steps[0].tiles().ops.size(), 4u);
  const Found product = steps_of(
      [](std::span<const Tensor> in) -> std::vector<Tensor> {
        return {relu(matmul(in[0], in[1]) + in[2])};
      },
      inputs);
  ASSERT_EQ(product.kinds(), Kinds{Kind::kProduct});
  EXPECT_EQ(product.steps[0].nodes.size(), 3u);
  EXPECT_EQ(product.steps[0].product().bias, product.graph.inputs()[2]);
}

TEST(FindSteps, SingleElementsAndControls) {
  const Tensor one(1.5f);
  const Found found = steps_of(
      [](std::span<const Tensor> in) -> std::vector<Tensor> {
        const Tensor rate = in[0] * 2 + in[0];
        return {cond(
            greater(rate, Tensor(1.f)), [&] { return Tensors{rate * 3}; },
            [&] { return Tensors{rate - 1}; })[0]};
      },
      {&one, 1});
  ASSERT_EQ(found.kinds(), (Kinds{Kind::kScalars, Kind::kControl}));
  // What the branch needs is stored: its number and the rate.
  EXPECT_EQ(found.steps[0].scalars().stores.size(), 2u);
  EXPECT_EQ(found.steps[1].control(), 0);
}

// Values that others need than the step that makes them have to leave it.
TEST(FindSteps, WhatIsNeededElsewhereLeavesItsTiles) {
  const Tensor many = numbers(DType::kFloat32, {100, 128}, 1);
  const Found found = steps_of(
      [](std::span<const Tensor> in) -> std::vector<Tensor> {
        const Tensor y = exp(in[0]) + in[0];
        return {y, y * 2};
      },
      {&many, 1});
  ASSERT_EQ(found.kinds(), Kinds{Kind::kTiles});
  const Tiles& tiles = found.steps[0].tiles();
  size_t outside = 0;
  for (const TileOp& op : tiles.ops) outside += tiles.operand(op, op.num_inputs).is_outside();
  EXPECT_EQ(outside, 2u);
}

}  // namespace
}  // namespace penstock::exec
