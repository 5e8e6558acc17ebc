#include "catena/functions/math/einsum.h"

#include <cctype>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/linalg/einsum.h"
#include "catena/functions/array/broadcast_to.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/sum_to.h"

namespace catena::functions {
namespace {

// Subscripts that array::einsum has accepted, with a letter for each axis,
// including those of "...".
struct Subscripts {
  std::vector<std::string> operands;
  std::string result;
};

std::string without_spaces(std::string_view text) {
  std::string result(text);
  std::erase(result, ' ');
  return result;
}

// Replaces "..." by the last `count` of the letters.
void name_ellipsis(std::string& term, int count, std::string_view letters) {
  const size_t at = term.find("...");
  if (at != std::string::npos) {
    term.replace(at, 3, letters.substr(letters.size() - count));
  }
}

Subscripts parse(std::string_view subscripts,
                 std::span<const Ref<VariableNode>> inputs, int result_ndim) {
  const std::string text = without_spaces(subscripts);
  const size_t arrow = text.find("->");
  Subscripts parsed;
  std::istringstream terms(text.substr(0, arrow));
  for (std::string term; std::getline(terms, term, ',');) {
    parsed.operands.push_back(term);
  }
  // A trailing operand without axes has no term.
  parsed.operands.resize(inputs.size());
  if (arrow != std::string::npos) {
    parsed.result = text.substr(arrow + 2);
  } else {
    std::map<char, int> counts;
    for (const std::string& term : parsed.operands) {
      for (const char c : term) ++counts[c];
    }
    if (counts.contains('.')) parsed.result = "...";
    for (const auto& [letter, count] : counts) {
      if (letter != '.' && count == 1) parsed.result.push_back(letter);
    }
  }
  std::string unused;
  for (char c = 'A'; c <= 'z' && unused.size() < kMaxDims; ++c) {
    if (std::isalpha(c) && text.find(c) == std::string::npos) {
      unused.push_back(c);
    }
  }
  const auto ellipsis_axes = [](const std::string& term, int ndim) {
    return ndim - static_cast<int>(term.size()) + 3;
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string& term = parsed.operands[i];
    name_ellipsis(term, ellipsis_axes(term, inputs[i]->shape().ndim()), unused);
  }
  name_ellipsis(parsed.result, ellipsis_axes(parsed.result, result_ndim),
                unused);
  return parsed;
}

// The letters, each once.
std::string distinct(const std::string& letters) {
  std::string result;
  for (const char c : letters) {
    if (result.find(c) == std::string::npos) result.push_back(c);
  }
  return result;
}

// The diagonal of an array over axes with the same letter: "iij" gives (i, j).
struct EinsumDiagonal {
  static constexpr std::string_view kLabel = "einsum";
  using Kind = kinds::EinsumDiagonal;
  std::string subscripts;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("subscripts", subscripts);
  }
  void check(const TypeCheck&, type_check::Input) const {}
  Array map(const Array& x) const { return array::einsum(subscripts, {x}); }
  Array transposed(const Array& gy, const ArrayForm& x) const {
    const Array gx = array::zeros(x.shape, x.dtype, x.device);
    map(gx).assign(gy);  // a view
    return gx;
  }
};

class Einsum final : public FunctionNode {
 public:
  explicit Einsum(std::string_view subscripts) : subscripts_(subscripts) {}

  std::string_view label() const override { return "einsum"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::Einsum>(
        {{"subscripts", subscripts_}});
  }

  void check_type_forward(TypeCheck& in) const override {
    in.expect(in.size() > type_check::Term(0));
    in.expect_same_dtype();
  }

  Arrays forward(const Arrays& in) override {
    // An operand's gradient depends only on the others.
    if (in.size() > 1) {
      for (int i = 0; i < static_cast<int>(in.size()); ++i) retain_input(i);
    }
    return {array::einsum(subscripts_, in)};
  }

  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const Subscripts parsed = parse(subscripts_, inputs(), gy[0].ndim());
    Variables gradients;
    for (const int i : wanted) {
      gradients.push_back(gradient_of(i, parsed, gy[0]));
    }
    return gradients;
  }

 private:
  // The result's gradient times the other operands, summed over the letters
  // that operand i lacks.
  Variable gradient_of(int i, const Subscripts& parsed,
                       const Variable& gy) const {
    const Shape& shape = inputs()[i]->shape();
    const std::string& letters = parsed.operands[i];
    std::string text = parsed.result;
    Variables factors = {gy};
    for (int k = 0; k < static_cast<int>(parsed.operands.size()); ++k) {
      if (k == i) continue;
      text += "," + parsed.operands[k];
      factors.push_back(retained_input(k));
    }
    const std::string target = distinct(letters);
    std::string known;
    for (const char c : target) {
      if (text.find(c) != std::string::npos) known.push_back(c);
    }
    Variable gradient = einsum(text + "->" + known, factors);
    // Axes that only this operand has, and those that broadcast.
    Shape padded;
    Shape narrow;
    Shape full;
    int next = 0;
    for (const char c : target) {
      const int64_t extent = shape[static_cast<int>(letters.find(c))];
      padded.push_back(
          known.find(c) == std::string::npos ? 1 : gradient.shape()[next++]);
      narrow.push_back(extent == 1 ? 1 : padded.back());
      full.push_back(extent);
    }
    gradient = broadcast_to(sum_to(reshape(gradient, padded), narrow), full);
    if (target == letters) return gradient;
    const VariableNode& x = *inputs()[i];
    return catena::apply<TransposedMap<EinsumDiagonal>>(
        {gradient}, EinsumDiagonal{letters + "->" + target},
        ArrayForm{x.shape(), x.dtype(), x.device()});
  }

  std::string subscripts_;
};

}  // namespace

Variable einsum(std::string_view subscripts,
                std::span<const Variable> operands) {
  return apply<Einsum>(operands, subscripts);
}

}  // namespace catena::functions
