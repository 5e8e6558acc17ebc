#include "catena/training/communicators/multi_node_optimizer.h"

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "catena/autograd/config.h"
#include "catena/autograd/deferred_gradient.h"
#include "catena/autograd/function_hook.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/variable_node.h"
#include "catena/training/communicators/gradient_reducer.h"

namespace catena::training::communicators {
namespace {

// Passes gradients to the reducer during a backward pass, each as soon as the
// last function that adds to it has run.
class ReadyGradients final : public FunctionHook {
 public:
  ReadyGradients(const Variable& loss, GradientReducer& reducer)
      : reducer_(reducer) {
    const std::vector<Parameter>& params = reducer.params();
    for (size_t i = 0; i < params.size(); ++i) {
      // Gradients of an earlier pass are added only at the end of this one.
      if (!params[i].grad().defined()) leaves_[params[i].node()].index = i;
    }
    count_uses(loss);
  }

  std::string_view name() const override { return "multi_node_optimizer"; }

  void backward_preprocess(const FunctionNode& /*function*/,
                           const Variables& /*grad_outputs*/) override {
    // The previous function's gradients are final only now.
    hand_over();
    reducer_.progress();
  }
  void backward_postprocess(const FunctionNode& function,
                            const Variables& /*grad_outputs*/) override {
    for (const Ref<VariableNode>& input : function.inputs()) {
      const auto it = leaves_.find(input.get());
      if (it != leaves_.end() && --it->second.uses == 0) {
        complete_.push_back(input.get());
      }
    }
  }

 private:
  struct Leaf {
    size_t index = 0;
    int64_t uses = 0;  // by functions that have not run yet
  };

  void count_uses(const Variable& loss) {
    std::unordered_set<const FunctionNode*> seen;
    std::vector<const FunctionNode*> left;
    const auto visit = [&](const FunctionNode* function) {
      if (function != nullptr && seen.insert(function).second) {
        left.push_back(function);
      }
    };
    visit(loss.creator_node());
    while (!left.empty()) {
      const FunctionNode* function = left.back();
      left.pop_back();
      for (const Ref<VariableNode>& input : function->inputs()) {
        if (input->creator() != nullptr) {
          visit(input->creator());
        } else if (const auto it = leaves_.find(input.get());
                   it != leaves_.end()) {
          ++it->second.uses;
        }
      }
    }
  }

  void hand_over() {
    for (VariableNode* node : complete_) {
      complete_pending(*node);
      const Variable& gradient = node->pending();
      if (gradient.defined()) {
        reducer_.mark_ready(leaves_[node].index, gradient.data());
      }
    }
    complete_.clear();
  }

  GradientReducer& reducer_;
  std::unordered_map<const VariableNode*, Leaf> leaves_;
  std::vector<VariableNode*> complete_;
};

class MeanOverRanks final : public GradientExchange {
 public:
  MeanOverRanks(Communicator& communicator, const BucketPolicy& policy)
      : communicator_(communicator),
        policy_(policy),
        reducer_(communicator, policy) {}

  void prepare(Link& target,
               const std::function<void()>& compute_loss) override {
    if (has_data_of_root_) return;
    if (target.has_uninitialized_params()) {
      const auto test_mode = using_config(&Config::train, false);
      const auto no_graph = no_backprop_mode();
      compute_loss();
    }
    bcast_data(target);
  }

  void backward(Link& target, const Variable& loss,
                const BackwardOptions& options) override {
    if (!policy_.overlap || config().lazy_grad_sum) {
      loss.backward(options);
      return;
    }
    start(target);
    try {
      ReadyGradients hook(loss, reducer_);
      const FunctionHookScope scope(hook);
      loss.backward(options);
    } catch (...) {
      is_started_ = false;
      reducer_.clear();
      throw;
    }
  }

  void exchange(Link& target) override {
    if (!is_started_) start(target);
    is_started_ = false;
    reducer_.finish();
  }

 private:
  void bcast_data(Link& target) {
    communicator_.bcast_data(target);
    has_data_of_root_ = true;
  }
  void start(Link& target) {
    // Parameters initialized after the first step, or in a program without
    // update(lossfun, ...), differ between ranks.
    const bool is_first = !has_data_of_root_;
    if (const bool changed = reducer_.start(target);
        is_first || (changed && had_params_)) {
      bcast_data(target);
    }
    had_params_ = true;
    is_started_ = true;
  }

  Communicator& communicator_;
  BucketPolicy policy_;
  GradientReducer reducer_;
  bool has_data_of_root_ = false;
  bool had_params_ = false;
  bool is_started_ = false;
};

}  // namespace

std::shared_ptr<GradientExchange> create_gradient_exchange(
    Communicator& communicator, const MultiNodeOptimizerOptions& options) {
  return std::make_shared<MeanOverRanks>(
      communicator,
      options.bucket_policy.value_or(communicator.bucket_policy()));
}

}  // namespace catena::training::communicators
