// Trains a convolutional network on handwritten digits: train_mnist.cc with a
// different model and images that are not flattened.
//
//   Data:   1,797 digits of 8x8 pixels ship with catena; --dataset=mnist uses
//           MNIST itself (downloaded once, or from --data_dir).
//   Run:    ./bazelw run //examples/mnist:train_mnist_cnn
//   Expect: validation/main/accuracy of 0.97 after 20 epochs, which take about
//           a second; a page with curves, log and graph: result/report.html.

#include <string>

#include "absl/flags/flag.h"
#include "catena/array/random/random.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/examples/mnist/digit_images.h"
#include "catena/examples/support/flags.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/noise/dropout.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/linear.h"
#include "catena/links/model/classifier.h"
#include "catena/optimizers/adam.h"
#include "catena/training/training.h"

using absl::GetFlag;
using namespace catena;
namespace F = catena::functions;
namespace L = catena::links;
namespace extensions = catena::training::extensions;

ABSL_FLAG(std::string, dataset, "digits", "digits or mnist");
ABSL_FLAG(std::string, data_dir, "", "folder of MNIST's IDX files");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(examples::AtLeast<1>, batchsize, {100}, "images in a minibatch");
ABSL_FLAG(examples::AtLeast<1>, epoch, {20}, "sweeps over the training set");
ABSL_FLAG(examples::AtLeast<1>, unit, {100}, "units in the hidden layer");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

// Two layers of convolution and pooling, then two linear layers. Images are (N,
// 1, height, width); all input sizes are inferred.
class CNN : public Chain<CNN> {
 public:
  CNN(int64_t n_units, int64_t n_out)
      : conv1(this, "conv1", 16, 3, L::ConvolutionOptions{.pad = 1}),
        conv2(this, "conv2", 32, 3, L::ConvolutionOptions{.pad = 1}),
        fc1(this, "fc1", n_units),
        fc2(this, "fc2", n_out) {}

  Variable forward(const Variable& x) {
    Variable h = F::max_pooling_2d(F::relu(conv1(x)), 2);
    h = F::max_pooling_2d(F::relu(conv2(h)), 2);
    // Dropout is active only in training; the evaluator turns it off.
    h = F::dropout(F::relu(fc1(h)), {.ratio = 0.25});
    return fc2(h);
  }

 private:
  Child<L::Convolution2D> conv1, conv2;
  Child<L::Linear> fc1, fc2;
};

void train() {
  const Device device = Device::parse(GetFlag(FLAGS_device));
  const DeviceScope scope(device);
  array::random::seed(GetFlag(FLAGS_seed));

  L::Classifier model(CNN(GetFlag(FLAGS_unit), 10));
  optimizers::Adam optimizer;
  optimizer.setup(model);

  const auto [train, test] = examples::load_digit_images(
      GetFlag(FLAGS_dataset), GetFlag(FLAGS_data_dir), /*ndim=*/3);
  iterators::SerialIterator train_iter(train, GetFlag(FLAGS_batchsize));
  iterators::SerialIterator test_iter(test, GetFlag(FLAGS_batchsize),
                                      {.repeat = false, .shuffle = false});

  training::StandardUpdater updater(train_iter, optimizer, {.device = device});
  training::Trainer trainer(updater, {GetFlag(FLAGS_epoch).value, "epoch"},
                            {.out = GetFlag(FLAGS_out)});
  trainer.extend(extensions::Evaluator(test_iter, model, {.device = device}));
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::HtmlReport());  // result/report.html
  trainer.extend(extensions::PrintReport(
      {"epoch", "main/loss", "validation/main/loss", "main/accuracy",
       "validation/main/accuracy", "elapsed_time"}));
  trainer.run();
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Trains a convolutional network on digits.", train);
}
