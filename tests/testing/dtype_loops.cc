#include "catena/tests/testing/dtype_loops.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "catena/array/core/error.h"
#include "catena/tests/testing/device_test.h"

namespace catena::testing {
namespace {

std::vector<Dtype> select(bool (*wanted)(Dtype)) {
  std::vector<Dtype> dtypes;
  for (const Dtype dtype : all_dtypes()) {
    if (wanted(dtype)) dtypes.push_back(dtype);
  }
  return dtypes;
}

std::vector<Dtype> int_and_bool_dtypes() {
  return select([](Dtype dtype) { return !is_floating(dtype); });
}

bool wants_all(const DtypeCombinationOptions& options) {
  if (options.full) return *options.full;
  const char* wish = std::getenv("CUPY_TEST_FULL_COMBINATION");
  return wish != nullptr && std::string_view(wish) == "1";
}

}  // namespace

std::vector<Dtype> signed_dtypes() {
  return select([](Dtype d) { return kind_of(d) == DtypeKind::kInt; });
}

std::vector<Dtype> unsigned_dtypes() {
  return select([](Dtype d) { return kind_of(d) == DtypeKind::kUInt; });
}

std::vector<Dtype> int_dtypes() { return select(is_integral); }

std::vector<Dtype> without(std::vector<Dtype> dtypes,
                           const DtypeLoopOptions& options) {
  std::erase_if(dtypes, [&](Dtype dtype) {
    return (options.no_bool && dtype == Dtype::kBool) ||
           (options.no_float16 && is_floating(dtype) && item_size(dtype) == 2);
  });
  return dtypes;
}

void for_dtypes(const std::vector<Dtype>& dtypes, const DtypeBody& body) {
  for (const Dtype dtype : dtypes) {
    SCOPED_TRACE("dtype " + to_string(dtype));
    body(dtype);
  }
}

void for_all_dtypes(const DtypeBody& body, const DtypeLoopOptions& options) {
  for_dtypes(without(all_dtypes(), options), body);
}

void for_float_dtypes(const DtypeBody& body, const DtypeLoopOptions& options) {
  for_dtypes(without(float_dtypes(), options), body);
}

void for_signed_dtypes(const DtypeBody& body) {
  for_dtypes(signed_dtypes(), body);
}

void for_unsigned_dtypes(const DtypeBody& body) {
  for_dtypes(unsigned_dtypes(), body);
}

void for_int_dtypes(const DtypeBody& body, const DtypeLoopOptions& options) {
  for_dtypes(without(int_and_bool_dtypes(), options), body);
}

std::vector<std::vector<Dtype>> dtype_combinations(
    const std::vector<Dtype>& dtypes, const DtypeCombinationOptions& options) {
  if (options.count < 1) {
    raise<ValueError>(
        "dtype_combinations: expected a count of at least 1, got ",
        options.count);
  }
  const std::vector<Dtype> used =
      without(dtypes, {options.no_float16, options.no_bool});
  std::vector<std::vector<Dtype>> combinations;
  if (!wants_all(options)) {
    // Position k has the dtypes shifted by k, so each occurs once in each
    // position.
    for (size_t row = 0; row < used.size(); ++row) {
      std::vector<Dtype>& combination = combinations.emplace_back();
      for (size_t k = 0; k < static_cast<size_t>(options.count); ++k) {
        combination.push_back(used[(row + k) % used.size()]);
      }
    }
    return combinations;
  }
  combinations.emplace_back();
  for (int k = 0; k < options.count; ++k) {
    std::vector<std::vector<Dtype>> longer;
    for (const std::vector<Dtype>& combination : combinations) {
      for (const Dtype dtype : used) {
        longer.push_back(combination);
        longer.back().push_back(dtype);
      }
    }
    combinations = std::move(longer);
  }
  return combinations;
}

void for_dtypes_combination(const std::vector<Dtype>& dtypes,
                            const DtypesBody& body,
                            const DtypeCombinationOptions& options) {
  for (const std::vector<Dtype>& combination :
       dtype_combinations(dtypes, options)) {
    std::string text = "dtypes";
    for (const Dtype dtype : combination) text += " " + to_string(dtype);
    SCOPED_TRACE(text);
    body(combination);
  }
}

void for_all_dtypes_combination(const DtypesBody& body,
                                const DtypeCombinationOptions& options) {
  for_dtypes_combination(all_dtypes(), body, options);
}

void for_signed_dtypes_combination(const DtypesBody& body,
                                   const DtypeCombinationOptions& options) {
  for_dtypes_combination(signed_dtypes(), body, options);
}

void for_unsigned_dtypes_combination(const DtypesBody& body,
                                     const DtypeCombinationOptions& options) {
  for_dtypes_combination(unsigned_dtypes(), body, options);
}

void for_int_dtypes_combination(const DtypesBody& body,
                                const DtypeCombinationOptions& options) {
  for_dtypes_combination(int_and_bool_dtypes(), body, options);
}

}  // namespace catena::testing
