// Trains small versions of the examples' networks on an emulated GPU, and
// asserts that the host never waits for it in a step.

#include <gmock/gmock.h>

#include <cstdint>
#include <vector>

#include "catena/array/core/device.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/autograd/variable.h"
#include "catena/cuda/emulation/runtime.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/noise/dropout.h"
#include "catena/functions/pooling/average_pooling.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/embed_id.h"
#include "catena/links/connection/linear.h"
#include "catena/links/connection/lstm.h"
#include "catena/links/model/classifier.h"
#include "catena/links/normalization/batch_normalization.h"
#include "catena/links/sequential.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/hooks.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/optimizers/sgd.h"
#include "catena/tests/testing/error_of.h"
#include "catena/training/standard_updater.h"

namespace catena {
namespace {

namespace F = functions;
namespace L = links;
using ::catena::testing::error_of;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr Device kGpu = cuda_device(0);

// The host's waits in each of some steps after the first, which allocates.
std::vector<int64_t> waits_per_step(training::StandardUpdater& updater) {
  updater.update();
  std::vector<int64_t> waits;
  for (int step = 0; step < 3; ++step) {
    const int64_t before = cuda::emulation::host_waits();
    updater.update();
    waits.push_back(cuda::emulation::host_waits() - before);
  }
  return waits;
}

Array numbers(const Shape& shape) {
  array::random::Generator generator(1, native_device());
  return generator.uniform(-1, 1, shape, Dtype::kFloat32);
}
Array labels(int64_t size, int64_t classes) {
  array::random::Generator generator(2, native_device());
  return generator.randint(0, classes, {size}, Dtype::kInt32);
}

// As in examples/mnist.
class MLP : public Chain<MLP> {
 public:
  MLP() : l1(this, "l1", 16), l2(this, "l2", 16), l3(this, "l3", 10) {}
  Variable forward(const Variable& x) {
    return l3(F::relu(l2(F::relu(l1(x)))));
  }

 private:
  Child<L::Linear> l1, l2, l3;
};

TEST(TrainingWaitsTest, MultilayerPerceptron) {
  const DeviceScope scope(kGpu);
  constexpr int64_t kBatch = 400;  // more than 1 MiB
  const datasets::TupleDataset data(numbers({kBatch, 784}), labels(kBatch, 10));
  iterators::SerialIterator iterator(data, kBatch);
  L::Classifier model(MLP{});
  model.to_device(kGpu);
  optimizers::Adam optimizer;
  optimizer.setup(model);
  training::StandardUpdater updater(iterator, optimizer, {.device = kGpu});
  EXPECT_THAT(waits_per_step(updater), Each(0));
}

// The GPU decides which steps are skipped.
TEST(TrainingWaitsTest, LossScaling) {
  const DeviceScope scope(kGpu);
  constexpr int64_t kBatch = 8;
  const datasets::TupleDataset data(numbers({kBatch, 784}), labels(kBatch, 10));
  for (const training::Capture capture :
       {training::Capture::kNever, training::Capture::kAuto}) {
    iterators::SerialIterator iterator(data, kBatch);
    L::Classifier model(MLP{});
    model.to_device(kGpu);
    optimizers::Adam optimizer;
    optimizer.setup(model);
    optimizer.loss_scaling();
    optimizer.add_hook(optimizers::GradientClipping(5));
    training::StandardUpdater updater(iterator, optimizer,
                                      {.device = kGpu, .capture = capture});
    EXPECT_THAT(waits_per_step(updater), Each(0));
    EXPECT_EQ(optimizer.t(), 4);
    EXPECT_EQ(optimizer.loss_scale(), 16);
  }
}

Variable normalized(L::BatchNormalization& bn, const Variable& x) {
  return F::relu(bn(x));
}

// A bottleneck with a projection, as in ResNet-50.
class Bottleneck : public Chain<Bottleneck> {
 public:
  explicit Bottleneck(int64_t in, int64_t mid, int64_t out)
      : conv1(this, "conv1", L::Convolution2D(in, mid, 1, {.nobias = true})),
        bn1(this, "bn1", mid),
        conv2(this, "conv2",
              L::Convolution2D(mid, mid, 3, {.pad = 1, .nobias = true})),
        bn2(this, "bn2", mid),
        conv3(this, "conv3", L::Convolution2D(mid, out, 1, {.nobias = true})),
        bn3(this, "bn3", out),
        conv4(this, "conv4", L::Convolution2D(in, out, 1, {.nobias = true})),
        bn4(this, "bn4", out) {}

  Variable forward(const Variable& x) {
    const Variable h = normalized(*bn2, conv2(normalized(*bn1, conv1(x))));
    return F::relu(bn3(conv3(h)) + bn4(conv4(x)));
  }

