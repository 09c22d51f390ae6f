// The text form: what is printed is read back, to the bit; what is no graph is refused.
#include "graph/graphs.h"

#include "support/testing.h"

namespace penstock {
namespace {

using namespace testing_support;

std::vector<Tensor> constants_of(const Graph& graph) {
  std::vector<Tensor> constants;
  for (size_t i = 0; i < graph.num_constants(); ++i)
    constants.push_back(graph.constant(static_cast<int32_t>(i)));
  return constants;
}

void expect_round_trip(const Graph& graph) {
  const std::string text = to_text(graph);
  const std::vector<Tensor> constants = constants_of(graph);
  const Graph read = parse_text(text, constants);
  EXPECT_EQ(to_text(read), text);
  ASSERT_EQ(read.num_constants(), graph.num_constants());
  for (size_t i = 0; i < constants.size(); ++i) {
    if (constants[i].dtype() == DType::kString) continue;
    EXPECT_TRUE(same_bits(read.constant(static_cast<int32_t>(i)), constants[i])) << text;
  }
}

TEST(GraphText, IsReadable) {
  const Function function = traced({Tensor{1.0f, 2.0f}}, [](const auto& in) {
    return std::vector<Tensor>{expand_dims(in[0] * Tensor{0.1f, 3.0f}, 0)};
  });
  EXPECT_EQ(function.text(),
            "%0 = input 0 : float32[2]\n"
            "%1 = constant [0.1, 3] : float32[2]\n"
            "%2 = Mul(%0, %1) : float32[2]\n"
            "%3 = ExpandDims(%2) {axis=0} : float32[1,2]\n"
            "return %3\n");
}

TEST(GraphText, TracedFunctionsAreReadBack) {
  const Tensor x = Tensor::from<float>(std::vector<float>(12, 0.5f), {3, 4});
  std::vector<float> many(100);
  for (size_t i = 0; i < many.size(); ++i) many[i] = static_cast<float>(i);
  const Tensor large = Tensor::from<float>(many, {100});
  Variable variable(x);
  Trace trace("f");
  set_locator([] { return SourceLine{"a dir/model.py", 12}; });
  const Tensor in = trace.input(DType::kFloat32, {3, 4});
  const Tensors halves = split(in, 2, 1);
  variable.assign(variable.value() + softmax(in));
  const Tensor loss =
      reduce_sum(leaky_relu(halves[0], 0.3), {0, 1}, true) + reduce_sum(large, {0}, false);
  const Tensor image =
      conv2d(reshape(in, Tensor{1, 3, 4, 1}), fill(Tensor{2, 2, 1, 1}, Tensor(0.1f)),
             std::vector<int64_t>{1, 1, 1, 1}, "SAME");
  set_locator(nullptr);
  const Function function = trace.finish({loss, halves[1], image, transpose(in)});
  expect_round_trip(function.state().graph);
  expect_round_trip(simplify(function.state().graph));
}

TEST(GraphText, ConstantsOfEveryDTypeAreReadBack) {
  Graph graph;
  for (int d = 1; d < kNumDTypes; ++d) {
    const auto dtype = static_cast<DType>(d);
    if (dtype == DType::kString) continue;
    graph.add_constant(kComplexTypes.has(dtype) ? cast(edge_values(DType::kFloat32), dtype)
                                                : edge_values(dtype));
  }
  const std::string_view texts[] = {"plain", "with \"quotes\" and ] : and \\", "line\nbreak", ""};
  graph.add_constant(Tensor::from_strings(texts, {2, 2}));
  const uint32_t nan_bits = 0x7fc12345;
  float nan;
  std::memcpy(&nan, &nan_bits, sizeof nan);
  graph.add_constant(Tensor(nan));
  graph.add_constant(Tensor::from<double>({}, {0, 3}));
  expect_round_trip(graph);
  EXPECT_EQ(parse_text(to_text(graph)).constant(15).string_at(1), texts[1]);
}

TEST(GraphText, LargeConstantsMustBeGiven) {
  Graph graph;
  graph.add_constant(Tensor::from<float>(std::vector<float>(100, 1.0f), {100}));
  const std::string text = to_text(graph);
  EXPECT_ERROR(InvalidArgumentError, "no tensor was given", parse_text(text));
  const Tensor other = Tensor::from<float>(std::vector<float>(100, 2.0f), {100});
  EXPECT_ERROR(InvalidArgumentError, "no tensor was given", parse_text(text, {&other, 1}));
}

TEST(GraphText, WhatIsNoGraphIsRefused) {
  const char* const kWrong[] = {
      "",
      "return",  // fine: an empty graph
      "%0 = input 0 : float32[2]\n",
      "%1 = input 0 : float32[2]\nreturn\n",
      "%0 = input 1 : float32[2]\nreturn\n",
      "%0 = input 0 : float33[2]\nreturn\n",
      "%0 = input 0 : float32[-2]\nreturn\n",
      "%0 = input 0 : float32[2\nreturn\n",
      "%0 = input 0 : float32[2] and more\nreturn\n",
      "%0 = input 0 : float32[1,1,1,1,1,1,1,1,1,1]\nreturn\n",
      "%0 = constant [1, 2 : float32[2]\nreturn\n",
      "%0 = constant [1] : float32[2]\nreturn\n",
      "%0 = constant [1, 2, 3] : float32[2]\nreturn\n",
      "%0 = constant [\"a] : string[1]\nreturn\n",
      "%0 = constant [\"\\x4\"] : string[1]\nreturn\n",
      "%0 = constant [1] : string[1]\nreturn\n",
      "%0 = constant [] : float32[1000000000000]\nreturn\n",
      "%0 = constant #zz : float32[2]\nreturn\n",
      "%0 = Nothing() : float32[2]\nreturn\n",
      "%0 = Exp() : float32[2]\nreturn\n",
      "%0 = Exp(%0) : float32[2]\nreturn\n",
      "%0 = Exp(%9) : float32[2]\nreturn\n",
      "%0 = input 0 : float32[2]\n%1 = Exp(%0) : float32[3]\nreturn\n",
      "%0 = input 0 : float32[2]\n%1 = Exp(%0, %0) : float32[2]\nreturn\n",
      "%0 = input 0 : float32[2]\n%1, %2 = Exp(%0) : float32[2], float32[2]\nreturn\n",
      "%0 = input 0 : float32[2]\n%1 = ExpandDims(%0) : float32[1,2]\nreturn\n",
      "%0 = input 0 : float32[2]\n%1 = ExpandDims(%0) {axis=x} : float32[1,2]\nreturn\n",
      "%0 = input 0 : float32[2]\n%1 = ExpandDims(%0) {axis=7} : float32[1,2]\nreturn\n",
      "%0 = input 0 : float32[2]\nreturn %1\n",
      "%0 = input 0 : float32[2]\nwrite -1 = %0\nreturn\n",
      "%0 = input 0 : float32[2]\nwrite 0 = %0\nwrite 0 = %0\nreturn\n",
      "return\nreturn\n",
  };
  for (const char* text : kWrong) {
    if (std::string_view(text) == "return") {
      EXPECT_EQ(parse_text(text).num_nodes(), 0u);
    } else {
      EXPECT_THROW(parse_text(text), InvalidArgumentError) << text;
    }
  }
}

}  // namespace
}  // namespace penstock
