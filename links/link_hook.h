#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "catena/autograd/variable.h"

namespace catena {

class Link;

// Something called before and after links: of all links of this thread while a
// LinkHookScope lives, or of one link that it was added to. A call is
// `link(...)`, also by a container; `link.forward(...)` passes hooks by.
// Override what is needed.
class LinkHook {
 public:
  virtual ~LinkHook() = default;

  // Must be unique among the hooks in force.
  virtual std::string_view name() const = 0;

  // `inputs` are the variables among the arguments.
  virtual void forward_preprocess(Link& /*link*/, const Variables& /*inputs*/) {
  }
  // Hooks that were called first before the link are called last after it.
  virtual void forward_postprocess(Link& /*link*/,
                                   const Variables& /*inputs*/) {}
  // In place of forward_postprocess when the link threw. Must not throw.
  virtual void forward_failed(Link& /*link*/) noexcept {}

  // Whether the link has to be called once, in test mode and without a graph,
  // before all else: it is how parameters without a shape get one.
  virtual bool wants_trial_call(Link& /*link*/) { return false; }

  // When the hook comes into force and when it goes; the link is null for all
  // links of the thread.
  virtual void added(Link* /*link*/) {}
  virtual void deleted(Link* /*link*/) {}
};

// This thread's hooks, in the order in which they were added.
std::span<LinkHook* const> thread_link_hooks();

// Puts a hook in force for this thread and a block. ValueError when a hook of
// that name is in force already.
class [[nodiscard]] LinkHookScope {
 public:
  explicit LinkHookScope(LinkHook& hook);
  ~LinkHookScope();
  LinkHookScope(const LinkHookScope&) = delete;
  LinkHookScope& operator=(const LinkHookScope&) = delete;

 private:
  LinkHook& hook_;
};

}  // namespace catena
