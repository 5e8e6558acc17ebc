// One rank of a test under mpirun; the first argument selects what it does:
//
//   contract KIND [INTRA_SIZE]   the contract of that kind of communicator
//   kill                         trains; the last rank is killed meanwhile
//   throw                        trains; the last rank throws meanwhile
//   leave                        trains; the last rank ends before the others
//   exit                         trains; the last rank calls exit(0) meanwhile
//   wait                         waits for a rank that is busy with other work
//   stop                         ends; the last rank is stopped before

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <thread>

#include "catena/array/creation.h"
#include "catena/functions/loss/mean_squared_error.h"
#include "catena/links/connection/linear.h"
#include "catena/optimizers/sgd.h"
#include "catena/training/communicators/create_communicator.h"
#include "catena/training/communicators/multi_node_optimizer.h"
#include "catena/training/communicators/testing/contract.h"

namespace catena::training::communicators {
namespace {

// Set by main.
std::string kind;
CommunicatorOptions options;

class MpiRanks : public ::testing::Test {
 protected:
  std::unique_ptr<Communicator> communicator_ =
      create_communicator(kind, options);
};

TEST_F(MpiRanks, HasItsName) { EXPECT_EQ(communicator_->name(), kind); }
TEST_F(MpiRanks, Collectives) { testing::check_collectives(*communicator_); }
TEST_F(MpiRanks, Models) { testing::check_models(*communicator_); }
TEST_F(MpiRanks, BadCalls) { testing::check_bad_calls(*communicator_); }
TEST_F(MpiRanks, Training) { testing::check_training(*communicator_); }
TEST_F(MpiRanks, LossScaling) { testing::check_loss_scaling(*communicator_); }

// Trains a layer; the last rank deviates in the fourth step.
void train(const std::string& what) {
  const auto communicator = create_communicator("mpi");
  links::Linear linear(3, 2);
  optimizers::SGD optimizer;
  create_multi_node_optimizer(optimizer, *communicator);
  optimizer.setup(linear);
  const Variable x(array::ones({4, 3}, Dtype::kFloat32));
  const Variable t(array::zeros({4, 2}, Dtype::kFloat32));
  const bool is_last = communicator->rank() == communicator->size() - 1;
  for (int step = 0; step < 10; ++step) {
    if (is_last && step == 3) {
      if (what == "kill") ::raise(SIGKILL);
      if (what == "throw") raise<ValueError>("the data of step 3 are bad");
      if (what == "leave") return;
      if (what == "exit") std::exit(0);
    }
    optimizer.update(
        [&](const Variable& x, const Variable& t) {
          return functions::mean_squared_error(linear(x), t);
        },
        x, t);
  }
  std::puts("trained to the end");
}

void wait_for_another() {
  const auto communicator =
      create_communicator("mpi", {.mpi = {.timeout = std::chrono::seconds(1)}});
  if (communicator->rank() == 1) {
    std::this_thread::sleep_for(std::chrono::seconds(60));
  }
  communicator->barrier();
}

void end_without_another() {
  const auto communicator =
      create_communicator("mpi", {.mpi = {.timeout = std::chrono::seconds(1)}});
  communicator->barrier();
  if (communicator->rank() == communicator->size() - 1) ::raise(SIGSTOP);
}

}  // namespace
}  // namespace catena::training::communicators

int main(int argc, char** argv) {
  namespace communicators = catena::training::communicators;
  const std::string what = argc > 1 ? argv[1] : "";
  try {
    if (what == "contract") {
      communicators::kind = argc > 2 ? argv[2] : "mpi";
      if (argc > 3) communicators::options.mpi.intra_size = std::atoi(argv[3]);
      testing::InitGoogleTest(&argc, argv);
      return RUN_ALL_TESTS();
    }
    if (what == "wait") {
      communicators::wait_for_another();
    } else if (what == "stop") {
      communicators::end_without_another();
    } else {
      communicators::train(what);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
