// Trains a classifier of handwritten digits on two devices at once: each gets
// half of every minibatch, and the gradients are added up. Another updater is
// all that this takes.
//
//   Data:   1,797 digits of 8x8 pixels come with catena; --dataset=mnist takes
//           the real MNIST (downloaded once, or from --data_dir).
//   Run:    ./bazelw run //examples/mnist:train_mnist_data_parallel
//           shows it on two logical devices of the host; with two GPUs
//           --device0=cuda:0 --device1=cuda:1
//   Expect: validation/main/accuracy above 0.96 after 20 epochs, less than
//           a second.

#include <string>

#include "catena/array/random.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/examples/mnist/digit_images.h"
#include "catena/examples/support/flags.h"
#include "catena/functions/activation/relu.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/model/classifier.h"
#include "catena/optimizers/adam.h"
#include "catena/training/training.h"

using namespace catena;
namespace F = catena::functions;
namespace L = catena::links;
namespace extensions = catena::training::extensions;

namespace {

class MLP : public Chain {
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

struct Settings {
  std::string dataset = "digits";
  std::string data_dir;
  std::string device0 = "native:0";
  std::string device1 = "native:1";
  int64_t batchsize = 200;
  int64_t epoch = 20;
  int64_t unit = 100;
  std::string out = "result";
  int64_t seed = 0;
};

Settings parse(int argc, char** argv) {
  Settings s;
  examples::Flags flags("Trains on digits with two devices, data parallel.");
  flags.add("dataset", &s.dataset, "digits or mnist");
  flags.add("data_dir", &s.data_dir, "folder of MNIST's IDX files");
  flags.add("device0", &s.device0, "the main device, which updates parameters");
  flags.add("device1", &s.device1, "the other device");
  flags.add("batchsize", &s.batchsize, 1, "images in a minibatch of both");
  flags.add("epoch", &s.epoch, 1, "sweeps over the training set");
  flags.add("unit", &s.unit, 1, "units in a hidden layer");
  flags.add("out", &s.out, "folder for the results");
  flags.add("seed", &s.seed, 0, "of all random numbers");
  flags.parse(argc, argv);
  return s;
}

void train(const Settings& s) {
  const Device device0 = Device::parse(s.device0);
  const Device device1 = Device::parse(s.device1);
  const DeviceScope scope(device0);
  array::random::seed(static_cast<uint64_t>(s.seed));

  L::Classifier model(MLP(s.unit, 10));
  optimizers::Adam optimizer;
  optimizer.setup(model);

  const auto [train, test] = examples::load_digit_images(s.dataset, s.data_dir);
  iterators::SerialIterator train_iter(train, s.batchsize);
  iterators::SerialIterator test_iter(test, s.batchsize,
                                      {.repeat = false, .shuffle = false});

  // The model goes to device0 and a copy of it to device1. Both report, as
  // main/... and second/...
  training::ParallelUpdater updater(train_iter, optimizer, model,
                                    {{"main", device0}, {"second", device1}});
  training::Trainer trainer(updater, {s.epoch, "epoch"}, {.out = s.out});
  trainer.extend(extensions::Evaluator(test_iter, model, {.device = device0}));
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::PrintReport(
      {"epoch", "main/loss", "second/loss", "validation/main/loss",
       "main/accuracy", "validation/main/accuracy", "elapsed_time"}));
  trainer.run();
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example([&] { train(parse(argc, argv)); });
}
