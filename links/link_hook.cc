#include "catena/links/link_hook.h"

#include "catena/autograd/config.h"
#include "catena/autograd/hook_stack.h"
#include "catena/links/call_link.h"

namespace catena {
namespace {

constinit thread_local HookStack<LinkHook> thread_hooks;

}  // namespace

std::span<LinkHook* const> thread_link_hooks() { return thread_hooks.hooks(); }

LinkHookScope::LinkHookScope(LinkHook& hook, std::string_view name)
    : hook_(hook), name_(name.empty() ? hook.name() : name) {
  thread_hooks.add(hook, name_, "LinkHookScope");
}

LinkHookScope::~LinkHookScope() { thread_hooks.remove(hook_, name_); }

namespace internal {

void leave_link(Error& error, const Link& link) {
  if (!link.name().empty()) error.leave_link(link.name(), &link);
}

LinkCall::LinkCall(Link& link, Variables inputs)
    : link_(link), inputs_(std::move(inputs)) {
  for (LinkHook* hook : thread_link_hooks()) hooks_.push_back(hook);
  for (const auto& hook : link.local_link_hooks()) {
    local_hooks_.push_back(hook);
    hooks_.push_back(hook.get());
  }
}

LinkCall::~LinkCall() {
  while (begun_ > 0) hooks_[--begun_]->forward_failed(link_);
}

std::shared_ptr<void> LinkCall::trial_scope() const {
  struct Scope {
    ConfigScope<bool> test = using_config(&Config::train, false);
    ConfigScope<bool> no_graph = no_backprop_mode();
  };
  for (LinkHook* hook : hooks_) {
    if (hook->wants_trial_call(link_)) return std::make_shared<Scope>();
  }
  return nullptr;
}

void LinkCall::begin() {
  for (LinkHook* hook : hooks_) {
    hook->forward_preprocess(link_, inputs_);
    ++begun_;
  }
}

void LinkCall::end() {
  while (begun_ > 0) hooks_[--begun_]->forward_postprocess(link_, inputs_);
}

}  // namespace internal
}  // namespace catena
