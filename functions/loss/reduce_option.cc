#include "catena/functions/loss/reduce_option.h"

#include "catena/array/error.h"

namespace catena::functions {

bool is_mean(std::string_view reduce, std::string_view operation) {
  if (reduce == "mean") return true;
  if (reduce == "no") return false;
  raise<ValueError>(operation, ": expected reduce \"mean\" or \"no\", got \"",
                    reduce, "\"");
}

}  // namespace catena::functions
