#include "catena/array/linalg/einsum.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/elementwise.h"
#include "catena/array/linalg/contraction.h"

namespace catena::array {
namespace {

using Labels = std::vector<int>;

// Labels are character codes; the axes of "..." have these labels, counted from
// the last axis.
constexpr int kEllipsisLabel = 128;
constexpr int kLabelCount = kEllipsisLabel + kMaxDims;

bool contains(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The letters of an operand or the result, before and after its "...", if any.
struct Term {
  std::string before;
  std::string after;
  bool has_ellipsis = false;

  int letters() const { return static_cast<int>(before.size() + after.size()); }
  Labels with_ellipsis_axes(int count) const {
    Labels labels(before.begin(), before.end());
    for (int i = count - 1; i >= 0; --i) labels.push_back(kEllipsisLabel + i);
    labels.insert(labels.end(), after.begin(), after.end());
    return labels;
  }
};

struct Subscripts {
  std::vector<Term> operands;
  std::optional<Term> result;
};

Term parse_term(std::string_view text, std::string_view subscripts) {
  Term term;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_letter(text[i])) {
      (term.has_ellipsis ? term.after : term.before).push_back(text[i]);
    } else if (text.substr(i, 3) == "..." && !term.has_ellipsis) {
      term.has_ellipsis = true;
      i += 2;
    } else {
      raise<ValueError>(
          "einsum: expected letters and at most one \"...\" for each operand, "
          "got \"",
          text, "\" in \"", subscripts, "\"");
    }
  }
  return term;
}

Subscripts parse(std::string_view subscripts) {
  std::string text;
  for (const char c : subscripts) {
    if (c != ' ') text.push_back(c);
  }
  Subscripts parsed;
  std::string_view rest = text;
  const size_t arrow = rest.find("->");
  if (arrow != std::string_view::npos) {
    parsed.result = parse_term(rest.substr(arrow + 2), subscripts);
    rest = rest.substr(0, arrow);
  }
  for (size_t comma = 0; comma != std::string_view::npos;) {
    comma = rest.find(',');
    parsed.operands.push_back(parse_term(rest.substr(0, comma), subscripts));
    if (comma != std::string_view::npos) rest = rest.substr(comma + 1);
  }
  return parsed;
}

// One call, from the subscripts to labelled operands ready for contraction.
class Equation {
 public:
  Equation(std::string_view text, std::span<const Array> operands)
      : text_(text), subscripts_(parse(text)) {
    if (subscripts_.operands.size() != operands.size()) {
      raise<ValueError>("einsum: expected ", subscripts_.operands.size(),
                        " operands for \"", text, "\", got ", operands.size());
    }
    count_axes(operands);
    collect_extents(operands);
    choose_result();
  }

  const Labels& result() const { return result_; }

  // Takes the diagonals of repeated labels and drops the axes that broadcast.
  Labelled labelled(size_t i, const Array& a) const {
    Labelled x{a, {}};
    Shape shape;
    Strides strides;
    const Labels& labels = labels_[i];
    for (int axis = 0; axis < a.ndim(); ++axis) {
      const int label = labels[axis];
      if (a.shape()[axis] != extents_[label]) continue;  // 1: it broadcasts
      const int first = x.axis_of(label);
      if (first >= 0) {
        strides[first] += a.strides()[axis];
        continue;
      }
      x.labels.push_back(label);
      shape.push_back(a.shape()[axis]);
      strides.push_back(a.strides()[axis]);
    }
    x.array = Array(a.storage(), a.dtype(), shape, strides,
                    a.raw_data() - a.storage()->data());
    return x;
  }

  double extent(int label) const {
    return static_cast<double>(extents_[label]);
  }

 private:
  void count_axes(std::span<const Array> operands) {
    for (size_t i = 0; i < operands.size(); ++i) {
      const Term& term = subscripts_.operands[i];
      const int unnamed = operands[i].ndim() - term.letters();
      if (unnamed < 0 || (unnamed > 0 && !term.has_ellipsis)) {
        raise<ShapeError>("einsum: expected ", term.letters(),
                          term.has_ellipsis ? " or more" : "",
                          " axes for operand ", i, " of \"", text_,
                          "\", got shape ", operands[i].shape());
      }
      ellipsis_axes_ = std::max(ellipsis_axes_, unnamed);
      labels_.push_back(term.with_ellipsis_axes(unnamed));
    }
  }

  void collect_extents(std::span<const Array> operands) {
    extents_.fill(1);
    for (size_t i = 0; i < operands.size(); ++i) {
      const Labels& labels = labels_[i];
      const Shape& shape = operands[i].shape();
      for (int axis = 0; axis < shape.ndim(); ++axis) {
        const auto first =
            std::find(labels.begin(), labels.end(), labels[axis]);
        if (shape[static_cast<int>(first - labels.begin())] != shape[axis]) {
          raise<ShapeError>("einsum: expected one extent along ",
                            name_of(labels[axis]), ", which operand ", i,
                            " of \"", text_, "\" has twice, got shape ", shape);
        }
        int64_t& extent = extents_[labels[axis]];
        const int64_t own = shape[axis];
        if (extent == 1) extent = own;
        if (own != extent && own != 1) {
          raise<ShapeError>("einsum: expected extents of 1 or ", extent,
                            " along ", name_of(labels[axis]), " of \"", text_,
                            "\", got shape ", shape, " for operand ", i);
        }
      }
    }
  }

