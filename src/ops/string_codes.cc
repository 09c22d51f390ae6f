// StringToHashBucket, -Fast, -Strong: strings as bucket numbers. EncodeBase64, DecodeBase64.
#include <penstock/base/error.h>

#include "kernels/text.h"
#include "ops/text.h"

namespace penstock {
namespace {

using text::words;

void infer_buckets(InferContext& ctx) {
  const int64_t buckets = ctx.attr(0).as_int();
  if (buckets < 1) ctx.fail("num_buckets must be at least 1, but is ", buckets);
  ctx.add_output(DType::kInt64, ctx.shape(0));
}

void infer_strong(InferContext& ctx) {
  infer_buckets(ctx);
  if (ctx.attr(1).as_ints().size() != 2) ctx.fail("Key must have 2 elements");
}

template <typename Hash>
KernelResult fill_buckets(const KernelContext& ctx, const Hash& hash) {
  const auto buckets = static_cast<uint64_t>(ctx.attrs[0].as_int());
  const View& in = ctx.inputs[0];
  const int64_t count = in.size();
  for (int64_t i = 0; i < count; ++i) {
    ctx.outputs[0].as<int64_t>()[i] = static_cast<int64_t>(hash(text::at(in, i)) % buckets);
  }
  return KernelResult::ok();
}

KernelResult cpu_fast(const KernelContext& ctx) {
  return fill_buckets(ctx, kernels::farm_fingerprint);
}

KernelResult cpu_legacy(const KernelContext& ctx) {
  return fill_buckets(ctx, kernels::murmur_hash);
}

KernelResult cpu_strong(const KernelContext& ctx) {
  const std::span<const int64_t> key = ctx.attrs[1].as_ints();
  return fill_buckets(ctx, [&](std::string_view string) {
    return kernels::sip_hash(string, static_cast<uint64_t>(key[0]), static_cast<uint64_t>(key[1]));
  });
}

KernelResult cpu_encode(const KernelContext& ctx) {
  const bool pad = ctx.attrs[0].as_bool();
  return text::fill(ctx.outputs[0], [&](int64_t i) {
    const std::string_view bytes = text::at(ctx.inputs[0], i);
    char* to = nullptr;
    const StringRef made = make_string(kernels::base64_size(bytes.size(), pad), &to);
    kernels::encode_base64(bytes, pad, to);
    return made;
  });
}

KernelResult cpu_decode(const KernelContext& ctx) {
  return text::fill(ctx.outputs[0], [&](int64_t i) {
    const std::string_view string = text::at(ctx.inputs[0], i);
    const int64_t size = kernels::decode_base64(string, nullptr);
    if (size == -1) {
      throw InvalidArgumentError("[DecodeBase64] Base64 string length cannot be 1 modulo 4.");
    }
    if (size < 0) {
      throw InvalidArgumentError("[DecodeBase64] Invalid character found in base64.");
    }
    char* to = nullptr;
    const StringRef made = make_string(static_cast<size_t>(size), &to);
    kernels::decode_base64(string, to);
    return made;
  });
}

// Lengths on both sides of every branch of the hash.
SampleInput of_all_lengths() {
  std::vector<std::string> strings;
  std::string string;
  for (int i = 0; i < 150; ++i) {
    if (i < 20 || i % 8 < 2) strings.push_back(string);
    string.push_back(static_cast<char>('a' + i * 7 % 26));
  }
  const auto count = static_cast<int64_t>(strings.size());
  return words({count}, std::move(strings));
}

std::vector<Sample> bucket_samples() {
  return {
      {{words({3}, {"hello", "", "TensorFlow"})}, {{"num_buckets", 10}}},
      {{of_all_lengths()}, {{"num_buckets", 1000003}}},
      {{words({}, {"a"})}, {{"num_buckets", 1}}},
      {{of(DType::kString, {0, 2})}, {{"num_buckets", 3}}},
      {{of(DType::kString, {10000})}, {{"num_buckets", 100}}, 0, true, true},
  };
}

std::vector<Sample> strong_samples() {
  std::vector<Sample> samples = bucket_samples();
  for (Sample& sample : samples) sample.attrs.push_back({"key", {1, 2}});
  return samples;
}

std::vector<Sample> encode_samples() {
  const SampleInput strings = words({5}, {"hello", "", "a", "ab", "\xFF\xFE\xFD"});
  return {
      {{strings}},
      {{strings}, {{"pad", true}}},
      {{words({}, {"a"})}},
      {{of(DType::kString, {10000})}, {}, 0, true, true},
  };
}

std::vector<Sample> decode_samples() {
  return {
      {{words({5}, {"aGVsbG8", "", "YQ==", "YWI=", "__79"})}},
      {{words({}, {"YQ"})}},
      {{of(DType::kString, {0})}},
  };
}

}  // namespace

PEN_OP_DEF(string_to_hash_bucket_fast) = {
    .name = "StringToHashBucketFast",
    .doc = "Each string's FarmHash fingerprint modulo num_buckets.",
    .inputs = {in("input", DType::kString)},
    .attrs = {int_attr("num_buckets")},
    .infer = infer_buckets,
    .cpu = cpu_fast,
    .grad = no_gradient,
    .samples = bucket_samples,
};

PEN_OP_DEF(string_to_hash_bucket_strong) = {
    .name = "StringToHashBucketStrong",
    .doc = "Each string's SipHash with a key of two numbers, modulo num_buckets.",
    .inputs = {in("input", DType::kString)},
    .attrs = {int_attr("num_buckets"), ints_attr("key")},
    .infer = infer_strong,
    .cpu = cpu_strong,
    .grad = no_gradient,
    .samples = strong_samples,
};

PEN_OP_DEF(string_to_hash_bucket) = {
    .name = "StringToHashBucket",
    .doc = "Each string's Murmur hash modulo num_buckets.",
    .inputs = {in("string_tensor", DType::kString)},
    .attrs = {int_attr("num_buckets")},
    .infer = infer_buckets,
    .cpu = cpu_legacy,
    .grad = no_gradient,
    .samples = bucket_samples,
};

PEN_OP_DEF(encode_base64) = {
    .name = "EncodeBase64",
    .doc = "Bytes as web-safe base64.",
    .inputs = {in("input", DType::kString)},
    .attrs = {bool_attr("pad", false)},
    .traits = {Trait::kMakesStrings},
    .infer = text::infer_same,
    .cpu = cpu_encode,
    .grad = no_gradient,
    .samples = encode_samples,
};

PEN_OP_DEF(decode_base64) = {
    .name = "DecodeBase64",
    .doc = "The bytes that web-safe base64, padded or not, stands for.",
    .inputs = {in("input", DType::kString)},
    .traits = {Trait::kMakesStrings},
    .infer = text::infer_same,
    .cpu = cpu_decode,
    .grad = no_gradient,
    .samples = decode_samples,
};

}  // namespace penstock
