#include "exec/v1/node_names.h"

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
      {"Adjoint", {"adjoint", "matrix_transpose/transpose"}},
      {"ArgSort", {"argsort", "", late_argsort}},
      {"AtrousConv2D", {"convolution", "", late_atrous}},
      {"AtrousConv2DTranspose", {"atrous_conv2d_transpose", "", late_atrous_transpose}},
      {"AvgPool1D", {"AvgPool1D", "Squeeze"}},
      {"BatchNormalization", {"batchnorm", "add_1"}},
      {"BesselI0", {"bessel_i0", "BesselI0"}},
      {"BesselI0e", {"bessel_i0e", "BesselI0e"}},
      {"BesselI1", {"bessel_i1", "BesselI1"}},
      {"BesselI1e", {"bessel_i1e", "BesselI1e"}},
      {"BesselJ0", {"bessel_j0", "BesselJ0"}},
      {"BesselJ1", {"bessel_j1", "BesselJ1"}},
      {"BesselK0", {"bessel_k0", "BesselK0"}},
      {"BesselK0e", {"bessel_k0e", "BesselK0e"}},
      {"BesselK1", {"bessel_k1", "BesselK1"}},
      {"BesselK1e", {"bessel_k1e", "BesselK1e"}},
      {"BesselY0", {"bessel_y0", "BesselY0"}},
      {"BesselY1", {"bessel_y1", "BesselY1"}},
      {"BooleanMask", {"boolean_mask", "GatherV2"}},
      {"CRelu", {"CRelu", "Relu"}},
      {"CholeskySolve", {"cholesky_solve", "MatrixTriangularSolve_1"}},
      {"ClipByNorm", {"clip_by_norm", ""}},
      {"ClipByValue", {"clip_by_value", ""}},
      {"ConcatV2", {"concat", ""}},
      {"ConfusionMatrix", {"confusion_matrix", "ScatterNd"}},
      {"Conv1D", {"conv1d", "Squeeze"}},
      {"Conv1DTranspose", {"conv1d_transpose", "Squeeze"}},
      {"Conv3DTranspose", {"conv3d_transpose", ""}},
      {"Convolution", {"convolution", "", late_convolution}},
      {"CountNonzero", {"count_nonzero", "", late_count_nonzero}},
      {"Dawsn", {"dawsn", "Dawsn"}},
      {"Dct", {"dct", "", late_dct}},
      {"DepthwiseConv2dNative", {"depthwise", "", late_depthwise}},
      {"DivNoNan", {"div_no_nan", ""}},
      {"Eigvals", {"Eig", ""}},
      {"Eigvalsh", {"SelfAdjointEigV2", ""}},
      {"Einsum", {"einsum", "Einsum"}},
      {"Erfcinv", {"erfcinv", "mul_1"}},
      {"Erfinv", {"erfinv", "Erfinv"}},
      {"Expint", {"expint", "Expint"}},
      {"Eye", {"eye", "diag"}},
      {"Fftshift", {"fftshift", ""}},
      {"FloorDiv", {"floordiv", ""}},
      {"FresnelCos", {"fresnel_cos", "FresnelCos"}},
      {"FresnelSin", {"fresnel_sin", "FresnelSin"}},
      {"Frame", {"frame", "", late_frame}},
      {"Gelu", {"Gelu", "", late_gelu}},
      {"GlobalNorm", {"global_norm", "global_norm"}},
      {"HistogramFixedWidth", {"histogram_fixed_width", ""}},
      {"HistogramFixedWidthBins", {"histogram_fixed_width_bins", "Reshape_1"}},
      {"HammingWindow", {"hamming_window", "", late_window}},
      {"HannWindow", {"hann_window", "", late_window}},
      {"IRFFT", {"irfft", ""}},
      {"Idct", {"dct", "", late_idct}},
      {"Ifftshift", {"ifftshift", ""}},
      {"InTopKV2", {"in_top_k", "*"}},
      {"IsNonDecreasing", {"is_non_decreasing", "All"}},
      {"IsStrictlyIncreasing", {"is_strictly_increasing", "All"}},
      {"L2Normalize", {"l2_normalize", ""}},
      {"Lbeta", {"lbeta", "sub"}},
      {"LinSpace", {"linspace", "Slice"}},
      {"LogPoissonLoss", {"log_poisson_loss", "sub"}},
      {"LogSoftmaxV2", {"LogSoftmax", "", late_softmax}},
      {"Logdet", {"logdet", "mul"}},
      {"LogicalXor", {"LogicalXor", "", late_xor}},
      {"LuMatrixInverse",
       {"lu_matrix_inverse", "lu_solve/triangular_solve_1/MatrixTriangularSolve"}},
      {"LuReconstruct", {"lu_reconstruct", "GatherV2"}},
      {"LuSolve", {"lu_solve", "triangular_solve_1/MatrixTriangularSolve"}},
      {"MatrixDiagPartV3", {"diag_part", ""}},
      {"MatrixDiagV3", {"diag", ""}},
      {"MatrixExponential", {"matrix_exponential", "Reshape_1"}},
      {"MatrixRank", {"matrix_rank", "Sum"}},
      {"MatrixSetDiagV3", {"set_diag", ""}},
      {"MatrixSolveLs", {"matrix_solve_ls", "cholesky_solve/MatrixTriangularSolve_1"}},
      {"MatrixTranspose", {"matrix_transpose", "transpose"}},
      {"MatrixTriangularSolve", {"triangular_solve", "MatrixTriangularSolve"}},
      {"Matvec", {"MatVec", "Squeeze"}},
      {"MaxPool1D", {"MaxPool1d", "Squeeze"}},
      {"MulNoNan", {"multiply_no_nan", ""}},
      {"Multinomial", {"multinomial", "Multinomial"}},
      {"NceLoss", {"Reshape", "", late_nce_loss}},
      {"Ndtri", {"ndtri", "Ndtri"}},
      {"Norm", {"norm", "", late_norm}},
      {"OneHot", {"one_hot", ""}},
      {"OverlapAndAdd", {"overlap_and_add", "", late_overlap}},
      {"Pack", {"stack", ""}},
      {"PadV2", {"Pad", ""}},
      {"Pinv", {"pinv", "MatMul"}},
      {"RFFT", {"rfft", ""}},
      {"Range", {"range", ""}},
      {"ReciprocalNoNan", {"reciprocal_no_nan", ""}},
      {"ReduceJoin", {"ReduceJoin", "*"}},
      {"ReduceLogsumexp", {"ReduceLogSumExp", ""}},
      {"ReduceStd", {"reduce_std", "Sqrt"}},
      {"ReduceVariance", {"reduce_variance", "Mean_1"}},
      {"RegexFullMatch", {"StaticRegexFullMatch", ""}},
      {"RegexReplace", {"StaticRegexReplace", ""}},
      {"ReluLayer", {"relu_layer", ""}},
      {"SampledSoftmaxLoss", {"softmax_cross_entropy_with_logits", "Reshape_2"}},
      {"SaturateCast", {"saturate_cast", ""}},
      {"SearchSorted", {"Reshape", "", late_searchsorted}},
      {"SequenceMask", {"SequenceMask", "", late_sequence_mask}},
      {"SigmoidCrossEntropyWithLogits", {"logistic_loss", ""}},
      {"SoftmaxV2", {"Softmax", "", late_softmax}},
      {"Sort", {"sort", "", late_sort}},
      {"SparseSoftmaxCrossEntropyWithLogits", {"SparseSoftmaxCrossEntropyWithLogits", "*"}},
      {"Spence", {"spence", "Spence"}},
      {"Split", {"split", ""}},
      {"SplitV", {"split", ""}},
      {"StatelessDropout", {"stateless_dropout", "SelectV2"}},
      {"StatelessMultinomial", {"stateless_categorical", "StatelessMultinomial"}},
      {"Stft", {"stft", "rfft"}},
      {"StridedSlice", {"strided_slice", ""}},
      {"Swish", {"IdentityN", "", late_swish}},
      {"Tensordot", {"Tensordot", "", late_tensordot}},
      {"Transpose", {"transpose", ""}},
      {"Unpack", {"unstack", ""}},
      {"UnsortedSegmentMean", {"UnsortedSegmentMean", "truediv"}},
      {"UnsortedSegmentSqrtN", {"UnsortedSegmentSqrtN", "truediv"}},
      {"WeightedCrossEntropyWithLogits", {"logistic_loss", ""}},
      {"Xdivy", {"xdivy", "Xdivy"}},
      {"Xlog1py", {"xlog1py", "Xlog1py"}},
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
    if (is_permutation)
      return axes ? std::optional(NamedConstant{found->name, *axes}) : std::nullopt;
    // Of a scalar too, TensorFlow asks for the rank when it runs.
    if (!axes || first->rank() == 0) return NamedConstant{"Rank range", std::nullopt, true};
    return NamedConstant{"Const", *axes, true};
  }
  if (found->name == "Const") return NamedConstant{"Const", as_tensor(ints), true};
  if (ints.size() == 1 && !is_permutation) return NamedConstant{found->name, one(ints[0])};
  return NamedConstant{found->name, as_tensor(ints)};
}

}  // namespace penstock::exec
