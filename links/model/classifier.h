#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>

#include "catena/links/call_link.h"
#include "catena/links/chain.h"
#include "catena/links/check_forward.h"

namespace catena::links {

// Computes a loss or accuracy from y and t.
using ScoreFunction =
    std::function<Variable(const Variable& y, const Variable& t)>;

struct ClassifierOptions {
  NamedFieldsOnly keywords = {};
  ScoreFunction lossfun = nullptr;  // defaults to softmax_cross_entropy
  ScoreFunction accfun = nullptr;   // defaults to accuracy
  bool compute_accuracy = true;
  // Which argument of a call is the ground truth; negative numbers count from
  // the last.
  int label_key = -1;
};

// The part of Classifier that does not depend on the predictor's type.
class ClassifierBase : public ChainBase {
 public:
  using Options = ClassifierOptions;

  // May be changed at any time.
  ScoreFunction lossfun;
  ScoreFunction accfun;
  bool compute_accuracy = true;
  int label_key = -1;

  // Results of the last call; accuracy is undefined if not computed.
  Variable y;
  Variable loss;
  Variable accuracy;

 protected:
  explicit ClassifierBase(const ClassifierOptions& options);
  // Moves the ground truth, one of the arguments, behind the others. Throws
  // IndexError when label_key is none of them.
  void move_label_last(std::span<Variable> arguments) const;
  // Sets y, loss and accuracy, reports "loss" and "accuracy" as observations
  // of this link, and returns the loss.
  Variable score(const Variable& prediction, const Variable& t);
};

namespace internal {

// Whether P can be called with a variable for each index.
template <class P, size_t... i>
consteval bool predicts_from(std::index_sequence<i...>) {
  return CallableLink<P, decltype((void(i), std::declval<Variable&>()))...>;
}

// Whether a call with that many variables is no prediction.
template <class P, class... Args>
consteval bool returns_no_variable() {
  if constexpr (CallableLink<P, Args...>) {
    using Result =
        decltype(call_link(std::declval<P&>(), std::declval<Args>()...));
    return !std::convertible_to<Result, Variable>;
  } else {
    return false;
  }
}

// Does not compile for what can't be a predictor.
template <class P>
consteval void check_predictor() {
  using V = Variable&;
  constexpr bool kNoVariable = returns_no_variable<P, V>() ||
                               returns_no_variable<P, V, V>() ||
                               returns_no_variable<P, V, V, V>();
  static_assert(!kNoVariable,
                "Classifier: the predictor's forward returns no Variable: "
                "return the scores alone, or write a link with a loss of your "
                "own");
}
template <class P>
concept HasNoForward = !catena::internal::has_accessible_forward<P>() &&
                       !CallableLink<P, Variable&>;

// Says why a predictor can't be called.
template <class P, size_t... i>
consteval void explain_prediction(std::index_sequence<i...>) {
  if constexpr (!predicts_from<P>(std::index_sequence<i...>())) {
    catena::internal::explain_call<
        P, decltype((void(i), std::declval<Variable&>()))...>();
  }
}

}  // namespace internal

// A predictor with a loss function, the usual target of an optimizer.
//
//   L::Classifier model(MLP(100, 10));
//   Variable loss = model(x, t);
//
// A predictor of several inputs is called with all arguments but the ground
// truth, in their order.
template <class Predictor>
class Classifier : public ClassifierBase {
  // Child asserts the same, in an error with one class more.
  static_assert(catena::internal::CheckForward<Predictor>());

 public:
  explicit Classifier(Predictor link, const ClassifierOptions& options = {})
      : ClassifierBase(options), predictor(this, "predictor", std::move(link)) {
    internal::check_predictor<Predictor>();
    if constexpr (internal::HasNoForward<Predictor>) {
      catena::internal::explain_call<Predictor, Variable&>();
    }
  }

  // The loss of the predictor's output for the inputs against the ground truth,
  // the last argument or that of label_key.
  template <std::convertible_to<Variable>... Args>
  requires(sizeof...(Args) >= 2 &&
           internal::predicts_from<Predictor>(
               std::make_index_sequence<sizeof...(Args) - 1>())) Variable
      forward(const Args&... args) {
    std::array<Variable, sizeof...(Args)> arguments = {Variable(args)...};
    move_label_last(arguments);
    return predict(arguments, std::make_index_sequence<sizeof...(Args) - 1>());
  }
  template <class... Args>
  requires HasForward<Classifier, const Args&...> Variable
  operator()(const Args&... args) {
    return call_link(*this, args...);
  }
  // Other arguments do not compile.
  template <class... Args>
  requires(
      !HasForward<Classifier, const Args&...>) catena::internal::NotCallable
  operator()(const Args&...) {
    static_assert(
        sizeof...(Args) >= 2 && (std::convertible_to<Args, Variable> && ...),
        "Classifier: pass variables, the inputs and last the ground "
        "truth: `model(x, t)`");
    if constexpr (sizeof...(Args) >= 2) {
      internal::explain_prediction<Predictor>(
          std::make_index_sequence<sizeof...(Args) - 1>());
    }
    return {};
  }

  // The class whose forward is called.
  using CalledClass = Classifier;

  Child<Predictor> predictor;

 private:
  template <size_t n, size_t... i>
  Variable predict(std::array<Variable, n>& arguments,
                   std::index_sequence<i...>) {
    return score(predictor(arguments[i]...), arguments[n - 1]);
  }
};

}  // namespace catena::links
