// The cost of summing arrays over ranks, and of a training step that does so:
//
//   mpirun -n 2 bazel-bin/training/communicators/communicator_benchmark
//
// Google Benchmark chooses the number of iterations in each process separately,
// but ranks must agree, so this program has a fixed number. The baseline is
// MPI_Allreduce on the same memory.

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/optimizers/sgd.h"
#include "catena/training/communicators/create_communicator.h"
#include "catena/training/communicators/multi_node_optimizer.h"

namespace catena::training::communicators {
namespace {

// Seconds per call: the median over calls, of the slowest rank.
double time(Communicator& communicator, int times,
            const std::function<void()>& work) {
  std::vector<double> seconds;
  for (int i = 0; i < times + 2; ++i) {
    communicator.barrier();
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - start;
    if (i >= 2) seconds.push_back(taken.count());
  }
  std::ranges::nth_element(seconds, seconds.begin() + times / 2);
  double slowest = seconds[times / 2];
  MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

void print(const Communicator& communicator, const std::string& what,
           int64_t bytes, double seconds) {
  if (communicator.rank() != 0) return;
  std::printf("%-28s %10lld bytes %10.1f us %9.1f MB/s\n", what.c_str(),
              static_cast<long long>(bytes), seconds * 1e6,
              static_cast<double>(bytes) / seconds / 1e6);
}

void sums(const std::string& kind) {
  const auto communicator = create_communicator(kind);
  for (const int64_t size : {1 << 10, 1 << 16, 1 << 20, 1 << 24}) {
    const Array x = array::ones({size}, Dtype::kFloat32);
    const int times = size > (1 << 20) ? 20 : 100;
    if (kind == "mpi") {
      print(*communicator, "MPI_Allreduce", x.nbytes(),
            time(*communicator, times, [&] {
              MPI_Allreduce(MPI_IN_PLACE, x.raw_data(), static_cast<int>(size),
                            MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
            }));
    }
    print(*communicator, kind, x.nbytes(), time(*communicator, times, [&] {
      communicator->start_allreduce(x)->wait();
    }));
  }
}

class MLP : public Chain<MLP> {
 public:
  MLP()
      : l1(this, "l1", 784, 1000),
        l2(this, "l2", 1000, 1000),
        l3(this, "l3", 1000, 10) {}
  Variable forward(const Variable& x, const Variable& t) {
    return functions::softmax_cross_entropy(
        l3(functions::relu(l2(functions::relu(l1(x))))), t);
  }
  Child<links::Linear> l1, l2, l3;
};

void step(const std::string& name, const std::string& kind,
          const CommunicatorOptions& options) {
  const auto communicator = create_communicator(kind, options);
  MLP model;
  optimizers::SGD optimizer;
  if (name != "alone") create_multi_node_optimizer(optimizer, *communicator);
  optimizer.setup(model);
  const Variable x(array::random::normal(0, 1, {64, 784}, Dtype::kFloat32));
  const Variable t(array::zeros({64}, Dtype::kInt32));
  print(*communicator, "step of a MLP, " + name, model.count_params() * 4,
        time(*communicator, 30, [&] {
          optimizer.update(
              [&](const Variable& x, const Variable& t) {
                return model.forward(x, t);
              },
              x, t);
        }));
}

void run() {
  for (const std::string kind : {"mpi", "naive", "hierarchical"}) sums(kind);
  step("alone", "mpi", {});
  step("naive", "naive", {});
  step("buckets afterwards", "mpi", {.bucket_policy = {{.overlap = false}}});
  step("buckets meanwhile", "mpi", {});
}

}  // namespace
}  // namespace catena::training::communicators

int main() { catena::training::communicators::run(); }
