// Trains a multilayer perceptron on handwritten digits: the smallest complete
// program, and the best one to read first.
//
//   Data:   1,797 digits of 8x8 pixels ship with catena; --dataset=mnist uses
//           MNIST itself (downloaded once, or from --data_dir).
//   Run:    ./bazelw run //examples/mnist:train_mnist
//   Expect: validation/main/accuracy above 0.96 after 20 epochs, which take
//           about a second; log, plots, graph and snapshots in the folder
//           result, or in --out.
//   Resume: --resume=latest --epoch=40 continues after the last saved epoch,
//           even if training was stopped.

#include <iostream>
#include <string>

#include "absl/flags/flag.h"
#include "catena/array/random/random.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/examples/mnist/digit_images.h"
#include "catena/examples/support/flags.h"
#include "catena/examples/support/resume.h"
#include "catena/functions/activation/relu.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/model/classifier.h"
#include "catena/optimizers/adam.h"
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
ABSL_FLAG(examples::AtLeast<1>, unit, {100}, "units in a hidden layer");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(
    std::string, resume, "",
    "continues from this snapshot file, or from the \"latest\" one in --out");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

// The network: two hidden layers. Input sizes are inferred at the first call.
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
  const Device device = Device::parse(GetFlag(FLAGS_device));
  const DeviceScope scope(device);
  array::random::seed(GetFlag(FLAGS_seed));

  // 1. The model. Classifier adds softmax cross entropy and accuracy, and
  // reports both at every call.
  L::Classifier model(MLP(GetFlag(FLAGS_unit), 10));

  // 2. The optimizer updates every parameter of the link passed to setup().
  optimizers::Adam optimizer;
  optimizer.setup(model);

  // 3. The data: shuffled and repeated for training, once in order for testing.
  const auto [train, test] = examples::load_digit_images(
      GetFlag(FLAGS_dataset), GetFlag(FLAGS_data_dir));
  iterators::SerialIterator train_iter(train, GetFlag(FLAGS_batchsize));
  iterators::SerialIterator test_iter(test, GetFlag(FLAGS_batchsize),
                                      {.repeat = false, .shuffle = false});

  // 4. The training loop and its extensions.
  training::StandardUpdater updater(train_iter, optimizer, {.device = device});
  training::Trainer trainer(updater, {GetFlag(FLAGS_epoch).value, "epoch"},
                            {.out = GetFlag(FLAGS_out)});

  // Evaluates the model on the test set after each epoch.
  trainer.extend(extensions::Evaluator(test_iter, model));
  // Writes the computational graph of the loss: dot -Tpng cg.dot.
  trainer.extend(extensions::DumpGraph("main/loss"));
  // Saves everything after each epoch, so that training can be resumed.
  trainer.extend(extensions::snapshot());
  // Writes the means of reported values to the file `log`, and plots them.
  trainer.extend(extensions::LogReport());
  trainer.extend(
      extensions::PlotReport({"main/loss", "validation/main/loss"},
                             {.x_key = "epoch", .file_name = "loss.png"}));
  trainer.extend(
      extensions::PlotReport({"main/accuracy", "validation/main/accuracy"},
                             {.x_key = "epoch", .file_name = "accuracy.png"}));
  // Prints them as a table, with a progress bar.
  trainer.extend(extensions::PrintReport(
      {"epoch", "main/loss", "validation/main/loss", "main/accuracy",
       "validation/main/accuracy", "elapsed_time"}));
  trainer.extend(extensions::ProgressBar());
  // Stops training cleanly on Ctrl-C.
  trainer.extend(extensions::StopOnInterrupt());

  examples::resume(trainer, GetFlag(FLAGS_resume));
  std::cout << "# dataset: " << GetFlag(FLAGS_dataset)
            << "\n# device: " << device << "\n# unit: " << GetFlag(FLAGS_unit)
            << "\n# Minibatch-size: " << GetFlag(FLAGS_batchsize)
            << "\n# epoch: " << GetFlag(FLAGS_epoch) << "\n\n";
  trainer.run();
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Trains a multilayer perceptron on digits.", train);
}
