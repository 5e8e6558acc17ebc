#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catena/training/communicators/communicator.h"

namespace catena::training::communicators {

struct MpiOptions {
  NamedFieldsOnly keywords = {};
  // How long to wait for other ranks before throwing CommunicatorError or, when
  // the program ends, before ending the others. While ranks connect, and in
  // MPI_Finalize, nothing can be thrown: the process prints a message and ends,
  // and with it all others.
  std::chrono::seconds timeout = std::chrono::minutes(30);
  // The number of ranks per machine; 0: detected.
  int intra_size = 0;
};

// Connects the processes started by one mpirun; without mpirun there is one
// rank. MPI is initialized at the first use, unless the program has done so,
// and finalized when the process ends. Not thread-safe.
//
// If a process is killed, mpirun ends the others. If a process destroys a
// communicator because of an exception, or an operation has failed, it aborts
// the whole run when it exits. Ranks that wait for a rank that has exited get a
// CommunicatorError.
//
// Arrays on a GPU are staged through host memory.
class MpiCommunicator : public Communicator {
 public:
  enum class Scope {
    kAll,     // every process
    kNode,    // those of this machine
    kLeaders  // the first process of each machine; others: only themselves
  };
  // Throws ValueError unless intra_size divides the number of processes.
  explicit MpiCommunicator(std::string_view name, const BucketPolicy& policy,
                           const MpiOptions& options = {},
                           Scope scope = Scope::kAll);
  ~MpiCommunicator() override;

  std::string_view name() const override { return name_; }
  std::unique_ptr<Request> start_allreduce(const Array& x) override;
  std::unique_ptr<Request> start_bcast(const Array& x, int root) override;

 protected:
  std::string do_bcast(std::string bytes, int root) override;
  std::vector<std::string> do_allgather(const std::string& bytes,
                                        std::string_view operation) override;

 private:
  // MPI's communicators. Bytes use a separate one, so that their order is
  // independent of that of arrays.
  struct Channels;
  MpiCommunicator(std::string_view name, const BucketPolicy& policy,
                  const MpiOptions& options,
                  std::unique_ptr<Channels> channels);

  std::string name_;
  MpiOptions options_;
  int exceptions_;
  std::unique_ptr<Channels> channels_;
  int next_tag_ = 0;  // for sums, the same on all ranks
};

}  // namespace catena::training::communicators
