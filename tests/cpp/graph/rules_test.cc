// Every rule by example, and what OpDefs declare held against their kernels.
#include "graph/graphs.h"

#include <penstock/ops/registry.h>

namespace penstock {
namespace {

using namespace testing_support;

class Rules : public testing::Test {
 protected:
  const Tensor x_ = Tensor::from<float>({1, -2, 0.5f, -0.0f, 3, 4}, {2, 3});
};

std::vector<Tensor> one(Tensor tensor) { return {std::move(tensor)}; }

TEST_F(Rules, NeutralOperandsVanish) {
  for (const Body& body : std::vector<Body>{
           [&](const auto& in) { return one(in[0] * Tensor(1.0f)); },
           [&](const auto& in) { return one(Tensor(1.0f) * in[0]); },
           [&](const auto& in) { return one(in[0] / Tensor(1.0f)); },
           [&](const auto& in) { return one(in[0] - Tensor(0.0f)); },
           [&](const auto& in) { return one(in[0] + Tensor(-0.0f)); },
           [&](const auto& in) { return one(pow(in[0], Tensor(1.0f))); },
           [&](const auto& in) { return one(in[0] * fill(Tensor{2, 3}, Tensor(1.0f))); },
           [&](const auto& in) { return one(negative(negative(in[0]))); },
       }) {
    const Graph graph = simplified({x_}, body);
    EXPECT_EQ(count(graph), 0) << to_text(graph);
  }
}

TEST_F(Rules, WhatIsNotExactStays) {
  for (const Body& body : std::vector<Body>{
           [&](const auto& in) { return one(in[0] + Tensor(0.0f)); },
           [&](const auto& in) { return one(in[0] - Tensor(-0.0f)); },
           [&](const auto& in) { return one(Tensor(0.0f) - in[0]); },
           [&](const auto& in) { return one(in[0] * Tensor(0.0f)); },
           [&](const auto& in) { return one(Tensor(1.0f) / in[0]); },
           // One that makes the shape larger.
           [&](const auto& in) { return one(in[0] * fill(Tensor{2, 2, 3}, Tensor(1.0f))); },
       }) {
    const Graph graph = simplified({x_}, body);
    EXPECT_GE(count(graph), 1) << to_text(graph);
  }
}

TEST_F(Rules, DeclaredNeutralElementsAreExact) {
  int checked = 0;
  for (const OpDef* op : all_ops()) {
    for (int d = 1; d < kNumDTypes; ++d) {
      const auto dtype = static_cast<DType>(d);
      if (!op->neutral.dtypes.has(dtype) || !op->input(0).dtypes.has(dtype)) continue;
      const Tensor x =
          kComplexTypes.has(dtype) ? cast(edge_values(DType::kFloat32), dtype) : edge_values(dtype);
      const Tensor neutral = Tensor::scalar(dtype, op->neutral.value);
      EXPECT_TRUE(same_bits(call(*op, {{x, neutral}})[0], x))
          << op->name.value << " " << dtype_name(dtype) << " "
          << to_string(call(*op, {{x, neutral}})[0]) << to_string(x);
      if (op->traits.has(Trait::kCommutative)) {
        EXPECT_TRUE(same_bits(call(*op, {{neutral, x}})[0], x)) << op->name.value;
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, 40);
}

TEST_F(Rules, DeclaredRepetitionsAreExact) {
  int checked = 0;
  for (const OpDef* op : all_ops()) {
    const bool undoes = op->traits.has(Trait::kInvolution);
    if (!undoes && !op->traits.has(Trait::kIdempotent)) continue;
    if (op->inputs.size() != 1 || op->attrs.size() != 0) continue;
    for (int d = 1; d < kNumDTypes; ++d) {
      const auto dtype = static_cast<DType>(d);
      if (!op->input(0).dtypes.has(dtype)) continue;
      const Tensor x =
          kComplexTypes.has(dtype) ? cast(edge_values(DType::kFloat32), dtype) : edge_values(dtype);
      const Tensor once = call(*op, {{x}})[0];
      EXPECT_TRUE(same_bits(call(*op, {{once}})[0], undoes ? x : once))
          << op->name.value << " " << dtype_name(dtype);
      ++checked;
    }
  }
  EXPECT_GT(checked, 30);
}

TEST_F(Rules, WhatOnlySharesVanishes) {
  const Graph graph = simplified({x_}, [&](const auto& in) {
    const Tensor same = identity(stop_gradient(cast(in[0], DType::kFloat32)));
    return one(exp(transpose(reshape(same, Tensor{2, 3}), std::vector<int64_t>{0, 1})));
  });
  EXPECT_EQ(count(graph), 1) << to_text(graph);
}

TEST_F(Rules, CastsThatLoseNothingAreLeftOut) {
  for (int a = 1; a < kNumDTypes; ++a) {
    for (int b = 1; b < kNumDTypes; ++b) {
      for (int c = 1; c < kNumDTypes; ++c) {
        const auto from = static_cast<DType>(a), through = static_cast<DType>(b),
                   to = static_cast<DType>(c);
        const DTypeSet types = kRealTypes | DType::kBool;
        if (!types.has(from) || !types.has(through) || !types.has(to)) continue;
        const Graph graph = simplified({edge_values(from)}, [&](const auto& in) {
          return one(cast(cast(in[0], through), to));
        });
        const bool is_exact = from == DType::kInt8 && through == DType::kFloat16 && to == from;
        EXPECT_LE(count(graph), is_exact ? 0 : 2);
      }
    }
  }
}

TEST_F(Rules, TransposesAreOne) {
  const Tensor x = Tensor::from<int32_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {2, 3, 2});
  using Perm = std::vector<int64_t>;
  EXPECT_EQ(
      count(simplified({x},
                       [&](const auto& in) {
                         return one(transpose(transpose(in[0], Perm{1, 2, 0}), Perm{1, 0, 2}));
                       })),
      1);
  EXPECT_EQ(
      count(simplified({x},
                       [&](const auto& in) {
                         return one(transpose(transpose(in[0], Perm{1, 2, 0}), Perm{2, 0, 1}));
                       })),
      0);
  EXPECT_EQ(
      count(simplified({x}, [&](const auto& in) { return one(transpose(transpose(in[0]))); })), 0);
}

TEST_F(Rules, ReshapesAreOne) {
  const Graph graph = simplified({x_}, [&](const auto& in) {
    return one(reshape(expand_dims(reshape(in[0], Tensor{6}), 0), Tensor{3, 2}));
  });
  EXPECT_EQ(count(graph), 1);
  EXPECT_EQ(count(graph, "Reshape"), 1) << to_text(graph);
}

TEST_F(Rules, RepeatedOperandsAreNotMade) {
  const Tensor x = fill(Tensor{64, 64}, Tensor(0.3f));
  const Body body = [&](const auto& in) {
    const Tensor ones = ones_like(in[0]);
    const Tensor row = broadcast_to(reduce_sum(in[0], {0}, false), Tensor{64, 64});
    return one(in[0] * fill(Tensor{64, 64}, Tensor(2.0f)) + ones - row);
  };
  const Graph graph = simplified({x}, body);
  EXPECT_EQ(count(graph, "Fill") + count(graph, "OnesLike") + count(graph, "BroadcastTo"), 0)
      << to_text(graph);
}

}  // namespace
}  // namespace penstock
