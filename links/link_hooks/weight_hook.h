#pragma once

#include <string>

#include "catena/links/link.h"
#include "catena/links/link_hook.h"

namespace catena::link_hooks {

// A hook of one link that puts something computed from a weight in its place
// for the time of each call. Gradients flow to the weight itself. A weight
// without a shape gets it by a call of the link that does not count.
class WeightHook : public LinkHook {
 public:
  bool wants_trial_call(Link& link) override;
  void forward_preprocess(Link& link, const Variables& inputs) override;
  void forward_postprocess(Link& link, const Variables& inputs) override;
  void forward_failed(Link& link) noexcept override;

  // ValueError unless it is added to a link that has the weight.
  void added(Link* link) override;

 protected:
  explicit WeightHook(std::string weight_name)
      : weight_name_(std::move(weight_name)) {}

  const std::string& weight_name() const { return weight_name_; }
  // What takes the place of W, which has a shape.
  virtual Variable compute_weight(Link& link, const Variable& W) = 0;

 private:
  std::string weight_name_;
};

}  // namespace catena::link_hooks
