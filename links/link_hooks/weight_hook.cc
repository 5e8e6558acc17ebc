#include "catena/links/link_hooks/weight_hook.h"

#include <utility>
#include <vector>

#include "catena/array/core/error.h"

namespace catena::link_hooks {
namespace {

// The weights currently replaced in this thread; calls nest. Not a member of
// the hook, which copies of the link in other threads share.
std::vector<Variable>& originals() {
  static thread_local std::vector<Variable> stack;
  return stack;
}

}  // namespace

void WeightHook::added(Link* link) {
  if (link == nullptr) {
    raise<ValueError>(name(), ": expected to be added to a link by add_hook");
  }
  link->param(weight_name_);  // throws if there is none
}

bool WeightHook::wants_trial_call(Link& link) {
  return !link.param(weight_name_).is_initialized();
}

void WeightHook::forward_preprocess(Link& link, const Variables&) {
  Param& weight = link.param(weight_name_);
  Variable computed = compute_weight(link, weight);
  originals().push_back(weight.exchange(std::move(computed)));
}

void WeightHook::forward_postprocess(Link& link, const Variables&) {
  forward_failed(link);
}

void WeightHook::forward_failed(Link& link) noexcept {
  link.param(weight_name_).exchange(std::move(originals().back()));
  originals().pop_back();
}

}  // namespace catena::link_hooks
