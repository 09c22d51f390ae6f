// What OpDefs say of themselves to passes, graphs and Python's operators is so.
#include <penstock/ops/descriptors.h>

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include <penstock/ops.h>
#include <penstock/ops/registry.h>

namespace penstock {
namespace {

int64_t worked_out(Arithmetic arithmetic, int64_t a, int64_t b) {
  switch (arithmetic) {
    case Arithmetic::kNone:
      break;
    case Arithmetic::kAdd:
      return a + b;
    case Arithmetic::kSubtract:
      return a - b;
    case Arithmetic::kAnd:
      return a != 0 && b != 0;
    case Arithmetic::kNotEqual:
      return a != b;
    case Arithmetic::kLess:
      return a < b;
    case Arithmetic::kLessEqual:
      return a <= b;
    case Arithmetic::kGreater:
      return a > b;
    case Arithmetic::kGreaterEqual:
      return a >= b;
  }
  ADD_FAILURE();
  return 0;
}

TEST(Descriptors, ArithmeticIsWhatTheOpWorksOut) {
  std::set<Arithmetic> found;
  for (const OpDef* op : all_ops()) {
    if (op->arithmetic == Arithmetic::kNone) continue;
    found.insert(op->arithmetic);
    const DType dtype = op->arithmetic == Arithmetic::kAnd ? DType::kBool : DType::kInt64;
    for (const int a : {0, 1, 3}) {
      for (const int b : {0, 1, 3}) {
        const Tensor x = Tensor::scalar(dtype, a), y = Tensor::scalar(dtype, b);
        const Tensor made = cast(call(*op, {{x, y}})[0], DType::kInt64);
        EXPECT_EQ(made.data<int64_t>()[0], worked_out(op->arithmetic, a, b))
            << op->name.value << " of " << a << " and " << b;
      }
    }
  }
  EXPECT_EQ(found.size(), 8u);
}

TEST(Descriptors, OneNumberEverywhere) {
  int checked = 0;
  for (const OpDef* op : all_ops()) {
    if (!op->everywhere) continue;
    const Tensor made = call(*op, {{Tensor{5.0f, -2.0f}}})[0];
    EXPECT_EQ(made.to_vector<float>(), std::vector<float>(2, static_cast<float>(*op->everywhere)));
    ++checked;
  }
  EXPECT_EQ(checked, 2);
}

TEST(Descriptors, TheSameOpGivesTheSame) {
  const OpDef& op = *find_op("BiasAdd");
  const Attr plain("NHWC"), channels_first("NCHW");
  const OpDef* same = op.same_as({&plain, 1});
  ASSERT_NE(same, nullptr);
  EXPECT_EQ(same->attrs.size(), 0u);
  const Tensor x = reshape(Tensor{1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f}, Tensor{2, 3});
  const Tensor bias{10.0f, 20.0f, 30.0f};
  EXPECT_EQ(call(*same, {{x, bias}})[0].to_vector<float>(),
            call(op, {{x, bias}})[0].to_vector<float>());
  EXPECT_EQ(op.same_as({&channels_first, 1}), nullptr);
}

TEST(Descriptors, FieldsFitTheSignature) {
  for (const OpDef* op : all_ops()) {
    SCOPED_TRACE(op->name.value);
    const auto num_inputs = static_cast<int>(op->inputs.size());
    EXPECT_LT(op->repeated_input, num_inputs);
    if (op->traits.has(Trait::kBilinear)) {
      EXPECT_EQ(num_inputs, 2);
    }
    if (op->traits.has(Trait::kConverts)) {
      EXPECT_EQ(num_inputs, 1);
    }
    if (op->takes_rows != nullptr) {
      EXPECT_GE(num_inputs, 2);
    }
    if (op->traits.has(Trait::kCannotFail)) {
      EXPECT_FALSE(op->traits.has(Trait::kStateful));
    }
    if (op->traits.has(Trait::kPermutes)) {
      ASSERT_EQ(op->attrs.size(), 1u);
      EXPECT_EQ(op->attrs[0].kind, AttrKind::kInts);
    }
    for (const GraphName::AttrInput& input : op->graph_name.attr_inputs) {
      const auto is_it = [&](const AttrDef& attr) { return attr.name == input.attr; };
      EXPECT_TRUE(input.attr.empty() || std::any_of(op->attrs.begin(), op->attrs.end(), is_it))
          << input.attr;
    }
  }
}

TEST(Descriptors, AnOperatorHasOneOpOfEachKind) {
  std::set<std::pair<std::string_view, bool>> found;
  for (const OpDef* op : all_ops()) {
    for (const OperatorDef& def : op->operators) {
      EXPECT_TRUE(found.insert({def.name, def.for_other_dtypes}).second) << def.name;
      EXPECT_EQ(find_operator(def.name, def.for_other_dtypes), op);
      EXPECT_NE(find_operator(def.name), nullptr) << def.name;
    }
  }
  EXPECT_EQ(find_operator("add")->name.value, "AddV2");
  EXPECT_EQ(find_operator("mul", true)->name.value, "LogicalAnd");
  EXPECT_EQ(find_operator("nothing"), nullptr);
  EXPECT_EQ(found.size(), 28u);
}

}  // namespace
}  // namespace penstock
