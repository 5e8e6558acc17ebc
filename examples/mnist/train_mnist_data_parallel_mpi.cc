// Trains a multilayer perceptron on handwritten digits in several processes, on
// one or more machines. Each process computes the gradients of its part of
// every minibatch; all apply the mean gradient. Two processes thus end with the
// parameters of one process with twice the --batchsize.
//
//   Build:  ./bazelw build //examples/mnist:train_mnist_data_parallel_mpi
//   Run:    mpirun -n 2 bazel-bin/examples/mnist/train_mnist_data_parallel_mpi
//   Expect: validation/main/accuracy above 0.96 after 20 epochs, in seconds;
//           log, model and checkpoints in the folder result, or in --out.
//   GPUs:   build with --config=cuda, run with --device=cuda:0
//           --communicator=nccl; each process of a machine uses its own GPU.
//   Resume: --resume, with the same number of processes.
//
// train_mnist.cc explains the parts that both programs share.

#include <iostream>
#include <optional>
#include <string>

#include "absl/flags/flag.h"
#include "catena/array/core/error.h"
#include "catena/array/random/random.h"
#include "catena/dataset/datasets/digits.h"
#include "catena/dataset/datasets/mnist.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/examples/support/flags.h"
#include "catena/functions/activation/relu.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/model/classifier.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/serializers/npz.h"
#include "catena/training/communicators/communicators.h"
#include "catena/training/communicators/create_communicator.h"
#include "catena/training/training.h"

using absl::GetFlag;
using namespace catena;
using namespace catena::training::communicators;
namespace F = catena::functions;
namespace L = catena::links;
namespace extensions = catena::training::extensions;

ABSL_FLAG(std::string, communicator, "mpi", "naive, mpi, nccl or hierarchical");
ABSL_FLAG(std::string, dataset, "digits", "digits or mnist");
ABSL_FLAG(std::string, data_dir, "", "folder of MNIST's IDX files");
ABSL_FLAG(std::string, device, "native", "native or cuda:0");
ABSL_FLAG(examples::AtLeast<1>, batchsize, {50},
          "images of a process in a minibatch");
ABSL_FLAG(examples::AtLeast<1>, epoch, {20}, "sweeps over the training set");
ABSL_FLAG(examples::AtLeast<1>, unit, {100}, "units in a hidden layer");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(bool, resume, false, "continues from the last checkpoint in --out");
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

std::pair<datasets::TupleDataset, datasets::TupleDataset> load() {
  if (GetFlag(FLAGS_dataset) == "digits") return datasets::get_digits();
  if (GetFlag(FLAGS_dataset) == "mnist") {
    return datasets::get_mnist({.data_dir = GetFlag(FLAGS_data_dir)});
  }
  raise<ValueError>("--dataset: expected digits or mnist, got '",
                    GetFlag(FLAGS_dataset), "'");
}

// Each process of a machine uses the GPU with its number.
Device choose_device() {
  const Device device = Device::parse(GetFlag(FLAGS_device));
  if (device.is_native()) return device;
  return cuda_device(create_communicator("mpi")->intra_rank());
}

void train() {
  const Device device = choose_device();
  const DeviceScope scope(device);
  // 1. The communicator connects the processes. An error in one ends all.
  const auto communicator = create_communicator(GetFlag(FLAGS_communicator));
  const bool is_first = communicator->rank() == 0;

  // 2. Model and optimizer, with one extra line. Every process starts with the
  // parameters of the first; other random numbers differ.
  array::random::seed(GetFlag(FLAGS_seed) +
                      static_cast<uint64_t>(communicator->rank()));
  L::Classifier model(MLP(GetFlag(FLAGS_unit), 10));
  optimizers::MomentumSGD optimizer({.lr = 0.1});
  create_multi_node_optimizer(optimizer, *communicator);
  optimizer.setup(model);

  // 3. The data: a part of each minibatch for training, a part of the test set
  // for testing.
  const auto [train, test] = load();
  iterators::SerialIterator whole_iter(
      train, GetFlag(FLAGS_batchsize) * communicator->size());
  MultiNodeIterator train_iter(whole_iter, *communicator);
  iterators::SerialIterator test_iter(scatter_dataset(test, *communicator),
                                      GetFlag(FLAGS_batchsize),
                                      {.repeat = false, .shuffle = false});

  // 4. The training loop. All processes evaluate and save; one reports.
  training::StandardUpdater updater(train_iter, optimizer, {.device = device});
  training::Trainer trainer(updater, {GetFlag(FLAGS_epoch).value, "epoch"},
                            {.out = GetFlag(FLAGS_out)});
  trainer.extend(create_multi_node_evaluator(
      extensions::Evaluator(test_iter, model, {.device = device}),
      *communicator));
  trainer.extend(ObservationAggregator(*communicator));
  MultiNodeCheckpointer& checkpointer =
      trainer.extend(MultiNodeCheckpointer(*communicator));
  if (is_first) {
    trainer.extend(extensions::LogReport());
    trainer.extend(extensions::PrintReport(
        {"epoch", "main/loss", "validation/main/loss", "main/accuracy",
         "validation/main/accuracy", "elapsed_time"}));
    trainer.extend(extensions::ProgressBar());
    std::cout << "# processes: " << communicator->size()
              << "\n# communicator: " << communicator->name()
              << "\n# Minibatch-size: " << whole_iter.batch_size()
              << "\n# epoch: " << GetFlag(FLAGS_epoch) << "\n\n";
  }
  if (GetFlag(FLAGS_resume)) checkpointer.maybe_load(trainer);
  trainer.run();
  if (is_first) serializers::save_npz(trainer.out_path("model.npz"), model);
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Trains a multilayer perceptron in several processes.",
      train);
}
