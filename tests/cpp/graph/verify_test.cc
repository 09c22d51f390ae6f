// The verifier refuses graphs that break a rule.
#include "graph/graphs.h"

#include <penstock/ops/registry.h>

#include "support/testing.h"

namespace penstock {
namespace {

class Verify : public testing::Test {
 protected:
  NodeId add(std::string_view op, std::initializer_list<ValueId> inputs, const Shape& shape,
             DType dtype = DType::kFloat32, Attrs attrs = {}) {
    const OutputSpec output{dtype, shape, -1, 0};
    return graph_.add_op(*find_op(op), {inputs.begin(), inputs.size()}, attrs, {&output, 1});
  }
  void expect_broken(const char* text) { EXPECT_ERROR(InternalError, text, verify(graph_)); }

  Graph graph_;
  ValueId x_ = graph_.add_input(DType::kFloat32, {2});
};

TEST_F(Verify, TakesWhatIsRight) {
  add("AddV2", {x_, x_}, {2});
  graph_.set_outputs(std::vector<ValueId>{1});
  verify(graph_);
}

TEST_F(Verify, UseBeforeDefinition) {
  add("AddV2", {x_, 1}, {2});
  expect_broken("uses a later value");
}

TEST_F(Verify, WrongShape) {
  add("AddV2", {x_, x_}, {3});
  expect_broken("infer gives");
}

TEST_F(Verify, WrongDType) {
  add("AddV2", {x_, x_}, {2}, DType::kInt32);
  expect_broken("infer gives");
}

TEST_F(Verify, WrongNumberOfInputs) {
  add("AddV2", {x_}, {2});
  expect_broken("does not take");
}

TEST_F(Verify, InputsOfTwoDTypes) {
  const ValueId whole = graph_.add_input(DType::kInt32, {2});
  add("AddV2", {x_, whole}, {2});
  expect_broken("cannot be int32");
}

TEST_F(Verify, MissingAttributes) {
  add("ExpandDims", {x_}, {1, 2});
  expect_broken("other attributes");
}

TEST_F(Verify, AttributesOfAnotherKind) {
  const Attr axis(0.5);
  add("ExpandDims", {x_}, {1, 2}, DType::kFloat32, {&axis, 1});
  expect_broken("other attributes");
}

TEST_F(Verify, ComposedOps) {
  const Attr attrs[] = {DType::kInt32};
  add("SaturateCast", {x_}, {2}, DType::kInt32, attrs);
  EXPECT_FALSE(is_closed(graph_));
  verify(graph_);
}

TEST_F(Verify, OutputsThatAreNotThere) {
  graph_.set_outputs(std::vector<ValueId>{5});
  expect_broken("no value 5");
}

TEST_F(Verify, TwoWritesOfASlot) {
  graph_.set_writes(std::vector<Write>{{0, x_}, {0, x_}});
  expect_broken("written twice");
}

}  // namespace
}  // namespace penstock
