// Einsum: sums of products named by labels, composed of transposes, matrix products and sums.
//
// Operands are contracted two at a time, starting with those whose product is smallest relative to
// their own sizes. Each axis of an ellipsis gets its own label, counted from the right.
#include <algorithm>
#include <string>

#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

#include "ops/linalg.h"

namespace penstock {
namespace {

using Label = int;  // a letter, or kEllipsis + the axis counted from the right
constexpr Label kEllipsis = 256;
using Labels = SmallVector<Label, 8>;

struct Term {
  Tensor tensor;
  Labels labels;
};

bool has(const Labels& labels, Label label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

int axis_of(const Labels& labels, Label label) {
  return static_cast<int>(std::find(labels.begin(), labels.end(), label) - labels.begin());
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string name_of(Label label) {
  return label >= kEllipsis ? "..." : std::string(1, static_cast<char>(label));
}

// The labels of one term; its ellipsis stands for `ellipsis_rank` axes, or for the rest of `rank`
// if that is given.
Labels parse_term(const InferContext& ctx, std::string_view text, int rank, int ellipsis_rank) {
  Labels labels;
  const size_t dots = text.find("...");
  const auto add_letters = [&](std::string_view letters) {
    for (char c : letters) {
      if (c == ' ') continue;
      if (!is_letter(c)) ctx.fail("Invalid character '", c, "' in equation ", ctx.attr(0));
      labels.push_back(c);
    }
  };
  if (dots == std::string_view::npos) {
    add_letters(text);
    return labels;
  }
  add_letters(text.substr(0, dots));
  const size_t before = labels.size();
  add_letters(text.substr(dots + 3));
  Labels after(labels.begin() + before, labels.end());
  if (rank >= 0) ellipsis_rank = rank - static_cast<int>(labels.size());
  while (labels.size() > before) labels.pop_back();
  for (int i = ellipsis_rank; i > 0; --i) labels.push_back(kEllipsis + i);
  for (Label label : after) labels.push_back(label);
  return labels;
}

struct Equation {
  SmallVector<Term, 4> terms;
  Labels output;
};

void check_output(const InferContext& ctx, const Equation& equation) {
  for (Label label : equation.output) {
    const auto knows = [&](const Term& term) { return has(term.labels, label); };
    if (std::none_of(equation.terms.begin(), equation.terms.end(), knows))
      ctx.fail("Output label ", name_of(label), " is in no input of ", ctx.attr(0));
  }
}

// Without "->" the output has every label that occurs once, in alphabetical order.
Labels implicit_output(const Equation& equation, int ellipsis_rank) {
  Labels output;
  for (int i = ellipsis_rank; i > 0; --i) output.push_back(kEllipsis + i);
  for (Label letter = 'A'; letter <= 'z'; ++letter) {
    int64_t count = 0;
    for (const Term& term : equation.terms)
      count += std::count(term.labels.begin(), term.labels.end(), letter);
    if (count == 1) output.push_back(letter);
  }
  return output;
}

// The labels of the terms; their tensors are set later.
Equation parse(const InferContext& ctx) {
  const std::string_view text = ctx.attr(0).as_string();
  const size_t arrow = text.find("->");
  std::string_view left = text.substr(0, arrow);
  Equation equation;
  int ellipsis_rank = 0;
  for (size_t i = 0;; ++i) {
    const size_t comma = left.find(',');
    if (i >= ctx.num_inputs() || (comma == std::string_view::npos && i + 1 < ctx.num_inputs()))
      ctx.fail("Expected ", i + 1, " inputs but got: ", ctx.num_inputs(), " for ", ctx.attr(0));
    const int rank = ctx.shape(i).rank();
    Labels labels = parse_term(ctx, left.substr(0, comma), rank, 0);
    if (static_cast<int>(labels.size()) != rank) {
      ctx.fail("Expected input ", i, " to have rank ", labels.size(), " but got: ", rank, " in ",
               ctx.attr(0));
    }
    const bool has_ellipsis = left.substr(0, comma).find("...") != std::string_view::npos;
    if (has_ellipsis) {
      const auto dots = [](Label label) { return label >= kEllipsis; };
      ellipsis_rank = std::max(ellipsis_rank,
                               static_cast<int>(std::count_if(labels.begin(), labels.end(), dots)));
    }
    equation.terms.push_back({Tensor(), std::move(labels)});
    if (comma == std::string_view::npos) break;
    left = left.substr(comma + 1);
  }
  if (equation.terms.size() != ctx.num_inputs())
    ctx.fail("Expected ", equation.terms.size(), " inputs but got: ", ctx.num_inputs());
  if (arrow == std::string_view::npos) {
    equation.output = implicit_output(equation, ellipsis_rank);
    return equation;
  }
  const std::string_view right = text.substr(arrow + 2);
  equation.output = parse_term(ctx, right, -1, ellipsis_rank);
  if (ellipsis_rank > 0 && right.find("...") == std::string_view::npos) {
    ctx.fail(
        "Output contains ", ellipsis_rank,
        " broadcasting dimension(s) but no ellipsis (...) was found in the output subscripts.");
  }
  check_output(ctx, equation);
  return equation;
}

Tensor in_order(const Tensor& x, const Labels& from, const Labels& to) {
  if (from == to) return x;
  IntVector perm;
  for (Label label : to) perm.push_back(axis_of(from, label));
  return transpose(x, std::span<const int64_t>(perm));
}

// Every size that a label has must be the same; an ellipsis' axes may be 1.
void check_sizes(const ComposeContext& ctx, const Equation& equation) {
  for (const Term& first : equation.terms) {
    for (size_t i = 0; i < first.labels.size(); ++i) {
      const Label label = first.labels[i];
      const int64_t size = first.tensor.dim(static_cast<int>(i));
      for (const Term& term : equation.terms) {
        for (size_t k = 0; k < term.labels.size(); ++k) {
          const int64_t other = term.tensor.dim(static_cast<int>(k));
          if (term.labels[k] != label || other == size) continue;
          if (label >= kEllipsis && (size == 1 || other == 1)) continue;
          ctx.fail("Expected dimension ", size, " at axis ", k, " of the input shaped ",
                   term.tensor.shape(), " but got dimension ", other);
        }
      }
    }
  }
}

// A label that an operand has twice selects a diagonal.
void take_diagonals(Term& term) {
  for (size_t i = 0; i < term.labels.size();) {
    const Label label = term.labels[i];
    if (std::count(term.labels.begin(), term.labels.end(), label) == 1) {
      ++i;
      continue;
    }
    IntVector perm;
    Labels others;
    for (size_t k = 0; k < term.labels.size(); ++k) {
      if (term.labels[k] == label) continue;
      perm.push_back(static_cast<int64_t>(k));
      others.push_back(term.labels[k]);
    }
    for (size_t k = 0; k < term.labels.size(); ++k) {
      if (term.labels[k] == label) perm.push_back(static_cast<int64_t>(k));
    }
    // Merges two of the axes; a third one waits for the next iteration.
    Tensor moved = transpose(term.tensor, std::span<const int64_t>(perm));
    term.tensor = linalg::main_diagonal(moved);
    const size_t left = term.labels.size() - others.size() - 1;
    for (size_t k = 0; k < left; ++k) others.push_back(label);
    term.labels = std::move(others);
    i = 0;
  }
}

// Sums over the labels that no other term needs.
void sum_away(Term& term, const Labels& wanted) {
  IntVector axes;
  Labels left;
  for (size_t i = 0; i < term.labels.size(); ++i) {
    if (has(wanted, term.labels[i])) {
      left.push_back(term.labels[i]);
    } else {
      axes.push_back(static_cast<int64_t>(i));
    }
  }
  if (axes.empty()) return;
  term.tensor = reduce_sum(term.tensor, std::span<const int64_t>(axes));
  term.labels = std::move(left);
}

// Drops an axis of one element that broadcasts against the other operand's.
void drop_broadcast(Term& term, const Term& other) {
  IntVector axes;
  Labels left;
  for (size_t i = 0; i < term.labels.size(); ++i) {
    const Label label = term.labels[i];
    const bool is_one = term.tensor.dim(static_cast<int>(i)) == 1;
    if (is_one && has(other.labels, label) && other.tensor.dim(axis_of(other.labels, label)) != 1) {
      axes.push_back(static_cast<int64_t>(i));
    } else {
      left.push_back(label);
    }
  }
  if (axes.empty()) return;
  term.tensor = squeeze(term.tensor, std::span<const int64_t>(axes));
  term.labels = std::move(left);
}

Labels joined(const Labels& a, const Labels& b, const Labels& c = {}) {
  Labels all = a;
  for (Label label : b) all.push_back(label);
  for (Label label : c) all.push_back(label);
  return all;
}

Shape sizes(const Term& term, const Labels& labels) {
  Shape shape;
  for (Label label : labels) shape.append(term.tensor.dim(axis_of(term.labels, label)));
  return shape;
}

// `term` as matrices: batch × rows × columns. *swapped if it is stored as batch × columns × rows,
// so that the product transposes it.
Tensor as_matrices(const Term& term, const Labels& batch, const Labels& rows, const Labels& cols,
                   bool* swapped) {
  *swapped = term.labels == joined(batch, cols, rows) && !rows.empty() && !cols.empty();
  const Labels& first = *swapped ? cols : rows;
  const Labels& second = *swapped ? rows : cols;
  const Tensor moved = in_order(term.tensor, term.labels, joined(batch, first, second));
  const Shape flat{sizes(term, batch).num_elements(), sizes(term, first).num_elements(),
                   sizes(term, second).num_elements()};
  return reshape(moved, shape_tensor(flat));
}

Term contract(Term a, Term b, const Labels& wanted) {
  drop_broadcast(a, b);
  drop_broadcast(b, a);
  sum_away(a, joined(wanted, b.labels));
  sum_away(b, joined(wanted, a.labels));
  Labels batch, left, right, inner;
  for (Label label : a.labels) {
    if (!has(b.labels, label)) {
      left.push_back(label);
    } else if (has(wanted, label)) {
      batch.push_back(label);
    } else {
      inner.push_back(label);
    }
  }
  for (Label label : b.labels) {
    if (!has(a.labels, label)) right.push_back(label);
  }
  bool swapped_a = false, swapped_b = false;
  const Tensor x = as_matrices(a, batch, left, inner, &swapped_a);
  const Tensor y = as_matrices(b, batch, inner, right, &swapped_b);
  Shape shape = sizes(a, joined(batch, left));
  for (int64_t size : sizes(b, right)) shape.append(size);
  const Tensor z = matmul(x, y, swapped_a, swapped_b);
  return {reshape(z, shape_tensor(shape)), joined(batch, left, right)};
}

// Labels of the output and of all terms except two.
Labels wanted_beside(const Equation& equation, size_t i, size_t k) {
  Labels wanted = equation.output;
  for (size_t n = 0; n < equation.terms.size(); ++n) {
    if (n != i && n != k) wanted = joined(wanted, equation.terms[n].labels);
  }
  return wanted;
}

// The elements that contracting two terms adds.
double growth(const Equation& equation, size_t i, size_t k) {
  const Term &a = equation.terms[i], &b = equation.terms[k];
  const Labels wanted = wanted_beside(equation, i, k);
  double size = 1;
  for (Label label : a.labels) {
    if (has(wanted, label)) size *= static_cast<double>(a.tensor.dim(axis_of(a.labels, label)));
  }
  for (Label label : b.labels) {
    if (has(wanted, label) && !has(a.labels, label))
      size *= static_cast<double>(b.tensor.dim(axis_of(b.labels, label)));
  }
  return size - static_cast<double>(a.tensor.num_elements()) -
         static_cast<double>(b.tensor.num_elements());
}

void contract_cheapest(Equation& equation) {
  size_t first = 0, second = 1;
  double least = growth(equation, 0, 1);
  for (size_t i = 0; i < equation.terms.size(); ++i) {
    for (size_t k = i + 1; k < equation.terms.size(); ++k) {
      const double grown = growth(equation, i, k);
      if (grown < least) least = grown, first = i, second = k;
    }
  }
  const Labels wanted = wanted_beside(equation, first, second);
  Term result = contract(equation.terms[first], equation.terms[second], wanted);
  SmallVector<Term, 4> left;
  for (size_t i = 0; i < equation.terms.size(); ++i) {
    if (i == first) left.push_back(std::move(result));
    if (i != first && i != second) left.push_back(std::move(equation.terms[i]));
  }
  equation.terms = std::move(left);
}

// The last term, in the output's order; a label that the output has twice spreads the values along
// a diagonal.
Tensor finish(Term term, const Labels& output) {
  sum_away(term, output);
  Labels once;
  for (Label label : output) {
    if (!has(once, label)) once.push_back(label);
  }
  Tensor result = in_order(term.tensor, term.labels, once);
  Labels labels = once;
  for (Label label : once) {
    for (int64_t n = std::count(output.begin(), output.end(), label); n > 1; --n) {
      // `label` moves to the end, whose axis becomes two.
      const auto at = std::find(labels.begin(), labels.end(), label) - labels.begin();
      IntVector perm;
      Labels moved;
      for (size_t i = 0; i < labels.size(); ++i) {
        if (static_cast<std::ptrdiff_t>(i) == at) continue;
        perm.push_back(static_cast<int64_t>(i));
        moved.push_back(labels[i]);
      }
      perm.push_back(at);
      result = linalg::diagonal_matrix(transpose(result, std::span<const int64_t>(perm)));
      labels = joined(moved, {label, label});
    }
  }
  // Every label now occurs the right number of times. The n-th one moves to the n-th position.
  IntVector perm;
  SmallVector<bool, 8> taken;
  taken.resize(labels.size());
  for (bool& t : taken) t = false;
  for (Label label : output) {
    size_t i = 0;
    while (labels[i] != label || taken[i]) ++i;
    taken[i] = true;
    perm.push_back(static_cast<int64_t>(i));
  }
  return transpose(result, std::span<const int64_t>(perm));
}

// The size of a label, as far as the inputs' dimensions say it: those of a letter are the same,
// those of an ellipsis broadcast.
int64_t size_of(const InferContext& ctx, const Equation& equation, Label label) {
  int64_t size = 1;
  for (size_t i = 0; i < equation.terms.size(); ++i) {
    for (size_t k = 0; k < equation.terms[i].labels.size(); ++k) {
      if (equation.terms[i].labels[k] != label) continue;
      const int64_t dim = ctx.shape(i)[static_cast<int>(k)];
      if (dim != kUnknownDim && (dim != 1 || label < kEllipsis)) return dim;
      if (dim == kUnknownDim) size = kUnknownDim;
    }
  }
  return size;
}

void infer_open(InferContext& ctx) {
  const Equation equation = parse(ctx);
  Shape shape;
  for (Label label : equation.output) shape.append(size_of(ctx, equation, label));
  ctx.add_output(ctx.dtype(0), shape);
}

Tensors compose(const ComposeContext& ctx) {
  Equation equation = parse(ctx);
  for (size_t i = 0; i < ctx.num_inputs(); ++i) equation.terms[i].tensor = ctx.tensor(i);
  check_sizes(ctx, equation);
  for (Term& term : equation.terms) take_diagonals(term);
  while (equation.terms.size() > 1) contract_cheapest(equation);
  return {finish(std::move(equation.terms[0]), equation.output)};
}

std::vector<Sample> samples() {
  using enum DType;
  const auto equation = [](const char* text) { return SampleAttr("equation", text); };
  return {
      {{f32({2, 3}), f32({3, 4})}, {equation("ij,jk->ik")}},
      {{f32({2, 3}), f32({4, 3})}, {equation("ij,kj->ki")}},
      {{f32({5, 2, 3}), f32({5, 3, 4})}, {equation("bij,bjk->bik")}},
      {{f32({2, 5, 3}), f32({3, 5, 4})}, {equation("ibj,jbk->kbi")}},
      {{f32({2, 3})}, {equation("ij->ji")}},
      {{f32({2, 3})}, {equation("ij->")}},
      {{f32({3, 3})}, {equation("ii->i")}},
      {{f32({3, 3})}, {equation("ii->")}},
      {{f32({3, 2, 3, 3})}, {equation("ijii->ji")}},
      {{f32({3})}, {equation("i->ii")}},
      {{f32({2, 3})}, {equation("ij->jii")}},
      {{f32({3}), f32({4})}, {equation("i,j->ij")}},
      {{f32({3}), f32({3})}, {equation("i,i->")}},
      {{f32({3}), f32({3})}, {equation("i,i->i")}},
      {{f32({2, 3}), f32({})}, {equation("ij,->ij")}},
      {{f32({2, 5, 3}), f32({3, 4})}, {equation("...j,jk->...k")}},
      {{f32({2, 1, 2, 3}), f32({4, 3, 2})}, {equation("...ij,...jk->...ik")}},
      {{f32({2, 3, 4})}, {equation("...j->j...")}},
      {{f32({2, 3}), f32({3, 4}), f32({4, 2})}, {equation("ij,jk,kl->il")}},
      {{f32({2, 3}), f32({2}), f32({3}), f32({2, 3, 2})}, {equation("ij,i,j,ijk->k")}},
      {{f32({2, 3, 2}), f32({3, 3})}, {equation("abc,bd->d")}},
      {{f32({2, 3}), f32({3, 4})}, {equation("ij,jk")}},
      {{f32({2, 3})}, {equation("ba")}},
      {{f32({0, 3}), f32({3, 4})}, {equation("ij,jk->ik")}},
      {{f32({2, 0}), f32({0, 4})}, {equation(" ij , jk -> ik ")}},
      {{of(kFloat64, {2, 3}), of(kFloat64, {3, 3})}, {equation("ab,bb->a")}},
      {{of(kComplex64, {2, 3}), of(kComplex64, {3, 2})}, {equation("ij,jk->ki")}},
      {{of(kInt32, {2, 3}), of(kInt32, {3, 2})}, {equation("ij,jk->ik")}},
      {{of(kBFloat16, {2, 3}), of(kBFloat16, {3, 2})}, {equation("ij,jk->ik")}},
      {.inputs = {f32({8, 128, 8, 32}), f32({8, 128, 8, 32})},
       .attrs = {equation("bqhd,bkhd->bhqk")},
       .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(einsum) = {
    .name = "Einsum",
    .doc = "The sum of products that `equation` names, such as \"ij,jk->ik\".",
    .inputs = {many("inputs", kNumberTypes)},
    .attrs = {string_attr("equation")},
    .infer = infer_open,
    .compose = compose,
    .grad = composed_gradient,
    .samples = samples,
    .graph_name = {"einsum", "Einsum"},
};

}  // namespace penstock
