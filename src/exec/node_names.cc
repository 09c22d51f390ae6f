#include "exec/node_names.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <vector>

#include <penstock/base/strings.h>

namespace penstock::exec {
namespace {

// Which attribute of an op TensorFlow has as an input, and what the input is called.
struct AttrInput {
  std::string_view op, attr, name;
};
constexpr AttrInput kAttrInputs[] = {
    {"All", "axis", "reduction_indices"},
    {"Any", "axis", "reduction_indices"},
    {"ArgMax", "axis", "dimension"},
    {"ArgMin", "axis", "dimension"},
    {"ConcatV2", "axis", "axis"},
    {"Cumprod", "axis", "axis"},
    {"Cumsum", "axis", "axis"},
    {"CumulativeLogsumexp", "axis", "axis"},
    {"EuclideanNorm", "axis", "reduction_indices"},
    {"ExpandDims", "axis", "dim"},
    {"GatherV2", "axis", "axis"},
    {"Max", "axis", "reduction_indices"},
    {"Mean", "axis", "reduction_indices"},
    {"Min", "axis", "reduction_indices"},
    {"Prod", "axis", "reduction_indices"},
    {"ReduceJoin", "axis", "reduction_indices"},
    {"ReverseV2", "axis", "axis"},
    {"Split", "axis", "split_dim"},
    {"SplitV", "size_splits", "Const"},
    {"SplitV", "axis", "split_dim"},
    {"Sum", "axis", "reduction_indices"},
    {"Transpose", "perm", "perm"},
};

const AttrInput* find_attr_input(std::string_view op, std::string_view attr) {
  for (const AttrInput& each : kAttrInputs) {
    if (each.op == op && each.attr == attr) return &each;
  }
  return nullptr;
}

Tensor as_tensor(std::span<const int64_t> values) {
  const std::vector<int32_t> narrow(values.begin(), values.end());
  return Tensor::from<int32_t>(std::span<const int32_t>(narrow),
                               {static_cast<int64_t>(narrow.size())});
}

Tensor one(int64_t value) { return Tensor::scalar(DType::kInt32, static_cast<double>(value)); }

bool is_all_axes(std::span<const int64_t> axes) {
  const std::span<const int64_t> all = kAllAxes.as_ints();
  return axes.size() == all.size() && std::equal(axes.begin(), axes.end(), all.begin());
}

// All axes of a shape, the first or the last one first.
std::optional<Tensor> axes_of(const Shape* shape, bool is_reversed) {
  if (shape == nullptr || !shape->has_rank()) return std::nullopt;
  std::vector<int64_t> axes;
  for (int i = 0; i < shape->rank(); ++i) axes.push_back(is_reversed ? shape->rank() - 1 - i : i);
  return as_tensor(axes);
}

}  // namespace

DefaultName default_name(std::string_view type) {
  static const std::unordered_map<std::string_view, DefaultName> kNames = {
      {"AccumulateN", {"AddN", ""}},
      {"AddV2", {"Add", ""}},
      {"BatchNormalization", {"batchnorm", "add_1"}},
      {"BooleanMask", {"boolean_mask", "GatherV2"}},
      {"CRelu", {"CRelu", "Relu"}},
      {"ClipByNorm", {"clip_by_norm", ""}},
      {"ClipByValue", {"clip_by_value", ""}},
      {"ConcatV2", {"concat", ""}},
      {"ConfusionMatrix", {"confusion_matrix", "ScatterNd"}},
      {"Conv1D", {"conv1d", "Squeeze"}},
      {"DepthwiseConv2dNative", {"depthwise", ""}},
      {"DivNoNan", {"div_no_nan", ""}},
      {"Dropout", {"dropout", "SelectV2"}},
      {"Einsum", {"einsum", "Einsum"}},
      {"Eye", {"eye", "diag"}},
      {"FloorDiv", {"floordiv", ""}},
      {"GlobalNorm", {"global_norm", "global_norm"}},
      {"InTopKV2", {"in_top_k", "*"}},
      {"L2Normalize", {"l2_normalize", ""}},
      {"LinSpace", {"linspace", "Slice"}},
      {"LogPoissonLoss", {"log_poisson_loss", "sub"}},
      {"LogSoftmaxV2", {"LogSoftmax", ""}},
      {"MatrixDiagPartV3", {"diag_part", ""}},
      {"MatrixDiagV3", {"diag", ""}},
      {"MatrixTranspose", {"matrix_transpose", "transpose"}},
      {"Matvec", {"MatVec", "Squeeze"}},
      {"Multinomial", {"multinomial", "Multinomial"}},
      {"Norm", {"norm", "Squeeze"}},
      {"OneHot", {"one_hot", ""}},
      {"Pack", {"stack", ""}},
      {"PadV2", {"Pad", ""}},
      {"Range", {"range", ""}},
      {"ReduceLogsumexp", {"ReduceLogSumExp", ""}},
      {"ReduceStd", {"reduce_std", "Sqrt"}},
      {"ReduceVariance", {"reduce_variance", "Mean_1"}},
      {"ReluLayer", {"relu_layer", ""}},
      {"SequenceMask", {"SequenceMask", "Less"}},
      {"SigmoidCrossEntropyWithLogits", {"logistic_loss", ""}},
      {"SoftmaxV2", {"Softmax", ""}},
      {"SparseSoftmaxCrossEntropyWithLogits", {"SparseSoftmaxCrossEntropyWithLogits", "*"}},
      {"Split", {"split", ""}},
      {"SplitV", {"split", ""}},
      {"StridedSlice", {"strided_slice", ""}},
      {"Transpose", {"transpose", ""}},
      {"Unpack", {"unstack", ""}},
      {"WeightedCrossEntropyWithLogits", {"logistic_loss", ""}},
      {"XwPlusB", {"xw_plus_b", ""}},
      {"ZeroFraction", {"zero_fraction", "fraction"}},
      {"ZerosLike", {"zeros_like", ""}},
  };
  const auto found = kNames.find(type);
  return found == kNames.end() ? DefaultName{type, ""} : found->second;
}

std::string input_name(const OpDef& op, size_t i) {
  const std::string_view name = op.input(i).name;
  // An index makes these of lists.
  if (op.name.value == "StridedSlice" && i > 0) return "stack";
  const size_t last = op.inputs.size() - 1;
  return op.input(i).many ? cat(name, "_", i - last) : std::string(name);
}

std::optional<NamedConstant> attr_as_input(const OpDef& op, size_t attr, const Attr& value,
                                           const Shape* first) {
  const AttrInput* found = find_attr_input(op.name, op.attrs[attr].name);
  if (found == nullptr) return std::nullopt;
  if (value.kind() == AttrKind::kInt) return NamedConstant{found->name, one(value.as_int())};
  const std::span<const int64_t> ints = value.as_ints();
  const bool is_permutation = found->name == "perm";
  if (is_permutation ? ints.empty() : is_all_axes(ints)) {
    const std::optional<Tensor> axes = axes_of(first, is_permutation);
    if (!axes) return std::nullopt;
    if (is_permutation) return NamedConstant{found->name, *axes};
    return NamedConstant{"Const", *axes, true};
  }
  if (found->name == "Const") return NamedConstant{"Const", as_tensor(ints), true};
  if (ints.size() == 1 && !is_permutation) return NamedConstant{found->name, one(ints[0])};
  return NamedConstant{found->name, as_tensor(ints)};
}

}  // namespace penstock::exec