  void choose_result() {
    if (!subscripts_.result.has_value()) return choose_implicit_result();
    const Term& term = *subscripts_.result;
    if (ellipsis_axes_ > 0 && !term.has_ellipsis) {
      raise<ValueError>("einsum: expected \"...\" after the arrow of \"", text_,
                        "\", whose operands have axes without letters");
    }
    result_ = term.with_ellipsis_axes(term.has_ellipsis ? ellipsis_axes_ : 0);
    for (size_t i = 0; i < result_.size(); ++i) {
      const int label = result_[i];
      const bool is_known =
          label >= kEllipsisLabel ||
          std::any_of(labels_.begin(), labels_.end(),
                      [&](const Labels& own) { return contains(own, label); });
      if (!is_known) {
        raise<ValueError>(
            "einsum: expected letters of operands after the arrow of \"", text_,
            "\", got ", name_of(label));
      }
      if (std::count(result_.begin(), result_.end(), label) > 1) {
        raise<ValueError>(
            "einsum: expected each letter once after the arrow of \"", text_,
            "\", got ", name_of(label), " twice");
      }
    }
    check_result_size();
  }

  void choose_implicit_result() {
    result_ = Term().with_ellipsis_axes(ellipsis_axes_);
    for (int letter = 'A'; letter <= 'z'; ++letter) {
      int64_t count = 0;
      for (const Labels& own : labels_) {
        count += std::count(own.begin(), own.end(), letter);
      }
      if (count == 1) result_.push_back(letter);
    }
    check_result_size();
  }

  void check_result_size() const {
    if (result_.size() > kMaxDims) {
      raise<ShapeError>("einsum: expected a result of at most ", kMaxDims,
                        " axes, got ", result_.size(), " by \"", text_, "\"");
    }
  }

  static std::string name_of(int label) {
    if (label >= kEllipsisLabel) return "\"...\"";
    return std::string("'") + static_cast<char>(label) + "'";
  }

  std::string_view text_;
  Subscripts subscripts_;
  int ellipsis_axes_ = 0;
  std::vector<Labels> labels_;  // of each operand's axes
  std::array<int64_t, kLabelCount> extents_;
  Labels result_;
};

// Sums over the labels that occur nowhere else.
void sum_own_labels(Labelled& x, const Labels& needed) {
  Axes axes;
  Labels left;
  for (size_t i = 0; i < x.labels.size(); ++i) {
    if (contains(needed, x.labels[i])) {
      left.push_back(x.labels[i]);
    } else {
      axes.push_back(static_cast<int64_t>(i));
    }
  }
  x.array = sum_as_is(x.array, axes);
  x.labels = std::move(left);
}

// The labels of the result and of all operands except two.
Labels labels_outside(const std::vector<Labelled>& operands, size_t i, size_t j,
                      const Labels& result) {
  Labels labels = result;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (k == i || k == j) continue;
    labels.insert(labels.end(), operands[k].labels.begin(),
                  operands[k].labels.end());
  }
  return labels;
}

// The labels of two operands that are needed afterwards; those of the result
// last, in its order.
Labels kept_labels(const Labelled& a, const Labelled& b, const Labels& needed,
                   const Labels& result) {
  Labels kept;
  for (const Labelled* x : {&a, &b}) {
    for (const int label : x->labels) {
      if (contains(needed, label) && !contains(result, label) &&
          !contains(kept, label)) {
        kept.push_back(label);
      }
    }
  }
  for (const int label : result) {
    if (a.axis_of(label) >= 0 || b.axis_of(label) >= 0) kept.push_back(label);
  }
  return kept;
}

// Contracts the pair whose product increases memory the least.
void contract_best_pair(const Equation& equation,
                        std::vector<Labelled>& operands) {
  size_t best_i = 0;
  size_t best_j = 1;
  double min = std::numeric_limits<double>::infinity();
  Labels best_kept;
  for (size_t i = 0; i < operands.size(); ++i) {
    for (size_t j = i + 1; j < operands.size(); ++j) {
      const Labelled& a = operands[i];
      const Labelled& b = operands[j];
      Labels kept =
          kept_labels(a, b, labels_outside(operands, i, j, equation.result()),
                      equation.result());
      double growth = 1;
      for (const int label : kept) growth *= equation.extent(label);
      growth -= static_cast<double>(a.array.size() + b.array.size());
      if (kept.size() > kMaxDims) growth = std::numeric_limits<double>::max();
      if (growth < min) {
        min = growth;
        best_i = i;
        best_j = j;
        best_kept = std::move(kept);
      }
    }
  }
  Labelled product = contract("einsum", std::move(operands[best_i]),
                              std::move(operands[best_j]), best_kept);
  operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(best_j));
  operands[best_i] = std::move(product);
}

}  // namespace

Array einsum(std::string_view subscripts, std::span<const Array> operands) {
  const Equation equation(subscripts, operands);
  std::vector<const Array*> pointers;
  Dtype dtype = operands[0].dtype();
  for (const Array& a : operands) {
    pointers.push_back(&a);
    dtype = promote(dtype, a.dtype());
  }
  common_device(pointers, "einsum");
  std::vector<Labelled> terms;
  for (size_t i = 0; i < operands.size(); ++i) {
    terms.push_back(equation.labelled(
        i, operands[i].astype(dtype, Array::CopyPolicy::kIfNeeded)));
  }
  for (size_t i = 0; i < terms.size(); ++i) {
    sum_own_labels(terms[i], labels_outside(terms, i, i, equation.result()));
  }
  while (terms.size() > 1) contract_best_pair(equation, terms);
  // Every label of the result is in the last term: an extent other than 1 is
  // kept in some operand, an extent of 1 in all operands with the label.
  return arrange(terms[0], equation.result());
}

}  // namespace catena::array
