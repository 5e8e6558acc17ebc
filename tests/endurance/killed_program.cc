// Trains a small model with a snapshot after each iteration, resuming from the
// last snapshot. For kill_test, which kills it at any moment.
//
//   killed_program VARIANT FOLDER [ITERATION BYTES]
//
// The variants are plain, multithread (a MultithreadIterator), threads (two
// ranks as threads), mpi (a rank under mpirun) and captured (steps that are
// captured on a GPU). Prints a dot to standard output for each iteration. From
// ITERATION on, files cannot grow beyond BYTES, as on a full disk.

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catena/array/random/random.h"
#include "catena/dataset/iterators/multithread_iterator.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/links/model/classifier.h"
#include "catena/optimizers/adam.h"
#include "catena/serializers/npz.h"
#include "catena/tests/endurance/mpi_rank.h"
#include "catena/tests/endurance/noisy_training.h"
#include "catena/training/communicators/multi_node_checkpointer.h"
#include "catena/training/communicators/multi_node_iterator.h"
#include "catena/training/communicators/multi_node_optimizer.h"
#include "catena/training/communicators/thread_communicator.h"
#include "catena/training/extensions/log_report.h"
#include "catena/training/extensions/snapshot.h"
#include "catena/training/standard_updater.h"
#include "catena/training/trainer.h"

namespace catena {
namespace {

namespace extensions = training::extensions;
using testing::MadeUpData;
using training::communicators::Communicator;
using training::communicators::MultiNodeCheckpointer;
using training::communicators::ThreadCommunicator;

struct Run {
  std::string folder;
  // When the disk is full.
  int64_t iteration = -1;
  rlim_t bytes = RLIM_INFINITY;
};

void limit_files(rlim_t bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = std::min(bytes, limit.rlim_max);
  setrlimit(RLIMIT_FSIZE, &limit);
}

bool has_snapshot(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("snapshot_")) return true;
  }
  return false;
}

// What all variants have in common; a communicator is that of several ranks.
void train(const Run& run, dataset::Iterator& iterator,
           const training::StandardUpdaterOptions& options = {},
           Communicator* communicator = nullptr) {
  const int rank = communicator != nullptr ? communicator->rank() : 0;
  links::Classifier model((testing::NoisyMLP()));
  optimizers::Adam optimizer;
  if (communicator != nullptr) {
    create_multi_node_optimizer(optimizer, *communicator);
  }
  optimizer.setup(model);
  training::StandardUpdater updater(iterator, optimizer, options);
  training::Trainer trainer(updater, {40, "iteration"}, {.out = run.folder});
  if (rank == 0) {
    trainer.extend([&](training::Trainer& self) {
      if (::write(STDOUT_FILENO, ".", 1) != 1) std::abort();
      if (self.updater().iteration() == run.iteration) limit_files(run.bytes);
    });
    trainer.extend(extensions::LogReport({.trigger = {4, "iteration"}}));
  }
  if (communicator != nullptr) {
    trainer
        .extend(MultiNodeCheckpointer(*communicator, {.name = "snapshot"}),
                {.trigger = {1, "iteration"}})
        .maybe_load(trainer);
  } else {
    trainer.extend(extensions::snapshot(), {.trigger = {1, "iteration"}});
    if (has_snapshot(run.folder)) {
      serializers::load_npz(extensions::latest_snapshot(run.folder), trainer);
    }
  }
  // Standard error is also a limited file: main() prints once there is space
  // again.
  trainer.run({.show_loop_exception_msg = false});
  serializers::save_npz(str(run.folder, "/final_", rank, ".npz"), model);
}

void train_rank(const Run& run, Communicator& communicator) {
  array::random::seed(1 + static_cast<uint64_t>(communicator.rank()));
  iterators::SerialIterator whole(MadeUpData(50), 8, {.seed = 3});
  training::communicators::MultiNodeIterator iterator(whole, communicator);
  train(run, iterator, {}, &communicator);
}

void train_plain(const Run& run) {
  array::random::seed(1);
  iterators::SerialIterator iterator(MadeUpData(50), 8);
  train(run, iterator);
}

void train_multithread(const Run& run) {
  array::random::seed(1);
  // Minibatches span epochs, and some are always read ahead.
  iterators::MultithreadIterator iterator(MadeUpData(50), 8,
                                          {.n_threads = 3, .n_prefetch = 4});
  train(run, iterator);
}

void train_threads(const Run& run) {
  auto ranks =
      ThreadCommunicator::create(2, {}, {.timeout = std::chrono::minutes(1)});
  std::vector<std::exception_ptr> failures(ranks.size());
  std::vector<std::thread> threads;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    threads.emplace_back([&, rank] {
      const DeviceScope device(native_device(static_cast<int>(rank)));
      try {
        train_rank(run, *ranks[rank]);
      } catch (...) {
        failures[rank] = std::current_exception();
        ranks[rank].reset();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

void train_mpi(const Run& run) { train_rank(run, *testing::connect_rank()); }

void train_captured(const Run& run) {
  const DeviceScope device(cuda_device());
  for (const Device each : {native_device(), cuda_device()}) {
    array::random::seed(1, each);
  }
  iterators::SerialIterator iterator(MadeUpData(50), 8);
  train(run, iterator,
        {.device = cuda_device(), .capture = training::Capture::kAlways});
}

const std::map<std::string, std::function<void(const Run&)>, std::less<>>
    kVariants = {{"plain", train_plain},
                 {"multithread", train_multithread},
                 {"threads", train_threads},
                 {"mpi", train_mpi},
                 {"captured", train_captured}};

}  // namespace
}  // namespace catena

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // so that write() returns EFBIG
  if (argc != 3 && argc != 5) return 2;
  const auto variant = catena::kVariants.find(argv[1]);
  if (variant == catena::kVariants.end()) return 2;
  try {
    catena::Run run{.folder = argv[2]};
    if (argc == 5) {
      run.iteration = std::stoll(argv[3]);
      run.bytes = std::stoull(argv[4]);
    }
    variant->second(run);
  } catch (const std::exception& error) {
    catena::limit_files(RLIM_INFINITY);
    std::cerr << error.what() << '\n';
    return 1;
  }
}
