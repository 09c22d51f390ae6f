// The demo: trains a small network to tell two spirals apart, and shows where its memory went.
#include <penstock/penstock.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

namespace {

using namespace penstock;

struct Spirals {
  Tensor points;  // [n, 2]
  Tensor labels;  // [n], 0 or 1
};

Spirals make_spirals(int64_t a_side) {
  const Tensor noise = random::normal({2 * a_side, 2}, {.stddev = 0.05});
  std::vector<float> points;
  std::vector<int32_t> labels;
  for (int64_t i = 0; i < 2 * a_side; ++i) {
    const int32_t label = static_cast<int32_t>(i % 2);
    const double t = static_cast<double>(i / 2) / static_cast<double>(a_side);
    const double angle = 3 * std::numbers::pi * t + std::numbers::pi * label;
    points.push_back(static_cast<float>(2 * t * std::cos(angle) + noise.number_at(2 * i)));
    points.push_back(static_cast<float>(2 * t * std::sin(angle) + noise.number_at(2 * i + 1)));
    labels.push_back(label);
  }
  return {Tensor::from<float>(points, {2 * a_side, 2}),
          Tensor::from<int32_t>(labels, {2 * a_side})};
}

struct Layer {
  Layer(int64_t inputs, int64_t outputs, std::string_view name)
      : weights(random::normal({inputs, outputs},
                               {.stddev = std::sqrt(2.0 / static_cast<double>(inputs))}),
                {.name = std::string(name) + "/weights"}),
        bias(zeros(DType::kFloat32, {outputs}), {.name = std::string(name) + "/bias"}) {}
  Tensor operator()(const Tensor& x) const { return matmul(x, weights) + bias.value(); }
  Variable weights;
  Variable bias;
};

class Network {
 public:
  Network() : first_(2, 64, "first"), second_(64, 64, "second"), last_(64, 2, "last") {}
  Tensor operator()(const Tensor& x) const { return last_(relu(second_(relu(first_(x))))); }
  std::vector<Variable> variables() const {
    return {first_.weights, first_.bias, second_.weights, second_.bias, last_.weights, last_.bias};
  }

 private:
  Layer first_, second_, last_;
};

double accuracy(const Tensor& logits, const Tensor& labels) {
  const Tensor hits = equal(argmax(logits, 1, DType::kInt32), labels);
  return reduce_mean(cast(hits, DType::kFloat32)).item<float>();
}

// One line that is overwritten in a terminal, and a few lines in a log.
void show_progress(int step, int steps, double loss, double share_right) {
  const bool is_terminal = isatty(STDOUT_FILENO) != 0;
  if (!is_terminal && step % 200 != 0) return;
  const int done = 30 * step / steps;
  std::printf("%straining [%-30s] step %4d/%d  loss %.4f  accuracy %5.1f %%",
              is_terminal ? "\r" : "", std::string(done, '#').c_str(), step, steps, loss,
              100 * share_right);
  if (!is_terminal) std::printf("\n");
  std::fflush(stdout);
}

int run() {
  const int steps = 600;
  random::set_seed(7);
  const Spirals data = make_spirals(300);
  const Network network;
  const std::vector<Variable> variables = network.variables();
  const std::vector<Source> sources(variables.begin(), variables.end());
  Adam optimizer({.learning_rate = 0.01});
  memory::reset_peak();

  double right = 0;
  for (int step = 1; step <= steps; ++step) {
    Tape tape;
    const Tensor logits = network(data.points);
    const Tensor losses = sparse_softmax_cross_entropy_with_logits(logits, data.labels)[0];
    const Tensor loss = reduce_mean(losses);
    const std::vector<Gradient> gradients = tape.gradient({&loss, 1}, sources);
    optimizer.apply(gradients, variables);
    if (step % 20 == 0 || step == steps) {
      right = accuracy(network(data.points), data.labels);
      show_progress(step, steps, loss.item<float>(), right);
    }
  }
  std::printf("\n\nwhile the network, its optimiser and its data are alive\n%s",
              ledger::table(0).c_str());
  return right > 0.95 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main() {
  const int64_t before = memory::info().current;
  int status = EXIT_FAILURE;
  try {
    status = run();
  } catch (const Error& error) {
    std::fprintf(stderr, "demo: %s\n", error.what());
  }
  const int64_t left = memory::info().current - before;
  std::printf("\nafter everything is dropped: %lld bytes more than at the start\n",
              static_cast<long long>(left));
  return left == 0 ? status : EXIT_FAILURE;
}
