// Dead code, common subexpressions, constants: each pass by itself, with the verifier after it.
#include "graph/graphs.h"

#include <penstock/memory/memory.h>

#include "graph/passes/dead_code.h"
#include "graph/passes/fold_constants.h"

namespace penstock {
namespace {

using namespace testing_support;

class Passes : public testing::Test {
 protected:
  const Tensor x_ = Tensor::from<float>({1, -2, 0.5f, 7}, {4});
  const Tensor row_ = Tensor::from<float>({2, 3, 5, 7}, {4});
};

std::vector<Tensor> one(Tensor tensor) { return {std::move(tensor)}; }

TEST_F(Passes, DeadCodeIsDropped) {
  const Function function = traced({x_, x_}, [&](const auto& in) {
    const Tensor unused = exp(in[0] * row_);
    return one(tanh(in[0]));
  });
  const Graph& graph = function.state().graph;
  verify(graph);
  EXPECT_EQ(count(graph), 1);
  EXPECT_EQ(graph.num_constants(), 0u);
  EXPECT_EQ(graph.num_inputs(), 2u);  // the caller gives both
}

TEST_F(Passes, EqualCallsAreOne) {
  const Function function = traced({x_}, [&](const auto& in) {
    return one(exp(in[0] + row_) * exp(in[0] + row_) - exp(row_ + in[0]));
  });
  const Graph merged = drop_dead_code(merge_equal_calls(function.state().graph));
  verify(merged);
  EXPECT_EQ(count(merged, "Exp"), 2);  // x + y and y + x are two: NaNs and zeros tell them apart
  EXPECT_EQ(count(merged, "AddV2"), 2);
  EXPECT_TRUE(same_bits(function({x_})[0], exp(x_ + row_) * exp(x_ + row_) - exp(row_ + x_)));
}

TEST_F(Passes, AttributesTellCallsApart) {
  const Graph graph = simplified(
      {x_}, [&](const auto& in) { return one(leaky_relu(in[0], 0.1) + leaky_relu(in[0], 0.2)); });
  EXPECT_EQ(count(graph, "LeakyRelu"), 2);
}

TEST_F(Passes, RandomCallsAreNotMerged) {
  const Function function =
      traced({}, [&](const auto&) { return one(random::normal({1000}) - random::normal({1000})); });
  const Graph graph = simplify(function.state().graph);
  verify(graph);
  EXPECT_EQ(count(graph), count(function.state().graph));
}

TEST_F(Passes, ConstantsAreFolded) {
  // Larger than the values evaluated while tracing, and not larger than its own inputs.
  std::vector<float> values(600);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const Tensor big = Tensor::from<float>(values, {600});
  const Body body = [&](const auto& in) {
    return one(reduce_sum(exp(big * Tensor(0.01f)), {0}, false) * in[0]);
  };
  const Function function = traced({x_}, body);
  const Graph folded = drop_dead_code(fold_constants(function.state().graph));
  verify(folded);
  EXPECT_EQ(count(folded), 1) << to_text(folded);
  EXPECT_EQ(count(simplified({x_}, body)), 1);
}

TEST_F(Passes, ConstantsAreNotFoldedToGrow) {
  const Graph graph = simplified({Tensor(1.0f)}, [&](const auto& in) {
    return one(concat(
        std::vector<Tensor>{fill(Tensor{4096}, in[0]), fill(Tensor{4096}, Tensor(2.0f))}, 0));
  });
  int64_t bytes = 0;
  for (size_t i = 0; i < graph.num_constants(); ++i)
    bytes += graph.constant(static_cast<int32_t>(i)).num_bytes();
  EXPECT_LT(bytes, 64);
}

TEST_F(Passes, AnErrorOfAConstantCallIsTheCallers) {
  std::vector<float> values(600, 1.0f);
  values[0] = 2;
  const Tensor table = Tensor::from<float>(values, {600});
  std::vector<int32_t> rows(300, 1000);
  const Tensor wrong = Tensor::from<int32_t>(rows, {300});
  const Function function = traced({x_}, [&](const auto&) { return one(gather(table, wrong)); });
  EXPECT_THROW(function({x_}), InvalidArgumentError);
}

TEST_F(Passes, EqualConstantsAreOne) {
  const Tensor again = Tensor::from<float>({2, 3, 5, 7}, {4});
  const Function function = traced({x_}, [&](const auto& in) { return one(in[0] * row_ + again); });
  EXPECT_EQ(function.state().graph.num_constants(), 2u);
  const Graph shared = share_constants(function.state().graph);
  verify(shared);
  EXPECT_EQ(shared.num_constants(), 1u);
}

TEST_F(Passes, RepeatedConstantsAreStoredOnce) {
  const Body body = [&](const auto& in) {
    const Tensor sevens = Tensor::from<float>(std::vector<float>(64 * 64, 7.0f), {64, 64});
    return one(matmul(in[0], sevens));
  };
  const Tensor x = Tensor::from<float>(std::vector<float>(64 * 64, 0.5f), {64, 64});
  const int64_t before = memory::info().current;
  const Function function = traced({x}, body);
  EXPECT_LT(memory::info().current - before, 4096);  // the 16 KiB are gone
  EXPECT_EQ(count(function.state().graph, "Fill"), 1);
  EXPECT_EQ(count(simplified({x}, body), "MatMul"), 1);
}

TEST_F(Passes, ARepeatedConstantThatGoesOutStays) {
  const Tensor sevens = Tensor::from<float>(std::vector<float>(1024, 7.0f), {1024});
  const Graph graph =
      simplified({x_}, [&](const auto&) { return std::vector<Tensor>{sevens, sevens}; });
  EXPECT_EQ(count(graph), 0);
}

TEST_F(Passes, LinesAreKept) {
  set_locator([] { return SourceLine{"model.py", 12}; });
  const Function function =
      traced({x_}, [&](const auto& in) { return one(exp(in[0] * Tensor(1.0f))); });
  set_locator(nullptr);
  EXPECT_NE(to_text(simplify(function.state().graph)).find("# model.py:12"), std::string::npos);
}

TEST_F(Passes, GradientsSeeTheGraphAsTraced) {
  const Function function =
      traced({x_}, [&](const auto& in) { return one(stop_gradient(in[0]) * in[0]); });
  EXPECT_EQ(count(simplify(function.state().graph)), 1);
  Tape tape;
  tape.watch(x_);
  const Tensor y = function({x_})[0];
  EXPECT_TRUE(same_bits(tape.gradient(y, x_), x_));  // and not 2x
}

TEST_F(Passes, VariablesAreUpdatedAlike) {
  Variable a(x_), b(row_);
  const Function function = [&] {
    Trace trace("swap");
    const Tensor old = identity(a.value());
    a.assign(b.value() * Tensor(1.0f));
    b.assign(reshape(old, Tensor{4}));
    return trace.finish({old + a.value()});
  }();
  const Graph graph = simplify(function.state().graph);
  verify(graph);
  EXPECT_EQ(count(graph), 1);
  EXPECT_TRUE(same_bits(function({})[0], x_ + row_));
  EXPECT_TRUE(same_bits(a.value(), row_));
  EXPECT_TRUE(same_bits(b.value(), x_));
}

TEST_F(Passes, ANodeIsSmall) {
  const Function function = traced({x_}, [&](const auto& in) {
    Tensor sum = in[0];
    for (int i = 0; i < 1000; ++i) sum = sum + in[0];
    return one(sum);
  });
  EXPECT_LE(function.state().graph.memory_bytes(), 1000 * 120);  // lists grow by doubling
  EXPECT_LE(sizeof(Node) + sizeof(Value) + 2 * sizeof(ValueId), 100u);
}

}  // namespace
}  // namespace penstock
