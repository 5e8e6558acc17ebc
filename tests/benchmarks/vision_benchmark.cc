// Training and inference of convolutional networks on synthetic images.

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "catena/array/random.h"
#include "catena/autograd/config.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/noise/dropout.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/linear.h"
#include "catena/links/model/resnet.h"
#include "catena/links/normalization/batch_normalization.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/tests/benchmarks/peak_memory.h"

namespace catena {
namespace {

namespace F = functions;
namespace L = links;

Variable images(int64_t batch, int64_t channels, int64_t side) {
  return as_variable(array::random::uniform(
      -1.0, 1.0, {batch, channels, side, side}, Dtype::kFloat32));
}

Variable labels(int64_t batch, int64_t classes) {
  return as_variable(
      array::random::randint(0, classes, {batch}).astype(Dtype::kInt32));
}

void count_images(benchmark::State& state, int64_t batch) {
  state.counters["images"] =
      benchmark::Counter(static_cast<double>(batch),
                         benchmark::Counter::kIsIterationInvariantRate);
}

// Steps of MomentumSGD on one batch.
template <class Model>
void train(benchmark::State& state, Model& model, const Variable& x,
           int64_t classes) {
  const PeakMemory memory;
  const int64_t batch = x.shape()[0];
  const Variable t = labels(batch, classes);
  optimizers::MomentumSGD optimizer({.lr = 1e-4});
  optimizer.setup(model);
  const auto step = [&] {
    optimizer.update(
        [&] { return F::softmax_cross_entropy(model.forward(x), t); });
  };
  step();  // initializes the parameters
  for (auto _ : state) step();
  count_images(state, batch);
  memory.report(state);
}

class LeNet : public Chain<LeNet> {
 public:
  LeNet()
      : conv1(this, "conv1", 1, 20, 5),
        conv2(this, "conv2", 20, 50, 5),
        fc1(this, "fc1", 500),
        fc2(this, "fc2", 10) {}
  Variable forward(const Variable& x) {
    Variable h = F::max_pooling_2d(conv1(x), 2, {.stride = 2});
    h = F::max_pooling_2d(conv2(h), 2, {.stride = 2});
    return fc2(F::relu(fc1(h)));
  }

 private:
  Child<L::Convolution2D> conv1, conv2;
  Child<L::Linear> fc1, fc2;
};

void lenet_train(benchmark::State& state) {
  LeNet model;
  train(state, model, images(64, 1, 28), 10);
}
BENCHMARK(lenet_train)->UseRealTime()->Unit(benchmark::kMillisecond);

// Convolution, batch normalization, relu.
class Block : public Chain<Block> {
 public:
  explicit Block(int64_t channels)
      : conv(this, "conv", channels, 3,
             L::ConvolutionOptions{.pad = 1, .nobias = true}),
        bn(this, "bn", channels) {}
  Variable forward(const Variable& x) { return F::relu(bn(conv(x))); }

 private:
  Child<L::Convolution2D> conv;
  Child<L::BatchNormalization> bn;
};

// The network of Chainer's CIFAR example (Simonyan and Zisserman, 2014, for
// small images).
class Vgg : public Chain<Vgg> {
 public:
  explicit Vgg(int64_t classes)
      : blocks(this, "blocks"),
        fc1(this, "fc1", 512, L::LinearOptions{.nobias = true}),
        bn(this, "bn", 512),
        fc2(this, "fc2", classes) {
    for (const Stage& stage : kStages) {
      for (int i = 0; i < stage.blocks; ++i) {
        blocks->append(Block(stage.channels));
      }
    }
  }
  Variable forward(const Variable& x) {
    Variable h = x;
    int64_t block = 0;
    for (const Stage& stage : kStages) {
      for (int i = 0; i < stage.blocks; ++i) {
        if (i > 0) h = F::dropout(h, {.ratio = stage.dropout});
        h = blocks->at<Block>(block++).forward(h);
      }
      h = F::max_pooling_2d(h, 2, {.stride = 2});
    }
    h = F::relu(bn(fc1(F::dropout(h))));
    return fc2(F::dropout(h));
  }

 private:
  struct Stage {
    int64_t channels;
    int blocks;
    double dropout;
  };
  static constexpr Stage kStages[] = {
      {64, 2, 0.3}, {128, 2, 0.4}, {256, 3, 0.4}, {512, 3, 0.4}, {512, 3, 0.4}};
  Child<ChainList> blocks;
  Child<L::Linear> fc1;
  Child<L::BatchNormalization> bn;
  Child<L::Linear> fc2;
};

void vgg_cifar_train(benchmark::State& state) {
  Vgg model(10);
  train(state, model, images(32, 3, 32), 10);
}
BENCHMARK(vgg_cifar_train)->UseRealTime()->Unit(benchmark::kMillisecond);

// ResNet-50 with 1,000 classes.
class ResNet : public Chain<ResNet> {
 public:
  ResNet() : layers(this, "layers", std::nullopt) {}
  Variable forward(const Variable& x) {
    return layers->forward(x, {"fc6"}).at("fc6");
  }

 private:
  Child<L::ResNet50Layers> layers;
};

void resnet50_train(benchmark::State& state) {
  ResNet model;
  train(state, model, images(4, 3, 224), 1000);
}
BENCHMARK(resnet50_train)->UseRealTime()->Unit(benchmark::kMillisecond);

void resnet50_infer(benchmark::State& state) {
  ResNet model;
  const Variable x = images(state.range(0), 3, 224);
  const PeakMemory memory;
  const auto test = using_config(&Config::train, false);
  const auto scope = no_backprop_mode();
  for (auto _ : state) benchmark::DoNotOptimize(model.forward(x));
  count_images(state, state.range(0));
  memory.report(state);
}
BENCHMARK(resnet50_infer)
    ->Arg(1)
    ->Arg(8)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace catena
