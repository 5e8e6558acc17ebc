#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "catena/array/index.h"
#include "catena/links/call_link.h"
#include "catena/links/link.h"

namespace catena {

// Owns a link of any type: an element of a ChainList, or a child whose type is
// chosen at run time. Copying it copies the link.
class AnyLink {
 public:
  template <class T>
  requires std::derived_from<std::decay_t<T>, Link>
  explicit AnyLink(T&& link)
      : link_(std::make_unique<std::decay_t<T>>(std::forward<T>(link))),
        traits_(&kTraits<std::decay_t<T>>) {
    static_assert(internal::CheckForward<std::decay_t<T>>());
    link_->set_object_size(sizeof(std::decay_t<T>));
  }

  AnyLink(const AnyLink& other)
      : link_(other.traits_->copy(*other.link_)), traits_(other.traits_) {}
  AnyLink(AnyLink&&) = default;
  AnyLink& operator=(AnyLink other) noexcept {
    link_ = std::move(other.link_);
    traits_ = other.traits_;
    return *this;
  }

  Link& operator*() const { return *link_; }
  Link* operator->() const { return link_.get(); }
  // The link as its concrete type. Throws ValueError for any other type.
  template <class T>
  T& as() const {
    if (T* link = dynamic_cast<T*>(link_.get())) return *link;
    throw_wrong_type(typeid(T), *link_);
  }

  // Calls the link. Throws NotImplementedError unless it takes a single
  // variable.
  Variable operator()(const Variable& x) const {
    return traits_->call(*link_, x);
  }

 private:
  [[noreturn]] static void throw_wrong_type(const std::type_info& wanted,
                                            const Link& link);
  [[noreturn]] static void throw_not_callable();

  struct Traits {
    std::unique_ptr<Link> (*copy)(const Link&);
    Variable (*call)(Link&, const Variable&);
  };
  template <class T>
  static constexpr Traits kTraits = {
      [](const Link& link) -> std::unique_ptr<Link> {
        return std::make_unique<T>(static_cast<const T&>(link));
      },
      [](Link& link, const Variable& x) -> Variable {
        if constexpr (CallableLink<T, const Variable&>) {
          return call_link(static_cast<T&>(link), x);
        } else {
          throw_not_callable();
        }
      }};

  std::unique_ptr<Link> link_;
  const Traits* traits_;
};

// A link with child links, whatever its type. Models derive from Chain.
class ChainBase : public Link {
 public:
  // Moves a link into the chain as a child. Throws ValueError when the name is
  // taken.
  template <class T>
  T& add_link(std::string name, T link) {
    add_owned(std::move(name), AnyLink(std::move(link)));
    return owned_.back().second.as<T>();
  }
  // The child of that name. Throws ValueError when there is none.
  Link& operator[](std::string_view name);

 protected:
  ChainBase() = default;
  void visit_children(const ChildVisitor& visit) override;

 private:
  template <class T>
  friend class Child;

  struct MemberChild {
    std::string name;
    ptrdiff_t offset;
  };

  void add_child(std::string name, Link& child);
  void add_owned(std::string name, AnyLink link);
  void check_name(std::string_view name);

  std::vector<MemberChild> children_;
  std::vector<std::pair<std::string, AnyLink>> owned_;
};

namespace internal {

// T::Options, or a type that nothing converts to.
struct NoOptions {
  NoOptions() = delete;
};
template <class T>
struct OptionsOf {
  using type = NoOptions;
};
template <class T>
requires requires { typename T::Options; }
struct OptionsOf<T> {
  using type = typename T::Options;
};

template <class First>
struct ChildWithoutOwner {
  static_assert(std::is_pointer_v<First> && !std::is_pointer_v<First>,
                "the first argument of a Child is `this` in a class that "
                "derives from Chain, then its name: l1(this, \"l1\", ...)");
  template <class T>
  static T link();
};

}  // namespace internal

// A child link as a member of a chain. The arguments after the name are passed
// to T's constructor; the last may be options in braces:
//
//   l1(this, "l1", 784, 100, {.nobias = true})
//
// Calling it calls the link.
template <class T>
class Child {
  // As a value: of an object, Clang would complain once more after a failure.
  static_assert(internal::CheckForward<T>::value);
  using Options = typename internal::OptionsOf<T>::type;

 public:
  template <class... Args>
  Child(ChainBase* owner, std::string name, Args&&... args)
      : Child(Pack(), owner, std::move(name), std::forward<Args>(args)...) {}
  // Braces have no type that a parameter pack could take.
  Child(ChainBase* owner, std::string name, const Options& options)
      : Child(Pack(), owner, std::move(name), options) {}
  template <class A>
  Child(ChainBase* owner, std::string name, A&& a, const Options& options)
      : Child(Pack(), owner, std::move(name), std::forward<A>(a), options) {}
  template <class A, class B>
  Child(ChainBase* owner, std::string name, A&& a, B&& b,
        const Options& options)
      : Child(Pack(), owner, std::move(name), std::forward<A>(a),
              std::forward<B>(b), options) {}
  template <class A, class B, class C>
  Child(ChainBase* owner, std::string name, A&& a, B&& b, C&& c,
        const Options& options)
      : Child(Pack(), owner, std::move(name), std::forward<A>(a),
              std::forward<B>(b), std::forward<C>(c), options) {}
  template <class A, class B, class C, class D>
  Child(ChainBase* owner, std::string name, A&& a, B&& b, C&& c, D&& d,
        const Options& options)
      : Child(Pack(), owner, std::move(name), std::forward<A>(a),
              std::forward<B>(b), std::forward<C>(c), std::forward<D>(d),
              options) {}
  // Without `this`; does not compile.
  template <class First, class... Args>
  requires(!std::convertible_to<First, ChainBase*> &&
           !std::same_as<std::remove_cvref_t<First>,
                         Child>) explicit Child(First&&, Args&&...)
      : link_(internal::ChildWithoutOwner<First>::template link<T>()) {}