 private:
  Child<L::Convolution2D> conv1;
  Child<L::BatchNormalization> bn1;
  Child<L::Convolution2D> conv2;
  Child<L::BatchNormalization> bn2;
  Child<L::Convolution2D> conv3;
  Child<L::BatchNormalization> bn3;
  Child<L::Convolution2D> conv4;
  Child<L::BatchNormalization> bn4;
};

class ResNet : public Chain<ResNet> {
 public:
  ResNet()
      : conv1(this, "conv1",
              L::Convolution2D(3, 4, 3, {.stride = 2, .pad = 1})),
        bn1(this, "bn1", 4),
        block(this, "block", 4, 4, 8),
        fc(this, "fc", 10) {}

  Variable forward(const Variable& x) {
    const Variable h =
        F::max_pooling_2d(normalized(*bn1, conv1(x)), 3, {.stride = 2});
    const Variable y = block(h);
    return fc(F::average_pooling_2d(y, y.shape()[2], {.stride = 1}));
  }

 private:
  Child<L::Convolution2D> conv1;
  Child<L::BatchNormalization> bn1;
  Child<Bottleneck> block;
  Child<L::Linear> fc;
};

TEST(TrainingWaitsTest, ResNet) {
  const DeviceScope scope(kGpu);
  constexpr int64_t kBatch = 4;
  const datasets::TupleDataset data(numbers({kBatch, 3, 16, 16}),
                                    labels(kBatch, 10));
  iterators::SerialIterator iterator(data, kBatch);
  L::Classifier model(ResNet{});
  model.to_device(kGpu);
  optimizers::MomentumSGD optimizer({.lr = 0.1});
  optimizer.setup(model);
  optimizer.add_hook(optimizers::WeightDecay(1e-4));
  training::StandardUpdater updater(iterator, optimizer, {.device = kGpu});
  EXPECT_THAT(waits_per_step(updater), Each(0));
}

constexpr int64_t kWords = 30;

// As in examples/ptb.
class LanguageModel : public Chain<LanguageModel> {
 public:
  LanguageModel()
      : embed(this, "embed", kWords, 8),
        l1(this, "l1", 8, 8),
        l2(this, "l2", 8, kWords) {}
  Variable forward(const Variable& x) {
    return l2(F::dropout(l1(F::dropout(embed(x)))));
  }

 private:
  Child<L::EmbedID> embed;
  Child<L::LSTM> l1;
  Child<L::Linear> l2;
};

// Truncated backpropagation through time.
class BPTTUpdater : public training::StandardUpdater {
 public:
  using StandardUpdater::StandardUpdater;

 protected:
  void update_core() override {
    Optimizer& optimizer = main_optimizer();
    const Variable loss = optimizer.update([&] {
      Variable sum;
      for (int i = 0; i < 3; ++i) {
        const auto batch = next_batch(main_iterator());
        const Variable loss = optimizer.loss_function()(batch);
        sum = sum.defined() ? sum + loss : loss;
      }
      return sum;
    });
    loss.unchain_backward();
  }
};

class LanguageModelTest : public ::testing::Test {
 protected:
  static constexpr int64_t kBatch = 5;

  LanguageModelTest() {
    model_.to_device(kGpu);
    optimizer_.setup(model_);
    optimizer_.add_hook(optimizers::GradientClipping(0.1));
  }
  std::vector<int64_t> train(const Array& words) {
    const datasets::TupleDataset data(words, labels(kBatch, kWords));
    iterators::SerialIterator iterator(data, kBatch);
    BPTTUpdater updater(iterator, optimizer_, {.device = kGpu});
    return waits_per_step(updater);
  }

  const DeviceScope scope_{kGpu};
  L::Classifier<LanguageModel> model_{LanguageModel{},
                                      {.compute_accuracy = false}};
  optimizers::SGD optimizer_{{.lr = 1}};
};

TEST_F(LanguageModelTest, NeverWaits) {
  EXPECT_THAT(train(labels(kBatch, kWords)), Each(0));
}

TEST_F(LanguageModelTest, ReportsAWrongWordWhenTheHostWaits) {
  const Array words = labels(kBatch, kWords);
  words[2].fill(kWords);
  EXPECT_THAT(train(words), Each(0));
  EXPECT_THAT(error_of<ValueError>([] { synchronize(kGpu); }),
              HasSubstr("embed_id: expected labels from 0 to 29, got 30"));
  EXPECT_THAT(train(labels(kBatch, kWords)), Each(0));
  synchronize(kGpu);
}

// The norm is over all GPUs.
TEST(ClippingWaitsTest, TwoGpus) {
  L::Linear first(1, 1);
  L::Linear second(1, 1);
  first.to_device(kGpu);
  second.to_device(cuda_device(1));
  Sequential both(first, second);
  optimizers::SGD optimizer;
  optimizer.setup(both);
  for (const Parameter& param : both.params()) {
    param.set_grad(array::full_like(param.data(), 3));
  }
  const int64_t before = cuda::emulation::host_waits();
  optimizer.clip_grads(2);
  EXPECT_EQ(cuda::emulation::host_waits(), before);
  EXPECT_NEAR(optimizer.compute_grads_norm(), 2, 1e-6);
  for (const Parameter& param : both.params()) {
    EXPECT_NEAR(param.grad().item<double>(), 1, 1e-6);
  }
}

}  // namespace
}  // namespace catena
