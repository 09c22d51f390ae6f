// RegexReplace, RegexFullMatch and their Static forms: regular expressions in RE2's syntax. RE2
// runs in linear time, never overflows the stack, and uses at most 8 MiB of its own.
#include <re2/re2.h>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/ops/compose.h>

#include "ops/text.h"

namespace penstock {
namespace {

using text::words;

// A compiled pattern; an invalid one is the caller's error.
class Pattern {
 public:
  Pattern(std::string_view op, std::string_view pattern)
      : regex_(re2::StringPiece(pattern.data(), pattern.size()), quiet()) {
    if (regex_.ok()) return;
    throw InvalidArgumentError(
        cat("[", op, "] Invalid pattern: ", pattern, ", error: ", regex_.error()));
  }
  const re2::RE2& regex() const { return regex_; }

 private:
  static re2::RE2::Options quiet() {
    re2::RE2::Options options;
    options.set_log_errors(false);
    return options;
  }
  re2::RE2 regex_;
};

re2::StringPiece piece(std::string_view string) { return {string.data(), string.size()}; }

KernelResult replace(const View& in, const Pattern& pattern, std::string_view rewrite,
                     bool replace_global, const View& out) {
  return text::fill(out, [&](int64_t i) {
    std::string changed(text::at(in, i));
    if (replace_global) {
      re2::RE2::GlobalReplace(&changed, pattern.regex(), piece(rewrite));
    } else {
      re2::RE2::Replace(&changed, pattern.regex(), piece(rewrite));
    }
    return make_string(changed);
  });
}

KernelResult match(const View& in, const Pattern& pattern, const View& out) {
  const int64_t count = in.size();
  for (int64_t i = 0; i < count; ++i) {
    out.as<bool>()[i] = re2::RE2::FullMatch(piece(text::at(in, i)), pattern.regex());
  }
  return KernelResult::ok();
}

void check_scalars(const InferContext& ctx) {
  for (size_t i = 1; i < ctx.num_inputs(); ++i) ctx.check_rank(i, 0);
}

void infer_replace(InferContext& ctx) {
  check_scalars(ctx);
  text::infer_same(ctx);
}

void infer_match(InferContext& ctx) {
  check_scalars(ctx);
  ctx.add_output(DType::kBool, ctx.shape(0));
}

KernelResult cpu_replace(const KernelContext& ctx) {
  return replace(ctx.inputs[0], Pattern("RegexReplace", text::at(ctx.inputs[1], 0)),
                 text::at(ctx.inputs[2], 0), ctx.attrs[0].as_bool(), ctx.outputs[0]);
}

KernelResult cpu_static_replace(const KernelContext& ctx) {
  return replace(ctx.inputs[0], Pattern("StaticRegexReplace", ctx.attrs[0].as_string()),
                 ctx.attrs[1].as_string(), ctx.attrs[2].as_bool(), ctx.outputs[0]);
}

KernelResult cpu_match(const KernelContext& ctx) {
  return match(ctx.inputs[0], Pattern("RegexFullMatch", text::at(ctx.inputs[1], 0)),
               ctx.outputs[0]);
}

KernelResult cpu_static_match(const KernelContext& ctx) {
  return match(ctx.inputs[0], Pattern("StaticRegexFullMatch", ctx.attrs[0].as_string()),
               ctx.outputs[0]);
}

SampleInput lines() { return words({3}, {"hello world", "", "baac"}); }

std::vector<Sample> replace_samples() {
  const auto one = [](std::string string) { return words({}, {std::move(string)}); };
  return {
      {{lines(), one("o"), one("0")}},
      {{lines(), one("(l+)"), one("[\\1]")}, {{"replace_global", false}}},
      {{lines(), one("a*"), one("-")}},
      {{one("x1y22"), one("[0-9]+"), one("")}},
      {{of(DType::kString, {0}), one("a"), one("b")}},
      {{of(DType::kString, {1000}), one("[a-f]+"), one("_")}, {}, 0, true, true},
  };
}

std::vector<Sample> static_replace_samples() {
  return {
      {{lines()}, {{"pattern", "o"}, {"rewrite", "0"}}},
      {{lines()}, {{"pattern", "(l+)"}, {"rewrite", "[\\1]"}, {"replace_global", false}}},
      {{of(DType::kString, {0})}, {{"pattern", "o"}, {"rewrite", "0"}}},
  };
}

std::vector<Sample> match_samples() {
  const auto one = [](std::string string) { return words({}, {std::move(string)}); };
  return {
      {{lines(), one("b.*c")}},
      {{lines(), one("[a-z ]*")}},
      {{lines(), one("hello")}},
      {{of(DType::kString, {0}), one("a")}},
      {{of(DType::kString, {1000}), one("[a-m]+")}, {}, 0, true, true},
  };
}

std::vector<Sample> static_match_samples() {
  return {
      {{lines()}, {{"pattern", "b.*c"}}},
      {{words({}, {"abc"})}, {{"pattern", "(ab|a)(bc|c)"}}},
      {{of(DType::kString, {0})}, {{"pattern", "o"}}},
  };
}

}  // namespace

PEN_OP_DEF(regex_replace) = {
    .name = "RegexReplace",
    .doc = "The strings with what matches `pattern` rewritten, everywhere or only the first time.",
    .inputs = {in("input", DType::kString), in("pattern", DType::kString),
               in("rewrite", DType::kString)},
    .attrs = {bool_attr("replace_global", true)},
    .traits = {Trait::kMakesStrings, Trait::kUsesHeap},
    .infer = infer_replace,
    .cpu = cpu_replace,
    .grad = no_gradient,
    .samples = replace_samples,
    .graph_name = {"StaticRegexReplace"},
};

PEN_OP_DEF(static_regex_replace) = {
    .name = "StaticRegexReplace",
    .doc = "RegexReplace with pattern and rewrite as attributes.",
    .inputs = {in("input", DType::kString)},
    .attrs = {string_attr("pattern"), string_attr("rewrite"), bool_attr("replace_global", true)},
    .traits = {Trait::kMakesStrings, Trait::kUsesHeap},
    .infer = infer_replace,
    .cpu = cpu_static_replace,
    .grad = no_gradient,
    .samples = static_replace_samples,
};

PEN_OP_DEF(regex_full_match) = {
    .name = "RegexFullMatch",
    .doc = "Whether the whole of each string matches `pattern`.",
    .inputs = {in("input", DType::kString), in("pattern", DType::kString)},
    .traits = {Trait::kUsesHeap},
    .infer = infer_match,
    .cpu = cpu_match,
    .grad = no_gradient,
    .samples = match_samples,
    .graph_name = {"StaticRegexFullMatch"},
};

PEN_OP_DEF(static_regex_full_match) = {
    .name = "StaticRegexFullMatch",
    .doc = "RegexFullMatch with the pattern as an attribute.",
    .inputs = {in("input", DType::kString)},
    .attrs = {string_attr("pattern")},
    .traits = {Trait::kUsesHeap},
    .infer = infer_match,
    .cpu = cpu_static_match,
    .grad = no_gradient,
    .samples = static_match_samples,
};

}  // namespace penstock
