#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/links/check_forward.h"
#include "catena/links/link.h"
#include "catena/links/link_hook.h"

// Calls links with their active hooks.
namespace catena {

namespace internal {

// A call of a link that has active hooks.
class LinkCall {
 public:
  LinkCall(Link& link, Variables inputs);
  // Notifies the hooks if the call ended by an exception.
  ~LinkCall();
  LinkCall(const LinkCall&) = delete;
  LinkCall& operator=(const LinkCall&) = delete;

  // Null, or where a hook wants a call before the proper one: a scope for it,
  // without a graph and not in training.
  std::shared_ptr<void> trial_scope() const;
  void begin();
  void end();

 private:
  Link& link_;
  Variables inputs_;
  std::vector<LinkHook*> hooks_;
  // Keeps hooks alive that are deleted during the call.
  std::vector<std::shared_ptr<LinkHook>> local_hooks_;
  size_t begun_ = 0;
};

// Says in the error's message that it comes from this link, if it is a child.
[[gnu::cold]] void leave_link(Error& error, const Link& link);

template <class T, class... Args>
decltype(auto) call_forward(T& link, Args&&... args) {
  if constexpr (HasForward<T, Args...>) {
    return link.forward(std::forward<Args>(args)...);
  } else {
    return link(std::forward<Args>(args)...);
  }
}

template <class T>
void add_if_variable(Variables& variables, const T& argument) {
  if constexpr (std::is_convertible_v<const T&, const Variable&>) {
    const Variable& variable = argument;
    if (variable.defined()) variables.push_back(variable);
  }
}

template <class T, class... Args>
decltype(auto) call_with_hooks(T& link, Args&&... args) {
  Variables inputs;
  (add_if_variable(inputs, args), ...);
  LinkCall call(link, std::move(inputs));
  if constexpr (CallableLink<T, Args&...>) {
    if (const auto trial = call.trial_scope()) call_forward(link, args...);
  }
  call.begin();
  if constexpr (std::is_void_v<decltype(call_forward(
                    link, std::forward<Args>(args)...))>) {
    call_forward(link, std::forward<Args>(args)...);
    call.end();
  } else {
    decltype(auto) result = call_forward(link, std::forward<Args>(args)...);
    call.end();
    return result;
  }
}

}  // namespace internal

// Calls a link's forward, surrounded by its own and the thread's hooks, or any
// other callable. The message of an Error that leaves a link with a name, a
// child, says where it is: "in link /predictor/l2: ...", from the link that was
// called first. The exception and other types stay as they are.
template <class T, class... Args>
requires CallableLink<T, Args...>
decltype(auto) call_link(T& link, Args&&... args) {
  if constexpr (std::derived_from<T, Link>) {
    const InitializationScope scope;
    try {
      if (!thread_link_hooks().empty() || !link.local_link_hooks().empty())
          [[unlikely]] {
        return internal::call_with_hooks(link, std::forward<Args>(args)...);
      }
      return internal::call_forward(link, std::forward<Args>(args)...);
    } catch (Error& error) {
      internal::leave_link(error, link);
      throw;
    }
  } else if constexpr (std::invocable<T&, Args...>) {
    return link(std::forward<Args>(args)...);
  } else {
    return link.forward(std::forward<Args>(args)...);
  }
}

// A base that makes a link callable: link(x, ...) is link.forward(x, ...) with
// hooks.
//
//   class Scale : public Callable<Scale> {
//    public:
//     Variable forward(const Variable& x) { ... }
//   };
//
// Arguments in braces have no type that this operator could take: such a link
// defines its own, `return call_link(*this, x, options);`.
//
// A class that derives from Scale and has a forward of its own derives from
// Callable<Own, Scale>, or overrides a virtual one. Callable's constructor
// passes its arguments to the base's.
template <class Derived, class Base = Link>
class Callable : public Base {
 public:
  // The class whose forward is called.
  using CalledClass = Derived;

  template <class... Args>
  requires HasForward<Derived, Args...>
  decltype(auto) operator()(Args&&... args) {
    return call_link(static_cast<Derived&>(*this), std::forward<Args>(args)...);
  }
  // Other arguments do not compile.
  template <class... Args>
  requires(!HasForward<Derived, Args...>) internal::NotCallable operator()(
      Args&&...) {
    internal::explain_call<Derived, Args...>();
    return {};
  }

  // Link's, with the type of this link: `auto model = MLP(100, 10).to_gpu();`
  // is a model, not a reference to one. Throws ValueError for a temporary of a
  // class that derives from this one, since it would be sliced.
  Derived& to_device(Device device = current_device()) & {
    Base::to_device(device);
    return static_cast<Derived&>(*this);
  }
  Derived to_device(Device device = current_device()) && {
    if (typeid(*this) != typeid(Derived)) {
      raise<ValueError>(
          "Link: expected a temporary of the class that is returned, got one "
          "of a class that derives from it; name the link first");
    }
    return std::move(to_device(device));
  }
  Derived& to_cpu() & { return to_device(native_device()); }
  Derived to_cpu() && { return std::move(*this).to_device(native_device()); }
  Derived& to_gpu() & { return to_device(current_gpu()); }
  Derived to_gpu() && { return std::move(*this).to_device(current_gpu()); }
  Derived& to_gpu(int index) & { return to_device(cuda_device(index)); }
  Derived to_gpu(int index) && {
    return std::move(*this).to_device(cuda_device(index));
  }

 private:
  // Only for Derived: in another class, the casts above would be wrong.
  friend Derived;
  template <class, class>
  friend class Chain;

  template <class... Args>
  requires(!(std::derived_from<std::remove_cvref_t<Args>, Callable> ||
             ...)) explicit Callable(Args&&... args)
      : Base(std::forward<Args>(args)...) {}
};

}  // namespace catena
