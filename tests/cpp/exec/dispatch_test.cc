// What dispatch refuses, and how it books what it runs.
#include <penstock/ops/dispatch.h>

#include <algorithm>
#include <set>

#include <penstock/ops.h>
#include <penstock/ops/registry.h>
#include <penstock/ops/sample.h>

#include "support/test_ops.h"
#include "support/testing.h"

namespace penstock {
namespace {

using namespace testing_support;

TEST(Dispatch, RefusesTheWrongNumberOfInputs) {
  const Tensor x{1.f};
  EXPECT_ERROR(InvalidArgumentError, "[TestTwice] takes 1 inputs, but got 0", run(twice_op, {}));
  EXPECT_ERROR(InvalidArgumentError, "takes 1 inputs, but got 2", run(twice_op, {&x, &x}));
  EXPECT_ERROR(InvalidArgumentError, "[Pack] takes 1 or more inputs, but got 0", call("Pack", {}));
}

TEST(Dispatch, RefusesWhatIsNoTensor) {
  const Tensor none{};
  EXPECT_ERROR(InvalidArgumentError, "input 'x' is not a tensor", run(twice_op, {&none}));
  const Tensor spent = Tensor{1.f}.without_data();
  EXPECT_ERROR(InvalidArgumentError, "handed over before", run(twice_op, {&spent}));
}

TEST(Dispatch, RefusesDTypes) {
  const Tensor wrong{1.0};
  EXPECT_ERROR(TypeError, "[TestTwice] input 'x' cannot be float64", run(twice_op, {&wrong}));
  EXPECT_ERROR(TypeError, "input 'y' was expected to be float32, as the others are, but is int32",
               add(Tensor{1.f}, Tensor{1}));
}

TEST(Dispatch, RefusesAttributes) {
  const auto with = [](std::initializer_list<NamedAttr> attrs) {
    return call(with_attrs_op, {}, {attrs.begin(), attrs.size()});
  };
  EXPECT_EQ(with({{"size", 2}})[0].dtype(), DType::kInt8);
  EXPECT_EQ(with({{"size", 2}, {"dtype", DType::kInt64}})[0].num_bytes(), 16);
  EXPECT_ERROR(InvalidArgumentError, "attribute 'size' is missing", with({}));
  EXPECT_ERROR(InvalidArgumentError, "an attribute that it does not have",
               with({{"size", 2}, {"sice", 3}}));
  EXPECT_ERROR(InvalidArgumentError, "attribute 'size' must be of kind int, but is string",
               with({{"size", "two"}}));
  EXPECT_ERROR(TypeError, "attribute 'dtype' is no dtype",
               with({{"size", 2}, {"dtype", static_cast<DType>(99)}}));
  EXPECT_ERROR(InvalidArgumentError, "takes 6 attributes, but got 0", run(with_attrs_op, {}));
}

TEST(Dispatch, AKernelsComplaintNamesItsNumbers) {
  const Tensor x{1.f, -7.f};
  EXPECT_ERROR(InvalidArgumentError, "[TestTwice] element 1 is -7", twice(x));
}

TEST(Dispatch, UnknownNamesAreNotFound) {
  EXPECT_ERROR(NotFoundError, "no op named Reshap", call("Reshap", {}));
  EXPECT_EQ(find_op("Reshap"), nullptr);
}

TEST(Dispatch, BooksResultsUnderTagAndOp) {
  const Tensor x = Tensor::empty(DType::kFloat32, {0});
  const int64_t gradients = memory::info(Tag::kGradient).current;
  const Tensor big = Tensor::from<float>(std::vector<float>(1 << 20), {1 << 20});
  const TagScope tag(Tag::kGradient);
  const Tensor y = twice(big);
  EXPECT_EQ(memory::info(Tag::kGradient).current - gradients, 4 << 20);
  const auto top = ledger::top_owners(3);
  EXPECT_TRUE(std::any_of(top.begin(), top.end(), [](const ledger::Holding& holding) {
    return holding.owner == "TestTwice" && holding.bytes == 4 << 20;
  }));
}

TEST(Dispatch, ScratchIsGoneAfterTheCall) {
  const Tensor x{1.f, 2.f, 3.f};
  const MemoryCounters before = memory::info(Tag::kWorkspace);
  const Tensor y = run(with_scratch_op, {&x})[0];
  EXPECT_EQ(y.to_vector<float>(), x.to_vector<float>());
  EXPECT_EQ(memory::info(Tag::kWorkspace).current, before.current);
  EXPECT_EQ(memory::info(Tag::kWorkspace).total - before.total, 12);
}

TEST(Dispatch, ABoundedResultKeepsOnlyWhatItNeeds) {
  for (const int64_t positives : {0, 3, 900, 1000}) {
    std::vector<float> values(1000, -1.f);
    std::fill_n(values.begin(), positives, 2.f);
    const Tensor x = Tensor::from<float>(values, {1000});
    const int64_t before = memory::info().current;
    const Tensor y = run(positives_op, {&x})[0];
    EXPECT_EQ(y.shape(), Shape{positives});
    EXPECT_EQ(memory::info().current - before, positives * 4);
    if (positives > 0) {
      EXPECT_EQ(y.number_at(positives - 1), 2);
    }
  }
}

TEST(Dispatch, StringsAreSharedNotCopied) {
  const Tensor text = Tensor::from_strings(std::vector<std::string_view>{"a long string"}, {});
  const int64_t before = memory::info(Tag::kHost).current;
  Tensor many = fill(Tensor{1000}, text);
  EXPECT_EQ(memory::info(Tag::kHost).current, before);
  EXPECT_EQ(many.string_at(999), "a long string");
}

TEST(Dispatch, SizesThatOverflowAreExhaustionByTheirOp) {
  const Tensor x{1.f, 2.f};
  EXPECT_ERROR(ResourceExhaustedError, "[Tile] the size of axis 0 overflows",
               tile(x, Tensor{INT64_MAX}));
  EXPECT_ERROR(ResourceExhaustedError, "[Fill] the number of elements of shape",
               fill(Tensor{INT64_MAX, INT64_MAX}, Tensor(1.f)));
  EXPECT_ERROR(ResourceExhaustedError, "[Fill] cannot allocate",
               fill(Tensor{INT64_MAX}, Tensor(true)));
}

TEST(Registry, KnowsEveryOpOnce) {
  std::set<std::string_view> names;
  for (const OpDef* op : all_ops()) {
    EXPECT_TRUE(names.insert(op->name.value).second) << op->name.value << " is there twice";
    EXPECT_EQ(find_op(op->name), op);
    EXPECT_FALSE(op->doc.value.empty());
  }
}

TEST(Registry, RefusesADefinitionThatCannotWork) {
  static constinit const OpDef wrong_type = {.name = "WrongType",
                                             .doc = "An input's type is not a letter.",
                                             .inputs = {in("x", kAnyType, '1')},
                                             .infer = [](InferContext&) {},
                                             .grad = no_gradient,
                                             .samples = [] { return std::vector<Sample>(); }};
  EXPECT_ERROR(InvalidArgumentError, "'WrongType' cannot be registered: an input's type",
               register_op(wrong_type));
  static constinit const OpDef wrong_forward = {.name = "WrongForward",
                                                .doc = "Forwards what it does not have.",
                                                .inputs = {in("x", kAnyType)},
                                                .forwards = {{1, 0}},
                                                .infer = [](InferContext&) {},
                                                .grad = no_gradient,
                                                .samples = [] { return std::vector<Sample>(); }};
  EXPECT_ERROR(InvalidArgumentError, "forwards an input or output that it does not have",
               register_op(wrong_forward));
  EXPECT_EQ(find_op("WrongType"), nullptr);
}

TEST(Registry, RefusesATakenName) {
  EXPECT_ERROR(AlreadyExistsError, "there is an op", register_op(*find_op("Reshape")));
}

}  // namespace
}  // namespace penstock
