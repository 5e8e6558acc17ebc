#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "catena/autograd/variable.h"

// Which arguments a link's forward takes, and what the compiler prints if it is
// called with others, missing, or hidden in a derived class.
namespace catena {

class Link;

template <class T, class... Args>
concept HasForward = requires(T& link, Args&&... args) {
  link.forward(std::forward<Args>(args)...);
};

namespace internal {

// What a call returns that does not compile; it converts to anything, so that
// there is one message only.
struct NotCallable {
  template <class T>
  operator T() const;
};

template <class T, class... Args>
concept HasCall = std::invocable<T&, Args...> &&
    !std::same_as<std::invoke_result_t<T&, Args...>, NotCallable>;

// Whether a class has a member named forward, accessible or not: then the name
// is ambiguous.
struct OtherForward {
  int forward;
};
template <class T>
struct WithOtherForward : T, OtherForward {};

template <class T>
consteval bool names_forward() {
  if constexpr (std::is_final_v<T>) {
    return true;
  } else {
    return !requires { &WithOtherForward<T>::forward; };
  }
}

// An argument of any type.
struct AnyArgument {
  template <class T>
  operator T&() const;
};
template <class T>
consteval bool has_accessible_forward() {
  using A = AnyArgument;
  return requires { &T::forward; }
  || HasForward<T> || HasForward<T, A> || HasForward<T, A, A> ||
      HasForward<T, A, A, A> || HasForward<T, const Variable&> ||
      HasForward<T, const Variable&, const Variable&>;
}

// Whether each argument is one that a forward of variables could take.
template <class... Args>
concept VariableLike = (std::convertible_to<Args, Variable> && ...);

// Says why a link can't be called with these arguments.
template <class T, class... Args>
consteval void explain_call() {
  constexpr bool kNone = !names_forward<T>();
  constexpr bool kPrivate = !kNone && !has_accessible_forward<T>();
  constexpr bool kReference =
      HasForward<T, std::remove_cvref_t<Args>&...> || HasForward<T, Args&...>;
  static_assert(!kNone,
                "this link has no forward: write `Variable forward(const "
                "Variable& x) { ... }` in its public part");
  static_assert(!kPrivate,
                "the forward of this link is not public: move it below "
                "`public:`");
  static_assert(kNone || kPrivate || !kReference,
                "forward takes a reference that it could change: write `const "
                "Variable&` instead of `Variable&`");
  static_assert(kNone || kPrivate || kReference || VariableLike<Args...>,
                "forward takes other arguments: pass variables, of a minibatch "
                "its fields, `model(batch[0], batch[1])` or `model(x, t)`");
  static_assert(kNone || kPrivate || kReference || !VariableLike<Args...>,
                "forward takes another number of arguments, or others than "
                "variables");
}

// Whether a virtual D::forward is overridden by C's: calls run the latter. Such
// pointers to members are equal for GCC; for Clang they can't be compared in a
// constant.
template <class C, class D, class F>
concept OverridesForward = requires {
  static_cast<F D::*>(&D::forward);
}
&&(
    !requires {
      typename std::bool_constant<static_cast<F C::*>(
                                      static_cast<F D::*>(&D::forward)) ==
                                  static_cast<F C::*>(&C::forward)>;
    } ||
    requires {
      requires static_cast<F C::*>(static_cast<F D::*>(&D::forward)) ==
          static_cast<F C::*>(&C::forward);
    });

// Whether calls, which run D::forward, miss a forward that is declared in C.
template <class D, class F, class C>
std::bool_constant<std::derived_from<C, D> && !std::same_as<C, D> &&
                   !OverridesForward<C, D, F>>
misses_forward(F C::*);

// The same for one of several functions of that name.
template <class D, class... Args>
struct ForwardOf {
  template <class R, class C>
  static decltype(misses_forward<D, R(Args...), C>(nullptr)) misses(
      R (C::*)(Args...));
  template <class R, class C>
  static decltype(misses_forward<D, R(Args...) const, C>(nullptr)) misses(
      R (C::*)(Args...) const);
};
template <class T, class D, class... Args>
consteval bool misses_one() {
  if constexpr (requires { ForwardOf<D, Args...>::misses(&T::forward); }) {
    return decltype(ForwardOf<D, Args...>::misses(&T::forward))::value;
  } else {
    return HasForward<D, Args...> && !HasForward<T, Args...>;
  }
}

// The class whose forward a call of T runs: that of the operator, if T or a
// base defines its own.
template <class F, class C>
C owner(F C::*);
template <class T>
struct CalledClassOf {
  using type = T;
};
template <class T>
requires requires { owner(&T::operator()); }
struct CalledClassOf<T> {
  using type = decltype(owner(&T::operator()));
};
template <class T>
requires(
    !requires { owner(&T::operator()); } &&
    requires { typename T::CalledClass; }) struct CalledClassOf<T> {
  using type = typename T::CalledClass;
};

// Whether T declares a forward that its calls, which are those of D, a base, do
// not run.
template <class T, class D = typename CalledClassOf<T>::type>
consteval bool hides_forward() {
  using V = const Variable&;
  if constexpr (std::same_as<T, D> || !std::derived_from<T, D>) {
    return false;
  } else if constexpr (requires { misses_forward<D>(&T::forward); }) {
    return decltype(misses_forward<D>(&T::forward))::value;
  } else {
    return misses_one<T, D, V>() || misses_one<T, D, V, V>() ||
           misses_one<T, D, V, V, V>();
  }
}

// Does not compile for a link that is not called as its class says.
template <class T>
struct CheckForward : std::true_type {};
template <std::derived_from<Link> T>
struct CheckForward<T> : std::true_type {
  using D = typename CalledClassOf<T>::type;
  static_assert(std::is_base_of_v<D, T>,
                "a link derives from the Chain of another class: write its own "
                "name there, `class Own : public Chain<Own>`");
  static_assert(!hides_forward<T, D>(),
                "forward hides that of a base, which calls of the link run: "
                "derive from Chain<Own, Base>, or make the base's forward "
                "virtual");
};

}  // namespace internal

template <class T, class... Args>
concept CallableLink = HasForward<T, Args...> || internal::HasCall<T, Args...>;

}  // namespace catena
