// StringLower, StringUpper: letters of ASCII, or of all Unicode.
#include <clocale>
#include <cwctype>

#include <penstock/base/error.h>

#include "kernels/text.h"
#include "ops/text.h"

namespace penstock {
namespace {

// The C library's table of letters, independent of the program's locale.
locale_t unicode() {
  static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return locale;
}

void infer(InferContext& ctx) {
  const std::string_view encoding = ctx.attr(0).as_string();
  if (!encoding.empty() && encoding != "utf-8") {
    ctx.fail("only utf-8 or '' (no encoding) is supported, received ", encoding);
  }
  if (encoding == "utf-8" && unicode() == nullptr) {
    throw UnimplementedError("the system has no table of Unicode's letters (locale C.UTF-8)");
  }
  text::infer_same(ctx);
}

template <bool kUpper>
char changed(char c) {
  const bool is_letter = kUpper ? c >= 'a' && c <= 'z' : c >= 'A' && c <= 'Z';
  return is_letter ? static_cast<char>(c ^ 0x20) : c;
}

constexpr char32_t kSharpS = 0xDF;  // two letters when large

// Writes the changed string to `to`, or only counts its bytes.
template <bool kUpper>
size_t change(std::string_view string, char* to) {
  size_t size = 0;
  const auto put = [&](char32_t code) {
    size += kernels::encode_utf8(code, to == nullptr ? nullptr : to + size);
  };
  for (size_t at = 0; at < string.size();) {
    const char32_t code = kernels::decode_utf8(string, &at);
    if (kUpper && code == kSharpS) {
      put('S');
      put('S');
      continue;
    }
    const auto letter = static_cast<wint_t>(code);
    put(static_cast<char32_t>(kUpper ? towupper_l(letter, unicode())
                                     : towlower_l(letter, unicode())));
  }
  return size;
}

template <bool kUpper>
KernelResult cpu(const KernelContext& ctx) {
  const bool is_ascii = ctx.attrs[0].as_string().empty();
  return text::fill(ctx.outputs[0], [&](int64_t i) {
    const std::string_view string = text::at(ctx.inputs[0], i);
    char* to = nullptr;
    const StringRef made =
        make_string(is_ascii ? string.size() : change<kUpper>(string, nullptr), &to);
    if (!is_ascii) {
      change<kUpper>(string, to);
    } else {
      for (char c : string) *to++ = changed<kUpper>(c);
    }
    return made;
  });
}

std::vector<Sample> samples() {
  const SampleInput mixed = text::words({3}, {"Hello, World 9", "", "\u00C0bc \u03A9\u0436"});
  return {
      {{mixed}},
      {{mixed}, {{"encoding", "utf-8"}}},
      {{text::words({}, {"aB"})}},
      {{of(DType::kString, {0, 2})}},
      {{of(DType::kString, {10000})}, {}, 0, true, true},
  };
}

}  // namespace

PEN_OP_DEF(string_lower) = {
    .name = "StringLower",
    .doc = "The strings in small letters; those beyond ASCII only with encoding \"utf-8\".",
    .inputs = {in("input", DType::kString)},
    .attrs = {string_attr("encoding", "")},
    .traits = {Trait::kMakesStrings},
    .infer = infer,
    .cpu = cpu<false>,
    .grad = no_gradient,
    .samples = samples,
};

PEN_OP_DEF(string_upper) = {
    .name = "StringUpper",
    .doc = "The strings in capital letters; those beyond ASCII only with encoding \"utf-8\".",
    .inputs = {in("input", DType::kString)},
    .attrs = {string_attr("encoding", "")},
    .traits = {Trait::kMakesStrings},
    .infer = infer,
    .cpu = cpu<true>,
    .grad = no_gradient,
    .samples = samples,
};

}  // namespace penstock
