// Trains a multilayer perceptron on handwritten digits: the smallest complete
// program, and the place to start reading.
//
//   Data:   1,797 digits of 8x8 pixels come with catena; --dataset=mnist takes
//           the real MNIST (downloaded once, or from --data_dir).
//   Run:    ./bazelw run //examples/mnist:train_mnist
//   Expect: validation/main/accuracy above 0.96 after 20 epochs, which take
//           about a second; log, plots, graph and snapshots in the folder
//           result, or what --out names.
//   Resume: ./bazelw run //examples/mnist:train_mnist -- --resume --epoch=40
//           goes on after the last epoch, also when training was stopped.

#include <iostream>
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
#include "catena/serializers/npz.h"
#include "catena/training/extensions/dump_graph.h"
#include "catena/training/extensions/evaluator.h"
#include "catena/training/extensions/log_report.h"
#include "catena/training/extensions/plot_report.h"
#include "catena/training/extensions/print_report.h"
#include "catena/training/extensions/progress_bar.h"
#include "catena/training/extensions/snapshot.h"
#include "catena/training/extensions/stop_on_interrupt.h"
#include "catena/training/standard_updater.h"
#include "catena/training/trainer.h"

using namespace catena;
namespace F = catena::functions;
namespace L = catena::links;
namespace extensions = catena::training::extensions;

namespace {

// The network: two hidden layers. Input sizes are inferred at the first call.
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
  std::string device = "native";
  int64_t batchsize = 100;
  int64_t epoch = 20;
  int64_t unit = 100;
  std::string out = "result";
  std::string resume;
  int64_t seed = 0;
};

Settings parse(int argc, char** argv) {
  Settings s;
  examples::Flags flags("Trains a multilayer perceptron on digits.");
  flags.add("dataset", &s.dataset, "digits or mnist");
  flags.add("data_dir", &s.data_dir, "folder of MNIST's IDX files");
  flags.add("device", &s.device, "native, cuda:0, ...");
  flags.add("batchsize", &s.batchsize, 1, "images in a minibatch");
  flags.add("epoch", &s.epoch, 1, "sweeps over the training set");
  flags.add("unit", &s.unit, 1, "units in a hidden layer");
  flags.add("out", &s.out, "folder for the results");
  flags.add(
      "resume", &s.resume, /*bare=*/"latest",
      "continues from a snapshot file; alone: from the last one in --out");
  flags.add("seed", &s.seed, 0, "of all random numbers");
  flags.parse(argc, argv);
  return s;
}

void train(const Settings& s) {
  const Device device = Device::parse(s.device);
  const DeviceScope scope(device);
  array::random::seed(static_cast<uint64_t>(s.seed));

  // 1. The model. Classifier adds softmax cross entropy and accuracy, which it
  // reports at every call.
  L::Classifier model(MLP(s.unit, 10));

  // 2. The optimizer updates every parameter of the link it is set up with.
  optimizers::Adam optimizer;
  optimizer.setup(model);

  // 3. The data: shuffled and endless to train, once and in order to test.
  const auto [train, test] = examples::load_digit_images(s.dataset, s.data_dir);
  iterators::SerialIterator train_iter(train, s.batchsize);
  iterators::SerialIterator test_iter(test, s.batchsize,
                                      {.repeat = false, .shuffle = false});

  // 4. The loop, and what it does beside training.
  training::StandardUpdater updater(train_iter, optimizer, {.device = device});
  training::Trainer trainer(updater, {s.epoch, "epoch"}, {.out = s.out});

  // Evaluates the model on the test set after each epoch.
  trainer.extend(extensions::Evaluator(test_iter, model));
  // Writes the computational graph of the loss: dot -Tpng cg.dot.
  trainer.extend(extensions::DumpGraph("main/loss"));
  // Saves everything after each epoch, so that training can go on from there.
  trainer.extend(extensions::snapshot());
  // Writes the means of what was reported to the file `log`, and plots them.
  trainer.extend(extensions::LogReport());
  trainer.extend(
      extensions::PlotReport({"main/loss", "validation/main/loss"},
                             {.x_key = "epoch", .file_name = "loss.png"}));
  trainer.extend(
      extensions::PlotReport({"main/accuracy", "validation/main/accuracy"},
                             {.x_key = "epoch", .file_name = "accuracy.png"}));
  // Prints them as a table, under a bar that shows how far training is.
  trainer.extend(extensions::PrintReport(
      {"epoch", "main/loss", "validation/main/loss", "main/accuracy",
       "validation/main/accuracy", "elapsed_time"}));
  trainer.extend(extensions::ProgressBar());
  // Ends training in good order at Ctrl-C.
  trainer.extend(extensions::StopOnInterrupt());

  if (!s.resume.empty()) {
    serializers::load_npz(
        s.resume == "latest" ? extensions::latest_snapshot(s.out) : s.resume,
        trainer);
  }
  std::cout << "# dataset: " << s.dataset << "\n# device: " << device
            << "\n# unit: " << s.unit << "\n# Minibatch-size: " << s.batchsize
            << "\n# epoch: " << s.epoch << "\n\n";
  trainer.run();
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example([&] { train(parse(argc, argv)); });
}
