// Trains a classifier of handwritten digits on two devices at once: each gets
// half of every minibatch, and the gradients are added up. Only the updater
// differs from train_mnist.cc.
//
//   Data:   1,797 digits of 8x8 pixels ship with catena; --dataset=mnist uses
//           MNIST itself (downloaded once, or from --data_dir).
//   Run:    ./bazelw run //examples/mnist:train_mnist_data_parallel
//           uses two logical devices of the host; with two GPUs, add
//           --device0=cuda:0 --device1=cuda:1
//   Expect: validation/main/accuracy above 0.96 after 20 epochs, less than
//           a second.

#include <string>

#include "absl/flags/flag.h"
#include "catena/array/random/random.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/examples/mnist/digit_images.h"
#include "catena/examples/support/flags.h"
#include "catena/functions/activation/relu.h"
#include "catena/links/chain.h"
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
ABSL_FLAG(std::string, device0, "native:0",
          "the main device, which updates parameters");
ABSL_FLAG(std::string, device1, "native:1", "the other device");
ABSL_FLAG(examples::AtLeast<1>, batchsize, {200},
          "images in a minibatch of both");
ABSL_FLAG(examples::AtLeast<1>, epoch, {20}, "sweeps over the training set");
ABSL_FLAG(examples::AtLeast<1>, unit, {100}, "units in a hidden layer");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

class MLP : public Chain<MLP> {
 public:
  MLP(int64_t n_units, int64_t n_out)
      : l1(this, "l1", n_units),
        l2(this, "l2", n_units),
        l3(this, "l3", n_out) {}

  Variable forward(const Variable& x) {
    return l3(F::relu(l2(F::relu(l1(x)))));
  }

 private:
  Child<L::Linear> l1, l2, l3;
};

void train() {
  const Device device0 = Device::parse(GetFlag(FLAGS_device0));
  const Device device1 = Device::parse(GetFlag(FLAGS_device1));
  const DeviceScope scope(device0);
  array::random::seed(GetFlag(FLAGS_seed));

  L::Classifier model(MLP(GetFlag(FLAGS_unit), 10));
  optimizers::Adam optimizer;
  optimizer.setup(model);

  const auto [train, test] = examples::load_digit_images(
      GetFlag(FLAGS_dataset), GetFlag(FLAGS_data_dir));
  iterators::SerialIterator train_iter(train, GetFlag(FLAGS_batchsize));
  iterators::SerialIterator test_iter(test, GetFlag(FLAGS_batchsize),
                                      {.repeat = false, .shuffle = false});

  // The model is moved to device0 and copied to device1. Both report values, as
  // main/... and second/...
  training::ParallelUpdater updater(train_iter, optimizer, model,
                                    {{"main", device0}, {"second", device1}});
  training::Trainer trainer(updater, {GetFlag(FLAGS_epoch).value, "epoch"},
                            {.out = GetFlag(FLAGS_out)});
  trainer.extend(extensions::Evaluator(test_iter, model, {.device = device0}));
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::PrintReport(
      {"epoch", "main/loss", "second/loss", "validation/main/loss",
       "main/accuracy", "validation/main/accuracy", "elapsed_time"}));
  trainer.run();
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Trains on digits with two devices, data parallel.", train);
}
