#include "catena/tests/numbers/function_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/printing/printing.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/numbers/function_exceptions.h"
#include "catena/tests/numbers/function_trial.h"
#include "catena/tests/numbers/layouts.h"

namespace catena::testing {
namespace {

// The first and the last cases of a file have the dtypes and most options.
constexpr size_t kMaxCases = 12;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

bool is_float(const Array& a) { return a.defined() && is_floating(a.dtype()); }

// A copy with another number at one position.
Array with_element(const Array& a, int64_t position, double value) {
  const Array copy = a.copy();
  copy.reshape({-1})[position].fill(value);
  return copy;
}

// A copy with another number near the one at a position.
Array with_neighbour(const Array& a, int64_t position) {
  const double x = a.copy().reshape({-1})[position].item<double>();
  return with_element(a, position, x + std::max(std::abs(x), 1.0) / 16);
}

// The first, a middle one and the last.
std::set<int64_t> some_positions(const Array& a) {
  if (a.size() == 0) return {};
  return {0, a.size() / 2, a.size() - 1};
}

Arrays replaced(Arrays arrays, size_t i, const Array& a) {
  arrays[i] = a;
  return arrays;
}

std::string text_of(const Array& a) { return array::array_str(a); }

std::string form_of(const Array& a) {
  return a.defined() ? str(a.dtype(), a.shape()) : "undefined";
}

// The first array with another dtype or shape; "" if there is none.
std::string difference_of_forms(const Arrays& actual, const Arrays& expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    const std::string form = form_of(actual.at(i));
    if (form != form_of(expected[i])) {
      return str(form, ", expected ", form_of(expected[i]));
    }
  }
  return "";
}

// Whether floats agree within a few ULP of the largest one, integers exactly.
bool is_near(const Array& actual, const Array& expected) {
  if (!is_float(expected)) {
    return array::all(array::equal(actual, expected)).item<bool>();
  }
  const Array a = actual.astype(Dtype::kFloat64);
  const Array b = expected.astype(Dtype::kFloat64);
  const Array same = array::logical_or(
      array::equal(a, b), array::logical_and(array::isnan(a), array::isnan(b)));
  const Array size = array::where(array::isfinite(b), array::abs(b), 0.0);
  const double largest =
      size.size() == 0 ? 0 : array::amax(size).item<double>();
  const double epsilon = expected.dtype() == Dtype::kFloat64   ? 0x1p-52
                         : expected.dtype() == Dtype::kFloat32 ? 0x1p-23
                                                               : 0x1p-10;
  const Array near =
      array::less_equal(array::abs(a - b), 16 * epsilon * largest);
  return array::all(array::logical_or(same, near)).item<bool>();
}

std::string difference_of_passes(const FunctionPass& actual,
                                 const FunctionPass& expected) {
  if (actual.is_refused()) return actual.error;
  for (const auto& [what, a, b] :
       {std::tuple("output", &actual.outputs, &expected.outputs),
        {"gradient", &actual.gradients, &expected.gradients}}) {
    const std::string form = difference_of_forms(*a, *b);
    if (!form.empty()) return str(what, ' ', form);
    for (size_t i = 0; i < b->size(); ++i) {
      if ((*b)[i].defined() && !is_near((*a)[i], (*b)[i])) {
        return str(what, ' ', i, " is\n", text_of((*a)[i]), ", expected\n",
                   text_of((*b)[i]));
      }
    }
  }
  return "";
}

// "" if each number that is another in `moved` than in `base` is NaN in
// `changed`.
std::string difference_from_nan(const Arrays& base, const Arrays& moved,
                                const Arrays& changed) {
  for (size_t i = 0; i < base.size(); ++i) {
    if (!is_float(base[i]) || base[i].shape() != moved[i].shape()) continue;
    if (form_of(changed[i]) != form_of(base[i])) {
      return str(form_of(changed[i]), ", expected ", form_of(base[i]));
    }
    const Array depends = array::not_equal(base[i], moved[i]);
    const Array wrong = array::logical_and(
        depends, array::logical_not(array::isnan(changed[i])));
    if (!array::any(wrong).item<bool>()) continue;
    return str(array::count_nonzero(wrong).item<int64_t>(), " of ",
               array::count_nonzero(depends).item<int64_t>(),
               " numbers that depend on it are none:\n", text_of(changed[i]));
  }
  return "";
}

// What one function gives for unusual inputs.
class FunctionChecks {
 public:
  explicit FunctionChecks(const GoldenFunction& function)
      : function_(function) {}

