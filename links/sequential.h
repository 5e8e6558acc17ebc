#pragma once

#include <any>
#include <concepts>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "catena/array/index.h"
#include "catena/links/chain.h"

namespace catena {

namespace internal {
// Returns n. Throws ValueError when it is negative.
int64_t checked_repeats(int64_t n);

// A function of a variable and options, such as softplus, with its defaults.
template <class Options>
requires std::is_aggregate_v<Options>
auto with_default_options(Variable (*f)(const Variable&, const Options&)) {
  return [f](const Variable& x) { return f(x, Options{}); };
}
template <class F>
concept TakesOptions = requires(F f) {
  with_default_options(f);
};

// What a layer may return: a variable, or several in a list, pair or tuple.
template <class R>
concept OneVariable = std::convertible_to<R, Variable>;
template <class R>
concept ListOfVariables =
    !OneVariable<R> && std::ranges::input_range<R> &&
    std::convertible_to<std::ranges::range_reference_t<R>, Variable>;
template <class R>
concept TupleOfVariables =
    !OneVariable<R> && !ListOfVariables<R> && requires(R result) {
  std::apply([](const std::convertible_to<Variable> auto&...) {}, result);
};
template <class R>
concept LayerResult =
    OneVariable<R> || ListOfVariables<R> || TupleOfVariables<R>;

template <LayerResult R>
Variables to_variables(R&& result) {
  if constexpr (OneVariable<R>) {
    return {Variable(std::forward<R>(result))};
  } else if constexpr (ListOfVariables<R>) {
    return Variables(std::ranges::begin(result), std::ranges::end(result));
  } else {
    return std::apply(
        [](const auto&... part) { return Variables{Variable(part)...}; },
        result);
  }
}

// Calls F, a link or function, with a number of variables that is known when
// the program runs.
template <class F>
class LayerCall {
 public:
  // The variables that one layer can take as arguments.
  static constexpr size_t kMaxCount = 8;

  // Bit n is set where F can be called with n variables.
  static constexpr uint32_t counts() {
    return counts(std::make_index_sequence<kMaxCount + 1>());
  }
  // Whether F can be called with a list of any length. Not tried with a generic
  // function that takes a variable: its body may not compile for a list.
  static constexpr bool takes_list() {
    if constexpr (std::derived_from<F, Link> || !takes<1>()) {
      return is_layer<const Variables&>();
    } else {
      return false;
    }
  }

  // F must take so many.
  static Variables call(F& f, const Variables& xs) {
    if constexpr (takes_list()) {
      return to_variables(call_link(f, xs));
    } else {
      return call_with<1>(f, xs);
    }
  }

 private:
  template <class... Args>
  static constexpr bool is_layer() {
    if constexpr (CallableLink<F, Args...>) {
      return LayerResult<decltype(call_link(std::declval<F&>(),
                                            std::declval<Args>()...))>;
    } else {
      return false;
    }
  }
  template <size_t>
  using Argument = const Variable&;
  template <size_t... I>
  static constexpr bool takes(std::index_sequence<I...>) {
    return is_layer<Argument<I>...>();
  }
  template <size_t n>
  static constexpr bool takes() {
    if constexpr (n == 0) {
      return false;
    } else if constexpr (n == 1 && TakesOptions<F>) {
      return true;
    } else {
      return takes(std::make_index_sequence<n>());
    }
  }
  template <size_t... N>
  static constexpr uint32_t counts(std::index_sequence<N...>) {
    return ((takes<N>() ? uint32_t{1} << N : 0) | ...);
  }

  template <size_t... I>
  static Variables apply(F& f, const Variables& xs, std::index_sequence<I...>) {
    if constexpr (sizeof...(I) == 1 && TakesOptions<F>) {
      return {with_default_options(f)(xs[0])};
    } else {
      return to_variables(call_link(f, xs[I]...));
    }
  }
  template <size_t n>
  static Variables call_with(F& f, const Variables& xs) {
    if constexpr (n <= kMaxCount) {
      if constexpr (takes<n>()) {
        if (xs.size() == n) {
          return apply(f, xs, std::make_index_sequence<n>());
        }
      }
      return call_with<n + 1>(f, xs);
    } else {
      return {};  // not reached: Layer has checked the number
    }
  }
};
}  // namespace internal

// A container that calls links and functions one after the other. Elements are
// named by their positions; functions have a position but no parameters.
//
//   Sequential model(L::Linear(100), F::relu, L::Linear(10));
//
// A function that also takes options, such as F::dropout, is called with the
// defaults. Layers may take several variables, or a list, and return several,
// in a list, pair or tuple: what one returns are the arguments of the next. (At
// most 8 arguments; a list has any length.)
//
// Negative positions count from the end; out of range throws IndexError. Layers
// are searched by identity: a link of this sequence, or a plain function.
class Sequential : public Link {
 public:
  using PlainFunction = Variable (*)(const Variable&);

  // A link of any type, or anything callable with variables.
  class Layer {
   public:
    template <class T>
    requires(!std::same_as<std::decay_t<T>, Layer>) Layer(T&& layer)
        : calls_(&kCalls<std::decay_t<T>>) {
      using F = std::decay_t<T>;
      if constexpr (std::derived_from<F, Link>) {
        link_.emplace(std::forward<T>(layer));
      } else if constexpr (std::copy_constructible<F> &&
                           (internal::LayerCall<F>::counts() != 0 ||
                            internal::LayerCall<F>::takes_list())) {
        function_ = std::forward<T>(layer);
      } else {
        static_assert(
            sizeof(F) == 0,
            "Sequential: a layer is a link or a function of variables: wrap "
            "another one, `[](const Variable& x) { return f(x, ...); }`");
      }
    }
    // One of several functions of this name, for those that take no more.
    Layer(PlainFunction layer);

