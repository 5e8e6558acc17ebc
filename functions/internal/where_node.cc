#include "catena/functions/internal/where_node.h"

#include <span>

#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/internal/broadcasting.h"
#include "catena/functions/kinds.h"

namespace catena::functions {

FunctionDescription Where::description() const {
  FunctionOptions options = {{"condition", condition_}};
  if (values_ == Values::kFirst) options.push_back({"y", number_});
  if (values_ == Values::kSecond) options.push_back({"x", number_});
  return FunctionDescription::of<kinds::Where>(std::move(options));
}

void Where::check_type_forward(TypeCheck& in) const {
  static constexpr std::string_view kBoth[] = {"x", "y"};
  const std::span<const std::string_view> names(kBoth);
  in.set_names(values_ == Values::kBoth    ? names
               : values_ == Values::kFirst ? names.first(1)
                                           : names.last(1));
  if (condition_.dtype() != Dtype::kBool) {
    in.fail("condition.dtype == bool", to_string(condition_.dtype()));
  }
  if (values_ == Values::kBoth) {
    in.expect(in[0].dtype() == in[1].dtype());
    in.expect_broadcastable();
  }
}

Arrays Where::forward(const Arrays& in) {
  switch (values_) {
    case Values::kFirst:
      return {array::where(condition_, in[0], number_)};
    case Values::kSecond:
      return {array::where(condition_, number_, in[0])};
    case Values::kBoth:
      break;
  }
  return {array::where(condition_, in[0], in[1])};
}

Variables Where::backward(const Indexes& wanted, const Variables& gy) {
  Variables gradients;
  for (const int i : wanted) {
    const bool is_first =
        values_ == Values::kFirst || (values_ == Values::kBoth && i == 0);
    gradients.push_back(summed_to(
        catena::apply<Where>({gy[0]}, condition_,
                             is_first ? Values::kFirst : Values::kSecond),
        inputs()[i]->shape()));
  }
  return gradients;
}

}  // namespace catena::functions