  void check(const GoldenCase& golden) {
    const FunctionTrial trial(function_, golden);
    const FunctionPass base = trial.run(trial.inputs());
    ASSERT_EQ(base.error, "") << function_.file << ' ' << trial.name();
    check_layouts(trial, base);
    check_numbers(trial, base);
    check_gradients(trial, base);
    check_empty_batches(trial);
    check_without_axes(trial);
  }

  // Compares what was found with what function_exceptions.h names.
  void finish() {
    if (accepted_batches_ == 0) {
      find(Expected::kTakesNoExamples, refusal_);
    }
    for (const FunctionException& exception : function_exceptions()) {
      if (exception.function != function_.file) continue;
      EXPECT_EQ(findings_.erase(exception.expected), 1)
          << function_.file << " has " << text_of(exception.expected)
          << " after all";
    }
    for (const auto& [expected, finding] : findings_) {
      ADD_FAILURE() << function_.file << ": expected " << text_of(expected)
                    << "\n"
                    << finding;
    }
  }

 private:
  void find(Expected expected, const std::string& text) {
    if (!text.empty()) findings_.try_emplace(expected, text);
  }

  void check_layouts(const FunctionTrial& trial, const FunctionPass& base) {
    for (const Layout& layout : every_layout()) {
      Arrays inputs;
      for (const Array& input : trial.inputs()) {
        inputs.push_back(input.defined() ? layout.of(input) : input);
      }
      const std::string text = difference_of_passes(trial.run(inputs), base);
      if (text.empty()) continue;
      find(Expected::kSameInAnyLayout,
           str(trial.name(), ", ", layout.name, ": ", text));
    }
  }

  // NaN and infinities in inputs.
  void check_numbers(const FunctionTrial& trial, const FunctionPass& base) {
    for (size_t i = 0; i < trial.inputs().size(); ++i) {
      const Array& input = trial.inputs()[i];
      if (!is_float(input)) continue;
      for (const int64_t position : some_positions(input)) {
        const std::string where =
            str(trial.name(), ", element ", position, " of input ", i, ": ");
        const auto run_with = [&](const Array& a) {
          return trial.run(replaced(trial.inputs(), i, a));
        };
        const FunctionPass moved = run_with(with_neighbour(input, position));
        const FunctionPass changed =
            run_with(with_element(input, position, kNaN));
        if (changed.is_refused()) {
          find(Expected::kNanSpreads, where + changed.error);
        } else if (!moved.is_refused()) {
          const std::string text =
              difference_from_nan(base.outputs, moved.outputs, changed.outputs);
          if (!text.empty()) find(Expected::kNanSpreads, where + text);
        }
        for (const double number : {kInf, -kInf}) {
          const FunctionPass pass =
              run_with(with_element(input, position, number));
          const std::string text =
              pass.is_refused()
                  ? pass.error
                  : difference_of_forms(pass.outputs, base.outputs) +
                        difference_of_forms(pass.gradients, base.gradients);
          if (!text.empty()) find(Expected::kShapesStay, where + text);
        }
      }
    }
  }

