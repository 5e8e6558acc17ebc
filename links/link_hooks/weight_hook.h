#pragma once

#include <string>

#include "catena/links/link.h"
#include "catena/links/link_hook.h"

namespace catena::link_hooks {

// Base of hooks that replace a link's weight by a function of it during each
// call. Gradients flow to the original weight. An uninitialized weight is
// initialized by a trial call of the link.
class WeightHook : public LinkHook {
 public:
  bool wants_trial_call(Link& link) override;
  bool is_capturable() const override { return true; }
  void forward_preprocess(Link& link, const Variables& inputs) override;
  void forward_postprocess(Link& link, const Variables& inputs) override;
  void forward_failed(Link& link) noexcept override;

  // Throws ValueError unless added to a link that has the weight.
  void added(Link* link) override;

 protected:
  explicit WeightHook(std::string weight_name)
      : weight_name_(std::move(weight_name)) {}

  const std::string& weight_name() const { return weight_name_; }
  // Computes the replacement of W, which is initialized.
  virtual Variable compute_weight(Link& link, const Variable& W) = 0;

 private:
  std::string weight_name_;
};

}  // namespace catena::link_hooks
