#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/core/named_fields_only.h"
#include "catena/links/link.h"
#include "catena/serializers/archive.h"
#include "catena/serializers/serializer.h"

// Training on several ranks: processes under mpirun, or threads of one process.
// Each has a copy of the model and a part of the data.
namespace catena::training::communicators {

// Another rank has failed, has left, does not respond, or is out of step with
// this one.
class CommunicatorError : public Error {
 public:
  using Error::Error;
};

// How gradients are sent: grouped in buckets or not, during the backward pass
// or after it.
struct BucketPolicy {
  NamedFieldsOnly keywords = {};
  // The maximum size of a bucket that gradients share; 0: one bucket per
  // gradient.
  int64_t bucket_bytes = 4 << 20;
  bool overlap = true;
  // The dtype in which gradients of up to 32 bits are sent; by default float32,
  // also for 16-bit gradients. kFloat16 or kBFloat16 send half as much, only
  // where sums_16_bit(). NCCL then adds in that type and rounds after each
  // addition: with n ranks the relative error grows to n times 2^-11 (float16)
  // or 2^-8 (bfloat16), and a float16 sum may overflow.
  std::optional<Dtype> allreduce_grad_dtype = std::nullopt;
};

// Connects the ranks of a training run. All ranks must make the same calls in
// the same order, as with MPI. See create_communicator.h.
//
// intra_* numbers the ranks within a node (a machine), inter_* the nodes.
class Communicator {
 public:
  struct Place {
    int rank = 0;
    int size = 1;
    int intra_rank = 0;
    int intra_size = 1;
    int inter_rank = 0;
    int inter_size = 1;
  };

  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  // "naive", "mpi", ...
  virtual std::string_view name() const = 0;
  const Place& place() const { return place_; }
  int rank() const { return place_.rank; }
  int size() const { return place_.size; }
  int intra_rank() const { return place_.intra_rank; }
  int intra_size() const { return place_.intra_size; }
  int inter_rank() const { return place_.inter_rank; }
  int inter_size() const { return place_.inter_size; }

  // The sum over all ranks, bit-identical on each of them; x is numeric and has
  // the same dtype and shape on all ranks. float16 and bfloat16 are summed in
  // float32. Throws DtypeError for bool; CommunicatorError on failure.
  Array allreduce(const Array& x);
  // The array of rank `root`, on x's device; x has the same dtype and shape on
  // all ranks. Throws ValueError unless `root` is a rank; CommunicatorError on
  // failure.
  Array bcast(const Array& x, int root = 0);
  // The bytes of rank `root`; the bytes of all ranks in order. A
  // CommunicatorError names the operation.
  std::string bcast_bytes(std::string bytes, int root = 0);
  std::vector<std::string> allgather_bytes(
      const std::string& bytes, std::string_view operation = "allgather");
  // Why calls that need all ranks no longer can succeed, such as a rank that
  // has left; empty if nothing is known. May be called by any thread.
  virtual std::string failure() const { return {}; }
  // Waits for all ranks.
  void barrier() { allgather_bytes({}, "barrier"); }

  // Broadcasts the serialized state of one rank's object: parameters and
  // persistent values of a link, including their shapes, the position of an
  // iterator, a whole trainer. Throws IoError when another rank's object has a
  // different structure.
  template <serializers::Serializable T>
  void bcast_state(T& object, int root = 0) {
    bcast_state([&](const Serializer& s) { object.serialize(s); }, root);
  }
  void bcast_data(Link& link, int root = 0) { bcast_state(link, root); }
  // Replaces gradients with their means over all ranks; a missing one counts as
  // zeros. Throws CommunicatorError when parameters differ between ranks.
  void allreduce_grad(const Link& link);

  // For gradient exchange: starts an in-place, asynchronous sum of a contiguous
  // array of float32, float64, int32 or int64. All ranks must start requests in
  // the same order.
  class Request {
   public:
    virtual ~Request() = default;
    // Makes progress; returns whether it is done. Throws CommunicatorError on
    // failure.
    virtual bool test() = 0;
    // Waits until work that is submitted afterwards sees the sum.
    virtual void wait() = 0;
  };
  // Whether start_allreduce also takes float16 and bfloat16, whose sums are
  // rounded after each addition.
  virtual bool sums_16_bit() const { return false; }
  // Begins to sum an array over all ranks, in place.
  virtual std::unique_ptr<Request> start_allreduce(const Array& x) = 0;
  // The same, broadcasting one rank's elements; a contiguous array of any
  // dtype.
  virtual std::unique_ptr<Request> start_bcast(const Array& x, int root) = 0;

  const BucketPolicy& bucket_policy() const { return policy_; }

 protected:
  // Throws ValueError for a negative bucket size, and for an
  // allreduce_grad_dtype that is not a float of up to 32 bits.
  Communicator(const Place& place, const BucketPolicy& policy);

  // bcast_bytes and allgather_bytes of a kind of communicator; arguments are
  // checked.
  virtual std::string do_bcast(std::string bytes, int root) = 0;
  virtual std::vector<std::string> do_allgather(const std::string& bytes,
                                                std::string_view operation) = 0;

 private:
  void bcast_state(const serializers::Serialize& serialize, int root);
  void check_root(int root, std::string_view operation) const;

  Place place_;
  BucketPolicy policy_;
};

// A request that completed immediately.
class DoneRequest final : public Communicator::Request {
 public:
  bool test() override { return true; }
  void wait() override {}
};

// The dtype in which gradients or sums of a dtype are sent: float32 for 16-bit
// floats, int64 or uint64 for small integers. Throws DtypeError, naming
// `operation`, for bool.
Dtype travel_dtype(Dtype dtype, std::string_view operation);

}  // namespace catena::training::communicators
