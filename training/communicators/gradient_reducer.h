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

// Replaces the gradients of a link with their means over all ranks. They travel
// in buckets of neighbours in one dtype and device. A bucket goes when its last
// gradient is ready, but never before the one in front of it: so the order is
// the same on all ranks, whatever happens when. One that fills a bucket alone
// travels in its own memory, unless it has to go before finish().
//
//   reducer.start(link);
//   for (each gradient that is final) reducer.mark_ready(i, gradient);
//   reducer.finish();
//
// Afterwards gradients are views of the buckets, as an optimizer likes them.
class GradientReducer {
 public:
  // With a factor the results are that times the sums.
  GradientReducer(Communicator& communicator, const BucketPolicy& policy,
                  std::optional<double> factor = std::nullopt)
      : communicator_(communicator),
        policy_(policy),
        factor_(factor.value_or(1.0 / communicator.size())) {}

  // Begins with the parameters that have a shape, from the last to the first,
  // which is about the order in which backward passes finish them. The first
  // time and whenever these change, all ranks compare theirs:
  // CommunicatorError. Returns whether they did change.
  bool start(const Link& link);
  const std::vector<Parameter>& params() const { return params_; }

  // Takes the gradient of params()[i], which will not change any more.
  void mark_ready(size_t i, const Array& gradient);
  // Lets what is on its way go on.
  void progress();
  // Takes all other gradients from the parameters, waits, and gives the means
  // back to them. A missing gradient counts as zeros.
  void finish();
  // Forgets gradients that were taken, after an exception.
  void clear() noexcept;

 private:
  struct Part {
    size_t bucket = 0;
    int64_t offset = 0;  // in elements
    int64_t gap = 0;     // in front of it
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
