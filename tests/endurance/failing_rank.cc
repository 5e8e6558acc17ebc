// One rank under mpirun, one of which fails in some way at some moment. For
// mpi_kill_test.
//
//   failing_rank MOMENT WAY RANK MICROSECONDS FOLDER
//
// Each rank writes its process to the file FOLDER/rank_<its number>. All do
// again and again what the moment is about, until RANK fails after so many
// microseconds, or at once where the moment comes only once; then it creates
// the file FOLDER/failed.

#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/links/model/classifier.h"
#include "catena/optimizers/adam.h"
#include "catena/tests/endurance/mpi_rank.h"
#include "catena/tests/endurance/noisy_training.h"
#include "catena/training/communicators/create_communicator.h"
#include "catena/training/communicators/multi_node_checkpointer.h"
#include "catena/training/communicators/multi_node_optimizer.h"
#include "catena/training/extension.h"
#include "catena/training/standard_updater.h"
#include "catena/training/trainer.h"

namespace catena {
namespace {

using training::communicators::Communicator;
using Clock = std::chrono::steady_clock;

// What one rank does, and when.
class Failure {
 public:
  // Creates the file when it comes.
  Failure(std::string way, std::chrono::microseconds delay, std::string file)
      : way_(std::move(way)), delay_(delay), file_(std::move(file)) {}

  // Sudden ones come from another thread, in the midst of whatever this one
  // does; exceptions and std::exit() from calls of in_the_midst() and now().
  void begin() {
    due_ = Clock::now() + delay_;
    if (!is_sudden()) return;
    std::thread([this] {
      std::this_thread::sleep_until(due_);
      now();
    }).detach();
  }
  void in_the_midst() const {
    if (!is_sudden() && Clock::now() >= due_) now();
  }
  void now() const {
    std::ofstream(file_) << way_ << std::flush;
    if (way_ == "kill") ::kill(::getpid(), SIGKILL);
    if (way_ == "stop") ::kill(::getpid(), SIGSTOP);
    if (way_ == "_exit") ::_exit(0);
    if (way_ == "exit") std::exit(0);
    if (!is_sudden()) raise<ValueError>("this rank fails on purpose");
  }
  bool is_sudden() const {
    return way_ == "kill" || way_ == "stop" || way_ == "_exit";
  }
  const std::string& way() const { return way_; }

 private:
  std::string way_;
  std::chrono::microseconds delay_;
  std::string file_;
  Clock::time_point due_ = Clock::time_point::max();
};

// This rank's, if it is the one that fails.
Failure* failure = nullptr;
bool fails_in_finalize = false;

void in_the_midst() {
  if (failure != nullptr) failure->in_the_midst();
}

Array large() { return array::ones({1 << 20}, Dtype::kFloat32); }

void sum(Communicator& communicator) {
  const auto request = communicator.start_allreduce(large());
  in_the_midst();
  request->wait();
}

void broadcast(Communicator& communicator) {
  const auto request = communicator.start_bcast(large(), 0);
  in_the_midst();
  request->wait();
}

void meet(Communicator& communicator) {
  in_the_midst();
  communicator.barrier();
}

// Fails while the trainer is saved.
class FailsInSnapshots final : public training::Extension {
 public:
  void operator()(training::Trainer&) override {}
  std::string default_name() const override { return "FailsInSnapshots"; }
  training::AnyTrigger trigger() const override { return {1, "iteration"}; }
  void serialize(const Serializer&) override { in_the_midst(); }
};

// Trains with a checkpoint after each step, or without any.
void train(Communicator& communicator, const std::string& folder,
           bool has_checkpoints) {
  links::Classifier model((testing::NoisyMLP()));
  optimizers::Adam optimizer;
  create_multi_node_optimizer(optimizer, communicator);
  optimizer.setup(model);
  iterators::SerialIterator iterator(testing::MadeUpData(50), 8);
  training::StandardUpdater updater(iterator, optimizer);
  training::Trainer trainer(updater, {1'000'000'000, "iteration"},
                            {.out = folder});
  if (has_checkpoints) {
    trainer.extend(FailsInSnapshots());
    trainer.extend(training::communicators::MultiNodeCheckpointer(communicator),
                   {.trigger = {1, "iteration"}});
  } else {
    trainer.extend([](training::Trainer&) {
      in_the_midst();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    });
  }
  trainer.run({.show_loop_exception_msg = false});
}

void fail_at_exit() {
  if (failure != nullptr) failure->now();
}

// Until this rank or another has failed. Moments that come only once are after
// some work together.
void work(const std::string& moment, Communicator& communicator,
          const std::string& folder) {
  const bool is_at_the_end = moment == "exit" || moment == "finalize";
  if (failure != nullptr && !is_at_the_end) failure->begin();
  for (int round = 0; !is_at_the_end || round < 3; ++round) {
    if (moment == "allreduce") sum(communicator);
    if (moment == "bcast") broadcast(communicator);
    if (moment == "barrier" || is_at_the_end) meet(communicator);
    if (moment == "step") train(communicator, folder, false);
    if (moment == "checkpoint") train(communicator, folder, true);
  }
  if (failure == nullptr) return;
  if (moment == "finalize") {
    fails_in_finalize = true;
  } else if (failure->way() == "throw" || failure->way() == "catch") {
    failure->now();
  } else {
    std::atexit(fail_at_exit);
  }
}

// Where a rank fails while the others connect, they must not wait for long.
std::unique_ptr<Communicator> connect(const std::string& moment) {
  if (moment != "connect") return testing::connect_rank();
  if (failure != nullptr) failure->now();
  return training::communicators::create_communicator(
      "mpi", {.mpi = {.timeout = testing::kRankTimeout}});
}

int rank_of_this_process() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
    if (const char* rank = std::getenv(name)) return std::atoi(rank);
  }
  return 0;
}

int run(const std::string& moment, const std::string& folder) {
  const std::string way = failure != nullptr ? failure->way() : "";
  if (way == "uncaught") {
    work(moment, *connect(moment), folder);
    return 0;
  }
  // Or main catches the error while the communicator exists, and ends as if
  // there had been none.
  std::unique_ptr<Communicator> kept;
  try {
    auto communicator = connect(moment);
    Communicator& used = *communicator;
    if (way == "catch") kept = std::move(communicator);
    work(moment, used, folder);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return way == "catch" ? 0 : 1;
  }
  return 0;
}

}  // namespace
}  // namespace catena

// MPI's profiling interface: what catena calls is this one.
int MPI_Finalize() {
  if (catena::fails_in_finalize) catena::failure->now();
  return PMPI_Finalize();
}

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const std::string moment = argv[1];
  const std::string folder = argv[5];
  const int rank = catena::rank_of_this_process();
  std::ofstream(folder + "/rank_" + std::to_string(rank)) << ::getpid();
  // For handlers at exit, too.
  static catena::Failure failure(argv[2],
                                 std::chrono::microseconds(std::atoll(argv[4])),
                                 folder + "/failed");
  if (rank == std::atoi(argv[3])) catena::failure = &failure;
  return catena::run(moment, folder);
}