    // Calls the layer. Throws ValueError when it takes or returns another
    // number of variables; NotImplementedError for a link that takes none.
    Variable operator()(const Variable& x) const;
    Variables operator()(const Variables& xs) const;
    // The link, or null for a function.
    Link* link() const { return link_ ? &**link_ : nullptr; }
    // The function, or null if it is of another type, as in std::function:
    //   model.layer(1).target<Sequential::PlainFunction>()
    template <class F>
    const F* target() const {
      return std::any_cast<F>(&function_);
    }
    bool is(const Link& other) const { return link() == &other; }
    bool is(PlainFunction other) const;

   private:
    friend class Sequential;
    struct Calls {
      uint32_t counts;
      bool takes_list;
      Variables (*call)(const Layer&, const Variables&);
    };
    template <class F>
    static Variables call(const Layer& layer, const Variables& xs) {
      if constexpr (std::derived_from<F, Link>) {
        return internal::LayerCall<F>::call(static_cast<F&>(**layer.link_), xs);
      } else {
        auto& function = const_cast<std::any&>(layer.function_);
        return internal::LayerCall<F>::call(*std::any_cast<F>(&function), xs);
      }
    }
    template <class F>
    static constexpr Calls kCalls = {internal::LayerCall<F>::counts(),
                                     internal::LayerCall<F>::takes_list(),
                                     &call<F>};
    bool takes(size_t n) const;
    [[noreturn]] void throw_wrong_count(std::string_view who, size_t n) const;

    Layer() : calls_(nullptr) {}

    std::optional<AnyLink> link_;
    std::any function_;
    const Calls* calls_;
  };

  Sequential() = default;
  template <class... Layers>
  requires(sizeof...(Layers) > 1) ||
      (!std::derived_from<std::decay_t<Layers>, Sequential> &&
       ...) explicit Sequential(Layers&&... layers) {
    static_assert((internal::CheckForward<std::decay_t<Layers>>() && ...));
    // Not append: the fewer calls, the shorter the compiler's messages.
    (insert_layer(size(), Layer(std::forward<Layers>(layers))), ...);
  }
  // The same for up to 12 layers with functions that have several forms, such
  // as F::dropout: their names alone have no type that the pack could take.
  explicit Sequential(Layer a, Layer b = {}, Layer c = {}, Layer d = {},
                      Layer e = {}, Layer f = {}, Layer g = {}, Layer h = {},
                      Layer i = {}, Layer j = {}, Layer k = {}, Layer l = {});

  // Adds a layer at the end.
  template <class T>
  Sequential& append(T&& layer) {
    return insert_layer(size(), Layer(std::forward<T>(layer)));
  }
  Sequential& append(Layer layer) {
    return insert_layer(size(), std::move(layer));
  }
  // Inserts a layer before a position; size() appends it.
  template <class T>
  Sequential& insert(int64_t index, T&& layer) {
    return insert_layer(index, Layer(std::forward<T>(layer)));
  }
  Sequential& insert(int64_t index, Layer layer) {
    return insert_layer(index, std::move(layer));
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
  int64_t count(const Link& layer) const;
  int64_t count(PlainFunction layer) const;
  template <class T>
  int64_t count_by_layer_type() const {
    return count_if(is_of<T>);
  }
  // The position of the first occurrence of the layer in [start, end). Throws
  // ValueError when there is none.
  int64_t index(const Link& layer, int64_t start = 0,
                std::optional<int64_t> end = std::nullopt) const;
  int64_t index(PlainFunction layer, int64_t start = 0,
                std::optional<int64_t> end = std::nullopt) const;

  // A copy in which nested Sequentials are replaced by their layers.
  Sequential flatten() const;

  // Calls the layers. Throws ValueError, with the layer's position, where one
  // takes another number of variables than the one before returned. The forms
  // that return a single variable throw when the last layer returns several.
  Variables forward(const Variables& xs);
  Variable forward(const Variable& x);
  template <std::same_as<Variable>... Rest>
  Variable forward(const Variable& x, const Variable& y, const Rest&... rest) {
    return only_result(forward(Variables{x, y, rest...}));
  }
  Variables operator()(const Variables& xs) { return call_link(*this, xs); }
  Variable operator()(const Variable& x) { return call_link(*this, x); }
  template <std::same_as<Variable>... Rest>
  Variable operator()(const Variable& x, const Variable& y,
                      const Rest&... rest) {
    return call_link(*this, x, y, rest...);
  }

  int64_t size() const { return static_cast<int64_t>(layers_.size()); }
  // The layer at a position, a link or a function.
  const Layer& layer(int64_t index) const {
    return layers_[checked(index, size())];
  }
  // The link at a position. Throws IndexError for a function.
  template <class T>
  T& at(int64_t index) const {
    return link_at(index).as<T>();
  }
  Link& operator[](int64_t index) const { return *link_at(index); }
  // The layers of a slice, whose links share parameters and persistent arrays
  // with these, as in copy(): `Sequential features = model[Slice(0, -1)];`
  Sequential operator[](const Slice& slice) const;
  // Iterates over the layers: `for (const Sequential::Layer& layer : model)`.
  auto begin() const { return layers_.begin(); }
  auto end() const { return layers_.end(); }

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
  int64_t count_of(const T& layer) const;
  template <class T>
  int64_t index_of(const T& layer, int64_t start,
                   std::optional<int64_t> end) const;

  static Variable only_result(Variables ys);
  Sequential& insert_layer(int64_t index, Layer layer);
  int64_t count_if(bool (*is_it)(const Layer&)) const;
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
