#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <vector>

#include "catena/links/chain.h"

namespace catena {

// Links and functions that are called one after the other. Its elements are
// named by their positions; functions take a position but have no parameters.
//
//   Sequential model(L::Linear(100), F::relu, L::Linear(10));
class Sequential : public Link {
 public:
  Sequential() = default;
  template <class... Layers>
  requires(sizeof...(Layers) > 1) ||
      (!std::derived_from<std::decay_t<Layers>, Sequential> &&
       ...) explicit Sequential(Layers&&... layers) {
    (append(std::forward<Layers>(layers)), ...);
  }

  // Appends a link, or anything callable with a Variable.
  template <class T>
  Sequential& append(T&& layer) {
    using Type = std::decay_t<T>;
    if constexpr (std::derived_from<Type, Link>) {
      return add({AnyLink(std::forward<T>(layer)), nullptr});
    } else {
      return add({std::nullopt, Function(std::forward<T>(layer))});
    }
  }

  Variable forward(const Variable& x);
  Variable operator()(const Variable& x) { return forward(x); }

  int64_t size() const { return static_cast<int64_t>(layers_.size()); }
  // The link at a position. IndexError out of range or where a function is.
  template <class T>
  T& at(int64_t index) const {
    return link_at(index).as<T>();
  }
  Link& operator[](int64_t index) const { return *link_at(index); }

  // This sequence n times in a row: with kInit each with parameters of its own,
  // initialized anew (those without a shape stay so), with kCopy copied, with
  // kShare all with the same arrays. ValueError when n is negative.
  Sequential repeat(int64_t n, CopyMode mode = CopyMode::kInit) const;

 protected:
  void visit_children(const ChildVisitor& visit) override;

 private:
  using Function = std::function<Variable(const Variable&)>;
  struct Layer {
    std::optional<AnyLink> link;
    Function function;
  };

  Sequential& add(Layer layer);
  const AnyLink& link_at(int64_t index) const;

  std::vector<Layer> layers_;
};

}  // namespace catena
