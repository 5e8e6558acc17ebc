#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "catena/links/chain.h"

namespace catena {

namespace internal {
// Returns n. Throws ValueError when it is negative.
int64_t checked_repeats(int64_t n);

// A function of a variable and options, such as dropout, with its defaults.
template <class Options>
requires std::is_aggregate_v<Options>
auto with_default_options(Variable (*f)(const Variable&, const Options&)) {
  return [f](const Variable& x) { return f(x, Options{}); };
}
template <class F>
concept TakesOptions = requires(F f) {
  with_default_options(f);
};
}  // namespace internal

// A container that calls links and functions one after the other. Elements are
// named by their positions; functions have a position but no parameters.
//
//   Sequential model(L::Linear(100), F::relu, L::Linear(10));
//
// A function that also takes options, such as F::dropout, is called with the
// defaults.
//
// Negative positions count from the end; out of range throws IndexError. Layers
// are searched by identity: a link of this sequence, or a plain function.
class Sequential : public Link {
 public:
  using Function = std::function<Variable(const Variable&)>;
  using PlainFunction = Variable (*)(const Variable&);

  // A link of any type, or anything callable with a Variable.
  class Layer {
   public:
    template <class T>
    requires(!std::same_as<std::decay_t<T>, Layer>) Layer(T&& layer) {
      if constexpr (std::derived_from<std::decay_t<T>, Link>) {
        link_.emplace(std::forward<T>(layer));
      } else if constexpr (std::constructible_from<Function, T>) {
        function_ = std::forward<T>(layer);
      } else if constexpr (internal::TakesOptions<std::decay_t<T>>) {
        function_ = internal::with_default_options(layer);
      } else {
        static_assert(
            sizeof(std::decay_t<T>) == 0,
            "Sequential: a layer is a link or a function of one variable: wrap "
            "another one, `[](const Variable& x) { return f(x, ...); }`");
      }
    }

    Variable operator()(const Variable& x) const {
      return link_ ? (*link_)(x) : function_(x);
    }
    // The link, or null for a function.
    Link* link() const { return link_ ? &**link_ : nullptr; }
    bool is(const Link& other) const { return link() == &other; }
    bool is(PlainFunction other) const {
      const PlainFunction* own = function_.target<PlainFunction>();
      return own != nullptr && *own == other;
    }

   private:
    friend class Sequential;
    std::optional<AnyLink> link_;
    Function function_;
  };

  Sequential() = default;
  template <class... Layers>
  requires(sizeof...(Layers) > 1) ||
      (!std::derived_from<std::decay_t<Layers>, Sequential> &&
       ...) explicit Sequential(Layers&&... layers) {
    static_assert((internal::CheckForward<std::decay_t<Layers>>() && ...));
    (append(std::forward<Layers>(layers)), ...);
  }

  // Adds a layer at the end.
  template <class T>
  Sequential& append(T&& layer) {
    return insert(size(), std::forward<T>(layer));
  }
  // Inserts a layer before a position; size() appends it.
  template <class T>
  Sequential& insert(int64_t index, T&& layer) {
    return insert_layer(index, Layer(std::forward<T>(layer)));
  }
  // Appends the layers of another Sequential, copied unless moved.
  Sequential& extend(Sequential other);
  friend Sequential operator+(Sequential a, Sequential b) {
    a.extend(std::move(b));
    return a;
  }

  // Removes and returns a layer.
  Layer pop(int64_t index = -1);
  void clear() { layers_.clear(); }
  // Removes the first occurrence of the layer. Throws ValueError when there is
  // none.
  void remove(const Link& layer) { pop(index(layer)); }
  void remove(PlainFunction layer) { pop(index(layer)); }
  // Removes all links of a type. Throws ValueError when there are none.
  template <class T>
  void remove_by_layer_type() {
    remove_if([](const Layer& layer) { return is_of<T>(layer); });
  }

  // The number of occurrences of a layer.
  int64_t count(const Link& layer) const { return count_of(layer); }
  int64_t count(PlainFunction layer) const { return count_of(layer); }
  template <class T>
  int64_t count_by_layer_type() const {
    return std::ranges::count_if(layers_, is_of<T>);
  }
  // The position of the first occurrence of the layer in [start, end). Throws
  // ValueError when there is none.
  int64_t index(const Link& layer, int64_t start = 0,
                std::optional<int64_t> end = std::nullopt) const {
    return index_of(layer, start, end);
  }
  int64_t index(PlainFunction layer, int64_t start = 0,
                std::optional<int64_t> end = std::nullopt) const {
    return index_of(layer, start, end);
  }

  // A copy in which nested Sequentials are replaced by their layers.
  Sequential flatten() const;

  Variable forward(const Variable& x);
  Variable operator()(const Variable& x) { return call_link(*this, x); }

  int64_t size() const { return static_cast<int64_t>(layers_.size()); }
  // The link at a position. Throws IndexError for a function.
  template <class T>
  T& at(int64_t index) const {
    return link_at(index).as<T>();
  }
  Link& operator[](int64_t index) const { return *link_at(index); }

  // This Sequential n times in a row. Parameters are reinitialized in each
  // repetition (kInit; uninitialized ones stay so), copied (kCopy) or shared
  // (kShare). Throws ValueError when n is negative.
  Sequential repeat(int64_t n, CopyMode mode = CopyMode::kInit) const;

 protected:
  void visit_children(const ChildVisitor& visit) override;

 private:
  template <class T>
  static bool is_of(const Layer& layer) {
    return dynamic_cast<const T*>(layer.link()) != nullptr;
  }
  template <class T>
  int64_t count_of(const T& layer) const {
    return std::ranges::count_if(
        layers_, [&](const Layer& other) { return other.is(layer); });
  }
  template <class T>
  int64_t index_of(const T& layer, int64_t start,
                   std::optional<int64_t> end) const;

  Sequential& insert_layer(int64_t index, Layer layer);
  void remove_if(bool (*is_it)(const Layer&));
  void name_layers();
  int64_t checked(int64_t index, int64_t count) const;
  const AnyLink& link_at(int64_t index) const;

  std::vector<Layer> layers_;
};

// A link n times in a row, like Sequential::repeat.
template <class T>
requires std::derived_from<T, Link> Sequential
repeat(const T& link, int64_t n, CopyMode mode = CopyMode::kInit) {
  const CopyModeScope scope(mode);
  Sequential result;
  for (int64_t i = 0; i < internal::checked_repeats(n); ++i)
    result.append(T(link));
  return result;
}

}  // namespace catena
