// An eager training step of a small network (784-512-512-10, batch 128): forward, backward, SGD.
#include "bench.h"

#include <utility>
#include <vector>

namespace penstock::bench {
namespace {

constexpr int64_t kBatch = 128, kInputs = 784, kHidden = 512, kClasses = 10;
constexpr double kLearningRate = 0.01;
constexpr float kWeightScale = 0.05f;

Tensor scaled_values(const Shape& shape, uint32_t seed) {
  Tensor tensor = values(shape, seed);
  float* const data = static_cast<float*>(tensor.raw());
  for (int64_t i = 0; i < tensor.num_elements(); ++i) data[i] *= kWeightScale;
  return tensor;
}

struct Layer {
  Layer(int64_t inputs, int64_t outputs, uint32_t seed)
      : weights(scaled_values({inputs, outputs}, seed)),
        bias(fill(Tensor{outputs}, Tensor(0.0f))) {}
  Tensor operator()(const Tensor& x) const { return matmul(x, weights) + bias; }
  Tensor weights, bias;
};

class Network {
 public:
  Network() : layers_{{kInputs, kHidden, 1}, {kHidden, kHidden, 2}, {kHidden, kClasses, 3}} {}

  // One step of gradient descent; returns the loss before it.
  Tensor step(const Tensor& x, const Tensor& labels) {
    Tape tape;
    std::vector<Source> sources;
    for (const Layer& layer : layers_) sources.insert(sources.end(), {layer.weights, layer.bias});
    for (const Source& source : sources) tape.watch(source);
    const Tensor logits = layers_[2](relu(layers_[1](relu(layers_[0](x)))));
    const Tensor loss = reduce_mean(sparse_softmax_cross_entropy_with_logits(logits, labels)[0]);
    std::vector<Gradient> gradients = tape.gradient({&loss, 1}, sources);
    for (size_t i = 0; i < layers_.size(); ++i) {
      descend(layers_[i].weights, gradients[2 * i]);
      descend(layers_[i].bias, gradients[2 * i + 1]);
    }
    return loss;
  }

  // The loss in double precision and plain loops.
  double plain_loss(const Tensor& x, const Tensor& labels) const {
    double sum = 0;
    for (int64_t row = 0; row < kBatch; ++row) {
      std::vector<double> h;
      for (int64_t i = 0; i < kInputs; ++i) h.push_back(x.number_at(row * kInputs + i));
      for (size_t l = 0; l < layers_.size(); ++l)
        h = plain_layer(layers_[l], h, l + 1 < layers_.size());
      double exps = 0;
      for (const double logit : h) exps += std::exp(logit);
      sum += std::log(exps) - h[static_cast<size_t>(labels.number_at(row))];
    }
    return sum / kBatch;
  }

 private:
  // The parameter is donated, so that its new value takes its place.
  static void descend(Tensor& parameter, const Gradient& gradient) {
    parameter = std::move(parameter) - gradient.dense() * kLearningRate;
  }

  static std::vector<double> plain_layer(const Layer& layer, const std::vector<double>& x,
                                         bool is_hidden) {
    const int64_t outputs = layer.weights.dim(1);
    std::vector<double> y;
    for (int64_t j = 0; j < outputs; ++j) y.push_back(layer.bias.number_at(j));
    for (size_t i = 0; i < x.size(); ++i) {
      const float* const row =
          layer.weights.data<float>().data() + static_cast<int64_t>(i) * outputs;
      for (size_t j = 0; j < y.size(); ++j) y[j] += x[i] * double{row[j]};
    }
    if (is_hidden)
      for (double& value : y) value = std::max(value, 0.0);
    return y;
  }

  std::vector<Layer> layers_;
};

Tensor make_labels() {
  std::vector<int32_t> labels;
  for (int32_t i = 0; i < kBatch; ++i) labels.push_back(i * 7 % kClasses);
  return Tensor::from<int32_t>(labels, {kBatch});
}

}  // namespace

// The check is the loss after a few steps, so that it depends on the gradients and the updates.
PEN_CASE(mlp_step_eager) {
  constexpr int kStepsBefore = 3;
  const Tensor x = values({kBatch, kInputs}, 4);
  const Tensor labels = make_labels();
  Network network;
  const double first_loss = network.plain_loss(x, labels);
  bench.expect_close(network.step(x, labels).item<float>(), first_loss, 1e-5);
  for (int i = 1; i < kStepsBefore; ++i) network.step(x, labels);
  const double loss = network.plain_loss(x, labels);
  if (!(loss < first_loss)) throw std::runtime_error("training does not lower the loss");
  bench.expect(network.step(x, labels), [&](int64_t) { return loss; });
  bench.time([&] { return network.step(x, labels); });
}

}  // namespace penstock::bench
