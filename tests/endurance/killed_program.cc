// Trains a small model with a snapshot after each iteration, resuming from the
// last snapshot. For kill_test, which kills it at any moment.
//
//   killed_program FOLDER [ITERATION BYTES]
//
// Prints a dot to standard output for each iteration. From ITERATION on, files
// cannot grow beyond BYTES, as on a full disk.

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>

#include "catena/array/random/random.h"
#include "catena/dataset/iterators/multithread_iterator.h"
#include "catena/links/model/classifier.h"
#include "catena/optimizers/adam.h"
#include "catena/serializers/npz.h"
#include "catena/tests/endurance/noisy_training.h"
#include "catena/training/extensions/log_report.h"
#include "catena/training/extensions/snapshot.h"
#include "catena/training/standard_updater.h"
#include "catena/training/trainer.h"

namespace catena {
namespace {

namespace extensions = training::extensions;

struct FullDisk {
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

void train(const std::string& folder, const FullDisk& disk) {
  array::random::seed(1);
  links::Classifier model((testing::NoisyMLP()));
  optimizers::Adam optimizer;
  optimizer.setup(model);
  // Minibatches span epochs, and some are always read ahead.
  iterators::MultithreadIterator iterator(testing::MadeUpData(50), 8,
                                          {.n_threads = 3, .n_prefetch = 4});
  training::StandardUpdater updater(iterator, optimizer);
  training::Trainer trainer(updater, {40, "iteration"}, {.out = folder});
  trainer.extend([&](training::Trainer& self) {
    if (::write(STDOUT_FILENO, ".", 1) != 1) std::abort();
    if (self.updater().iteration() == disk.iteration) limit_files(disk.bytes);
  });
  trainer.extend(extensions::LogReport({.trigger = {4, "iteration"}}));
  trainer.extend(extensions::snapshot(), {.trigger = {1, "iteration"}});
  if (has_snapshot(folder)) {
    serializers::load_npz(extensions::latest_snapshot(folder), trainer);
  }
  // Standard error is also a limited file: main() prints once there is space
  // again.
  trainer.run({.show_loop_exception_msg = false});
  serializers::save_npz(folder + "/final.npz", model);
}

}  // namespace
}  // namespace catena

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // so that write() returns EFBIG
  if (argc != 2 && argc != 4) return 2;
  try {
    catena::FullDisk disk;
    if (argc == 4) disk = {std::stoll(argv[2]), std::stoull(argv[3])};
    catena::train(argv[1], disk);
  } catch (const std::exception& error) {
    catena::limit_files(RLIM_INFINITY);
    std::cerr << error.what() << '\n';
    return 1;
  }
}