  T* operator->() { return &link_; }
  const T* operator->() const { return &link_; }
  T& operator*() { return link_; }
  const T& operator*() const { return link_; }

  template <class... Args>
  requires CallableLink<T, Args...>
  decltype(auto) operator()(Args&&... args) {
    return call_link(link_, std::forward<Args>(args)...);
  }
  // Other arguments do not compile.
  template <class... Args>
  requires(!CallableLink<T, Args...>) internal::NotCallable operator()(
      Args&&...) {
    internal::explain_call<T, Args...>();
    return {};
  }

 private:
  struct Pack {};

  template <class... Args>
  Child(Pack, ChainBase* owner, std::string name, Args&&... args)
      : link_(std::forward<Args>(args)...) {
    link_.set_object_size(sizeof(T));
    owner->add_child(std::move(name), link_);
  }

  T link_;
};

// A link with child links, called like its forward. Children are members:
//
//   class MLP : public Chain<MLP> {
//    public:
//     MLP(int64_t units, int64_t classes)
//         : l1(this, "l1", units), l2(this, "l2", classes) {}
//     Variable forward(const Variable& x) { return l2(F::relu(l1(x))); }
//    private:
//     Child<L::Linear> l1, l2;
//   };
//
//   MLP model(100, 10);
//   Variable y = model(x);
//
// or are added by name at run time. A chain that derives from another and has a
// forward of its own names both, and passes the other's arguments on:
//
//   class Own : public Chain<Own, MLP> {
//    public:
//     Own() : Chain(100, 10) {}
//     Variable forward(const Variable& x) { return F::exp(MLP::forward(x)); }
//   };
//
// Called as an MLP&, it computes what an MLP computes, unless forward is
// virtual.
template <class Derived, class Base = ChainBase>
class Chain : public Callable<Derived, Base> {
 private:
  // Only for Derived.
  friend Derived;

  template <class... Args>
  requires(!(std::derived_from<std::remove_cvref_t<Args>, Chain> ||
             ...)) explicit Chain(Args&&... args)
      : Callable<Derived, Base>(std::forward<Args>(args)...) {}
};

// A list of links, named by their positions: "0", "1", ...
class ChainList : public Link {
 public:
  ChainList() = default;
  template <class... Links>
  requires(std::derived_from<Links, Link>&&...) &&
      (sizeof...(Links) > 1 || (!std::derived_from<Links, ChainList> &&
                                ...)) explicit ChainList(Links... links) {
    (append(std::move(links)), ...);
  }
  // One link that is itself a ChainList, such as an n-step LSTM, does not
  // compile: it would be taken for a list to copy.
  template <std::derived_from<ChainList> T>
  requires(!std::same_as<T, ChainList>) explicit ChainList(const T&) {
    static_assert(!sizeof(T),
                  "ChainList: this link is a ChainList, too, which would be "
                  "copied: to add it as a child, write `ChainList list; "
                  "list.append(link);`; to copy it, as in a copy constructor, "
                  "`ChainList(static_cast<const ChainList&>(link))`");
  }

  // Adds a child, whose name is its number.
  template <class T>
  T& append(T link) {
    add_owned(AnyLink(std::move(link)));
    return links_.back().as<T>();
  }
  int64_t size() const { return static_cast<int64_t>(links_.size()); }
  // Iterates over the links: `for (Link& link : list)`.
  class Iterator {
   public:
    using difference_type = ptrdiff_t;
    using value_type = Link;

    Iterator() = default;
    explicit Iterator(std::vector<AnyLink>::const_iterator at) : at_(at) {}
    Link& operator*() const { return **at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    bool operator==(const Iterator&) const = default;

   private:
    std::vector<AnyLink>::const_iterator at_;
  };
  Iterator begin() const { return Iterator(links_.begin()); }
  Iterator end() const { return Iterator(links_.end()); }
  // Negative positions count from the end. Throws IndexError when out of range.
  Link& operator[](int64_t index) const { return *any(index); }
  // The links of a slice: `for (Link* link : list[Slice(1, 3)])`.
  std::vector<Link*> operator[](const Slice& slice) const;
  template <class T>
  T& at(int64_t index) const {
    return any(index).as<T>();
  }

 protected:
  void visit_children(const ChildVisitor& visit) override;
  const AnyLink& any(int64_t index) const;
  void add_owned(AnyLink link);

  std::vector<AnyLink> links_;
};

// A copy of a link whose parameters are shared with the original, reinitialized
// or copied. Chainer's Link.copy.
template <class T>
requires std::derived_from<T, Link> T copy(const T& link,
                                           CopyMode mode = CopyMode::kShare) {
  const CopyModeScope scope(mode);
  return T(link);
}

}  // namespace catena
