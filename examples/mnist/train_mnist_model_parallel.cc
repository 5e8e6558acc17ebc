// Trains a classifier of handwritten digits whose network is split over two
// devices: each computes half of the hidden units, and F::copy transfers
// activations forward and gradients back. For models that do not fit on one
// device.
//
//   Data:   1,797 digits of 8x8 pixels ship with catena; --dataset=mnist uses
//           MNIST itself (downloaded once, or from --data_dir).
//   Run:    ./bazelw run //examples/mnist:train_mnist_model_parallel
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
#include "catena/functions/array/copy.h"
#include "catena/functions/math/operators.h"
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
          "where images come in and labels go out");
ABSL_FLAG(std::string, device1, "native:1", "the other device");
ABSL_FLAG(examples::AtLeast<1>, batchsize, {100}, "images in a minibatch");
ABSL_FLAG(examples::AtLeast<1>, epoch, {20}, "sweeps over the training set");
ABSL_FLAG(examples::AtLeast<1>, unit, {100},
          "units in a hidden layer, of both devices");
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

// Two pairs of networks of half the size. The first pair runs in parallel; then
// each network of the second pair gets the sum of both outputs.
class ParallelMLP : public Chain<ParallelMLP> {
 public:
  ParallelMLP(int64_t n_units, int64_t n_out, Device device0, Device device1)
      : first0(this, "first0", n_units / 2, n_units),
        first1(this, "first1", n_units / 2, n_units),
        second0(this, "second0", n_units / 2, n_out),
        second1(this, "second1", n_units / 2, n_out),
        device0_(device0),
        device1_(device1) {
    first0->to_device(device0);
    second0->to_device(device0);
    first1->to_device(device1);
    second1->to_device(device1);
  }

  // x and the result are on device0.
  Variable forward(const Variable& x) {
    const Variable z0 = first0->forward(x);
    const Variable z1 = first1->forward(F::copy(x, device1_));

    // Exchange the results between the devices.
    const Variable h0 = z0 + F::copy(z1, device0_);
    const Variable h1 = F::copy(z0, device1_) + z1;

    const Variable y0 = second0->forward(F::relu(h0));
    const Variable y1 = second1->forward(F::relu(h1));
    return y0 + F::copy(y1, device0_);
  }

 private:
  Child<MLP> first0, first1, second0, second1;
  Device device0_;
  Device device1_;
};

void train() {
  const Device device0 = Device::parse(GetFlag(FLAGS_device0));
  const Device device1 = Device::parse(GetFlag(FLAGS_device1));
  const DeviceScope scope(device0);
  array::random::seed(GetFlag(FLAGS_seed));

  L::Classifier model(ParallelMLP(GetFlag(FLAGS_unit), 10, device0, device1));
  optimizers::Adam optimizer;
  optimizer.setup(model);

  const auto [train, test] = examples::load_digit_images(
      GetFlag(FLAGS_dataset), GetFlag(FLAGS_data_dir));
  iterators::SerialIterator train_iter(train, GetFlag(FLAGS_batchsize));
  iterators::SerialIterator test_iter(test, GetFlag(FLAGS_batchsize),
                                      {.repeat = false, .shuffle = false});

  // Minibatches go to device0. The model stays where it is, since it is on
  // several devices; for the same reason, updater and evaluator have to be
  // told.
  training::StandardUpdater updater(train_iter, optimizer, {.device = device0});
  training::Trainer trainer(updater, {GetFlag(FLAGS_epoch).value, "epoch"},
                            {.out = GetFlag(FLAGS_out)});
  trainer.extend(extensions::Evaluator(test_iter, model, {.device = device0}));
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::PrintReport(
      {"epoch", "main/loss", "validation/main/loss", "main/accuracy",
       "validation/main/accuracy", "elapsed_time"}));
  trainer.run();
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Trains on digits with two devices, model parallel.", train);
}
