#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catena/autograd/parameter.h"
#include "catena/links/link.h"
#include "catena/training/communicators/communicator.h"

namespace catena::training::communicators {

// Replaces the gradients of a link with their means over all ranks. Consecutive
// gradients of the same dtype and device are sent in buckets. A bucket is sent
// when its last gradient is ready, but never before the preceding bucket, so
// the order is the same on all ranks. A gradient that fills a bucket alone is
// summed in its own memory, unless it is sent before finish().
//
//   reducer.start(link);
//   for (each gradient that is final) reducer.mark_ready(i, gradient);
//   reducer.finish();
//
// Afterwards gradients are views of the buckets, which optimizers can update in
// one pass.
class GradientReducer {
 public:
  // With a factor, the results are factor times the sums instead of the means.
  // Throws ValueError when the communicator cannot sum
  // policy.allreduce_grad_dtype.
  GradientReducer(Communicator& communicator, const BucketPolicy& policy,
                  std::optional<double> factor = std::nullopt);

  // Starts with the parameters that have a shape, from last to first, which is
  // roughly the order in which a backward pass completes their gradients. At
  // the first call and whenever the parameters change, all ranks compare them.
  // Throws CommunicatorError when they differ. Returns whether they changed.
  bool start(const Link& link);
  const std::vector<Parameter>& params() const { return params_; }

  // Takes the gradient of params()[i], which must be final.
  void mark_ready(size_t i, const Array& gradient);
  // Makes progress on pending sums.
  void progress();
  // Takes all remaining gradients from the parameters, waits, and sets the
  // means as their gradients. A missing gradient counts as zeros.
  void finish();
  // Drops the gradients taken so far, after an exception.
  void clear() noexcept;

 private:
  struct Part {
    size_t bucket = 0;
    int64_t offset = 0;  // in elements
    int64_t gap = 0;     // elements before it
    bool is_ready = false;
  };
  struct Bucket {
    Dtype dtype;
    Device device;
    int64_t size = 0;    // in elements
    size_t missing = 0;  // parts
    Array memory = {};
    std::unique_ptr<Communicator::Request> request = nullptr;
  };

  // The dtype in which gradients of a dtype are sent.
  Dtype sent_dtype(Dtype dtype) const;
  void lay_out();
  void compare_with_others(const std::string& signature) const;
  bool fills_bucket(size_t i) const;
  void take_in_place(size_t i);
  void copy_into_bucket(size_t i, const Array& gradient);
  void set_ready(size_t i);
  void launch_ready_buckets();
  Array slice(size_t i) const;

  Communicator& communicator_;
  BucketPolicy policy_;
  double factor_;
  std::string signature_;
  std::vector<Parameter> params_;
  std::vector<Part> parts_;  // of each parameter
  std::vector<Bucket> buckets_;
  size_t launched_ = 0;
};

}  // namespace catena::training::communicators
