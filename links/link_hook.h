#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "catena/autograd/variable.h"

namespace catena {

class Link;

// Callbacks before and after calls of links: of all links of this thread while
// a LinkHookScope is active, or of the one link the hook was added to. A call
// is `link(...)`, including by a container; `link.forward(...)` bypasses hooks.
// Override what is needed.
class LinkHook {
 public:
  virtual ~LinkHook() = default;

  // Must be unique among the active hooks.
  virtual std::string_view name() const = 0;

  // `inputs` are the variables and arrays among the arguments.
  virtual void forward_preprocess(Link& /*link*/, const Variables& /*inputs*/) {
  }
  // Called in the reverse order of forward_preprocess.
  virtual void forward_postprocess(Link& /*link*/,
                                   const Variables& /*inputs*/) {}
  // Called instead of forward_postprocess when the link threw. Must not throw.
  virtual void forward_failed(Link& /*link*/) noexcept {}

  // Whether the link must first be called once in test mode and without a
  // graph, to initialize parameters without a shape.
  virtual bool wants_trial_call(Link& /*link*/) { return false; }

  // Whether the hook only submits work to the device, and the same in each
  // call, so that steps of training may be captured (training/captured_steps.h)
  // and do that work again without calling it.
  virtual bool is_capturable() const { return false; }

  // Called when the hook is added and removed; the link is null when the hook
  // applies to the whole thread.
  virtual void added(Link* /*link*/) {}
  virtual void deleted(Link* /*link*/) {}
};

// This thread's hooks, in the order they were added.
std::span<LinkHook* const> thread_link_hooks();

namespace internal {
// How many hooks were added to links or deleted so far, in all threads.
uint64_t link_hook_changes();
}  // namespace internal

// Activates a hook for this thread and scope. The name defaults to the hook's;
// two timers need different ones. Throws ValueError when a hook of that name is
// already active.
class [[nodiscard]] LinkHookScope {
 public:
  explicit LinkHookScope(LinkHook& hook, std::string_view name = {});
  ~LinkHookScope();
  LinkHookScope(const LinkHookScope&) = delete;
  LinkHookScope& operator=(const LinkHookScope&) = delete;

 private:
  LinkHook& hook_;
  std::string name_;
};

}  // namespace catena
