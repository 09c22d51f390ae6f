// malloc_programs NAME: a small program that one failed allocation must neither end nor confuse.
//
// It runs its body until it has worked twice. One failure on the way, reported as an Error or as
// bad_alloc, is what we are here for; after it the ledger must be balanced and the results right.
// The exit status says what went wrong; the last line printed is the number of allocations.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <new>
#include <string_view>

#include <penstock/autodiff/tape.h>
#include <penstock/base/error.h>
#include <penstock/exec/variable.h>
#include <penstock/memory/memory.h>
#include <penstock/ops.h>
#include <penstock/ops/operators.h>

namespace penstock {
namespace {

enum Status { kFine = 0, kUsage = 2, kWrongResult = 3, kUnbalanced = 4, kFailedTwice = 5 };

// Each gives whether its result is right.
bool constant() {
  const Tensor list{1.f, 2.f, 3.f};
  const Tensor texts = Tensor::from_strings(
      std::initializer_list<std::string_view>{"penstock", "", "a longer string than any inline"},
      Shape{3});
  return list.data<float>()[2] == 3 && texts.string_at(0) == "penstock" &&
         to_string(list) == "tensor([1, 2, 3], dtype=float32)";
}

bool reshaped() {
  const Tensor matrix = reshape(fill(Tensor{int64_t{6}}, Tensor(2.5)), Tensor{2, -1});
  return matrix.shape() == Shape{2, 3} && matrix.data<double>()[5] == 2.5;
}

// What the user got wrong must stay what is reported, even without memory for the words.
bool wrong_shape() {
  const Tensor three{1.f, 2.f, 3.f};
  try {
    static_cast<void>(reshape(three, Tensor{2, 2}));
  } catch (const InvalidArgumentError& error) {
    return error.what() != nullptr;
  }
  return false;
}

bool added() {
  const Tensor column = Tensor::from<float>({1, 2}, Shape{2, 1});
  const Tensor sum = column + Tensor{10.f, 20.f, 30.f};
  return sum.shape() == Shape{2, 3} && sum.data<float>()[5] == 32;
}

// Large enough to use the thread pool, whose threads are made on the way.
bool multiplied() {
  const Tensor a = fill(Tensor{160, 160}, Tensor(2.f));
  const Tensor product = matmul(a, a);
  return product.data<float>()[160 * 160 - 1] == 640;
}

bool gradients() {
  const Tensor x{1.f, 2.f};
  Tape outer;
  outer.watch(x);
  Tensor first;
  {
    Tape inner;
    inner.watch(x);
    first = inner.gradient(x * x * x, x);
  }
  const Tensor second = outer.gradient(first, x);
  return first.data<float>()[1] == 12 && second.data<float>()[1] == 12;
}

bool variables() {
  Variable weights(Tensor{1.f, 2.f}, {.name = "weights"});
  Tensor gradient;
  {
    Tape tape;
    const Tensor loss = weights.value() * weights.value();
    gradient = tape.gradient(loss, weights);
  }
  weights.assign_sub(gradient);
  return weights.value().data<float>()[1] == -2;
}

struct Program {
  std::string_view name;
  bool (*body)();
};
constexpr Program kPrograms[] = {
    {"constant", constant}, {"reshape", reshaped},   {"wrong_shape", wrong_shape}, {"add", added},
    {"matmul", multiplied}, {"gradient", gradients}, {"variable", variables},
};

int run(const Program& program) {
  const int64_t before = memory::info().current;
  int failures = 0;
  for (int worked = 0; worked < 2;) {
    try {
      if (!program.body()) return kWrongResult;
      ++worked;
    } catch (const Error&) {
      ++failures;
    } catch (const std::bad_alloc&) {
      ++failures;
    }
    if (memory::info().current != before) return kUnbalanced;
    if (failures > 1) return kFailedTwice;
  }
  return kFine;
}

int usage() {
  std::fprintf(stderr, "usage: malloc_programs NAME, one of");
  for (const Program& program : kPrograms) std::fprintf(stderr, " %s", program.name.data());
  std::fprintf(stderr, "\n");
  return kUsage;
}

// The interposer's, when it is preloaded.
long allocations() {
  const auto count = reinterpret_cast<long (*)()>(dlsym(RTLD_DEFAULT, "malloc_fault_count"));
  return count == nullptr ? -1 : count();
}

}  // namespace
}  // namespace penstock

int main(int argc, char** argv) {
  using namespace penstock;
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    for (const Program& program : kPrograms) std::printf("%s\n", program.name.data());
    return kFine;
  }
  for (const Program& program : kPrograms) {
    if (argc != 2 || program.name != argv[1]) continue;
    const int status = run(program);
    std::printf("%ld\n", allocations());
    return status;
  }
  return usage();
}