  // NaN in the gradients of outputs.
  void check_gradients(const FunctionTrial& trial, const FunctionPass& base) {
    for (size_t i = 0; i < base.outputs.size(); ++i) {
      const Array& grad = base.grad_outputs[i];
      if (!grad.defined()) continue;
      for (const int64_t position : some_positions(grad)) {
        const auto run_with = [&](const Array& a) {
          return trial.run(trial.inputs(), replaced(base.grad_outputs, i, a));
        };
        const FunctionPass moved = run_with(with_neighbour(grad, position));
        const FunctionPass changed =
            run_with(with_element(grad, position, kNaN));
        const std::string text =
            changed.is_refused()
                ? changed.error
                : difference_from_nan(base.gradients, moved.gradients,
                                      changed.gradients);
        if (text.empty()) continue;
        find(Expected::kNanGradientSpreads,
             str(trial.name(), ", element ", position,
                 " of the gradient of output ", i, ": ", text));
      }
    }
  }

  // Those of all inputs that have some number of rows are left out; one of
  // these numbers is that of the batch.
  void check_empty_batches(const FunctionTrial& trial) {
    std::set<int64_t> extents;
    for (const Array& input : trial.inputs()) {
      if (input.defined() && input.ndim() > 0) extents.insert(input.len());
    }
    for (const int64_t rows : extents) check_empty_batch(trial, rows);
  }

  void check_empty_batch(const FunctionTrial& trial, int64_t rows) {
    Arrays inputs = trial.inputs();
    for (Array& input : inputs) {
      if (input.defined() && input.ndim() > 0 && input.len() == rows) {
        input = input[{Slice(0, 0)}];
      }
    }
    const FunctionPass pass = trial.run(inputs);
    if (pass.is_refused()) {
      refusal_ = str(trial.name(), ": ", pass.error);
      return;
    }
    ++accepted_batches_;
    const bool has_results = std::ranges::any_of(
        pass.outputs,
        [](const Array& y) { return y.ndim() > 0 && y.size() > 0; });
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Array& gradient = pass.gradients[i];
      if (!gradient.defined()) continue;
      EXPECT_EQ(gradient.shape(), inputs[i].shape()) << function_.file;
      const Array is_number = array::logical_not(array::isnan(gradient));
      const Array is_some =
          array::logical_and(is_number, array::not_equal(gradient, 0));
      if (!has_results && array::any(is_some).item<bool>()) {
        find(Expected::kGivesNothing,
             str(trial.name(), ": gradient ", i, " is\n", text_of(gradient)));
      }
    }
  }

  // The first element of each input, with no axes and with one.
  void check_without_axes(const FunctionTrial& trial) {
    Arrays inputs;
    Arrays ones;
    for (const Array& input : trial.inputs()) {
      const bool has_element = input.defined() && input.size() > 0;
      ones.push_back(has_element ? Array(input.flatten()[{Slice(0, 1)}])
                                 : input);
      inputs.push_back(has_element ? ones.back().reshape(Shape()) : input);
    }
    const FunctionPass pass = trial.run(inputs);
    const FunctionPass one = trial.run(ones);
    if (pass.is_refused() || one.is_refused()) return;
    for (size_t i = 0; i < pass.outputs.size(); ++i) {
      const Array& y = pass.outputs[i];
      const Array& expected = one.outputs[i];
      if (y.size() != expected.size() ||
          !is_near(y.reshape({-1}), expected.reshape({-1}))) {
        find(Expected::kSameWithoutAxes, str(trial.name(), ": ", text_of(y),
                                             ", expected ", text_of(expected)));
      }
    }
  }

  const GoldenFunction& function_;
  std::map<Expected, std::string> findings_;  // the first of each kind
  int accepted_batches_ = 0;
  std::string refusal_ = "no case has a batch";
};

}  // namespace

void expect_usual_results(std::string_view folder,
                          std::span<const GoldenFunction> table) {
  for (const GoldenFunction& function : table) {
    FunctionChecks checks(function);
    const std::vector<GoldenCase> cases =
        golden_cases(str(folder, "/", function.file));
    for (size_t i = 0; i < cases.size(); ++i) {
      if (i < kMaxCases / 2 || i + kMaxCases / 2 >= cases.size()) {
        checks.check(cases[i]);
      }
    }
    checks.finish();
  }
}

}  // namespace catena::testing
