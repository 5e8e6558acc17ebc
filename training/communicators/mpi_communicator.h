#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catena/training/communicators/communicator.h"

namespace catena::training::communicators {

struct MpiOptions {
  // How long to wait for other ranks before a CommunicatorError says so.
  std::chrono::seconds timeout = std::chrono::minutes(30);
  // The number of ranks on each machine; 0: counted.
  int intra_size = 0;
};

// Connects the processes that one mpirun has started; without mpirun there is
// one. MPI is initialized at the first use, unless the program has done that,
// and finalized as the process ends. Use it from one thread.
//
// When a process dies, mpirun ends the others; one that leaves a communicator
// by an exception ends the whole run as it ends itself; and ranks that wait for
// one that has come to its end get a CommunicatorError.
//
// Arrays on a GPU go through the host's memory.
class MpiCommunicator : public Communicator {
 public:
  enum class Scope {
    kAll,     // every process
    kNode,    // those on this machine
    kLeaders  // the first process of each machine; of others, themselves only
  };
  // ValueError unless intra_size divides the number of processes.
  explicit MpiCommunicator(std::string_view name, const BucketPolicy& policy,
                           const MpiOptions& options = {},
                           Scope scope = Scope::kAll);
  ~MpiCommunicator() override;

  std::string_view name() const override { return name_; }
  std::unique_ptr<Request> start_allreduce(const Array& x) override;
  std::unique_ptr<Request> start_bcast(const Array& x, int root) override;

 protected:
  std::string do_bcast(std::string bytes, int root) override;
  std::vector<std::string> do_allgather(const std::string& bytes) override;

 private:
  // MPI's communicators. Bytes have one of their own, so that their order does
  // not matter to arrays.
  struct Channels;
  MpiCommunicator(std::string_view name, const BucketPolicy& policy,
                  const MpiOptions& options,
                  std::unique_ptr<Channels> channels);

  std::string name_;
  MpiOptions options_;
  int exceptions_;
  std::unique_ptr<Channels> channels_;
  int next_tag_ = 0;  // of sums, the same on all ranks
};

}  // namespace catena::training::communicators
