// Trains a multilayer perceptron on handwritten digits in several processes,
// on one machine or more. Each computes the gradients of its part of every
// minibatch; the mean of them all updates the parameters in each. So two
// processes end with the parameters of one with the doubled --batchsize.
//
//   Build:  ./bazelw build //examples/mnist:train_mnist_data_parallel_mpi
//   Run:    mpirun -n 2 bazel-bin/examples/mnist/train_mnist_data_parallel_mpi
//   Expect: validation/main/accuracy above 0.96 after 20 epochs, in seconds;
//           log, model and checkpoints in the folder result, or what --out
//           names.
//   GPUs:   build with --config=cuda, run with --device=cuda:0
//           --communicator=nccl; each process of a machine takes another GPU.
//   Resume: --resume goes on after the last checkpoint, with as many processes.
//
// train_mnist.cc explains what is the same here.

#include <iostream>
#include <optional>
#include <string>

#include "catena/array/error.h"
#include "catena/array/random.h"
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

using namespace catena;
using namespace catena::training::communicators;
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
  std::string communicator = "mpi";
  std::string dataset = "digits";
  std::string data_dir;
  std::string device = "native";
  int64_t batchsize = 50;
  int64_t epoch = 20;
  int64_t unit = 100;
  std::string out = "result";
  std::string resume;
  int64_t seed = 0;
};

Settings parse(int argc, char** argv) {
  Settings s;
  examples::Flags flags("Trains a multilayer perceptron in several processes.");
  flags.add("communicator", &s.communicator,
            "naive, mpi, nccl or hierarchical");
  flags.add("dataset", &s.dataset, "digits or mnist");
  flags.add("data_dir", &s.data_dir, "folder of MNIST's IDX files");
  flags.add("device", &s.device, "native or cuda:0");
  flags.add("batchsize", &s.batchsize, 1, "images of a process in a minibatch");
  flags.add("epoch", &s.epoch, 1, "sweeps over the training set");
  flags.add("unit", &s.unit, 1, "units in a hidden layer");
  flags.add("out", &s.out, "folder for the results");
  flags.add("resume", &s.resume, /*bare=*/"latest",
            "continues from the last checkpoint in --out");
  flags.add("seed", &s.seed, 0, "of all random numbers");
  flags.parse(argc, argv);
  return s;
}

std::pair<datasets::TupleDataset, datasets::TupleDataset> load(
    const Settings& s) {
  if (s.dataset == "digits") return datasets::get_digits();
  if (s.dataset == "mnist") {
    return datasets::get_mnist({.data_dir = s.data_dir});
  }
  raise<ValueError>("--dataset: expected digits or mnist, got '", s.dataset,
                    "'");
}

// Each process of a machine takes the GPU of its number.
Device choose_device(const Settings& s) {
  const Device device = Device::parse(s.device);
  if (device.is_native()) return device;
  return cuda_device(create_communicator("mpi")->intra_rank());
}

void train(const Settings& s) {
  const Device device = choose_device(s);
  const DeviceScope scope(device);
  // 1. What connects the processes. An error in one of them ends all.
  const auto communicator = create_communicator(s.communicator);
  const bool is_first = communicator->rank() == 0;

  // 2. Model and optimizer as ever, but for one line. Every process starts with
  // the parameters of the first; what else is random differs.
  array::random::seed(static_cast<uint64_t>(s.seed + communicator->rank()));
  L::Classifier model(MLP(s.unit, 10));
  optimizers::MomentumSGD optimizer({.lr = 0.1});
  create_multi_node_optimizer(optimizer, *communicator);
  optimizer.setup(model);

  // 3. The data: a part of each minibatch to train, a part of all to test.
  const auto [train, test] = load(s);
  iterators::SerialIterator whole_iter(train,
                                       s.batchsize * communicator->size());
  MultiNodeIterator train_iter(whole_iter, *communicator);
  iterators::SerialIterator test_iter(scatter_dataset(test, *communicator),
                                      s.batchsize,
                                      {.repeat = false, .shuffle = false});

  // 4. The loop. All processes evaluate and save; one of them reports.
  training::StandardUpdater updater(train_iter, optimizer, {.device = device});
  training::Trainer trainer(updater, {s.epoch, "epoch"}, {.out = s.out});
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
              << "\n# epoch: " << s.epoch << "\n\n";
  }
  if (!s.resume.empty()) checkpointer.maybe_load(trainer);
  trainer.run();
  if (is_first) serializers::save_npz(trainer.out_path("model.npz"), model);
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example([&] { train(parse(argc, argv)); });
}
