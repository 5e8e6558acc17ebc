#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "catena/array/core/dtype.h"

// CuPy's loops over dtypes for the body of a test: a failure names the dtype.
// For fixtures with a separate case for each dtype, see device_test.h.
//
//   for_all_dtypes([](Dtype dtype) { ... }, {.no_bool = true});
namespace catena::testing {

struct DtypeLoopOptions {
  bool no_float16 = false;
  bool no_bool = false;
};

// Signed integers, unsigned integers, and both.
std::vector<Dtype> signed_dtypes();
std::vector<Dtype> unsigned_dtypes();
std::vector<Dtype> int_dtypes();

// The `dtypes` that the options allow; no_float16 also drops bfloat16.
std::vector<Dtype> without(std::vector<Dtype> dtypes,
                           const DtypeLoopOptions& options);

// Call the body with each dtype; failures name it.
using DtypeBody = std::function<void(Dtype)>;
void for_dtypes(const std::vector<Dtype>& dtypes, const DtypeBody& body);
void for_all_dtypes(const DtypeBody& body,
                    const DtypeLoopOptions& options = {});
void for_float_dtypes(const DtypeBody& body,
                      const DtypeLoopOptions& options = {});
void for_signed_dtypes(const DtypeBody& body);
void for_unsigned_dtypes(const DtypeBody& body);
// Includes bool unless no_bool, as in CuPy.
void for_int_dtypes(const DtypeBody& body,
                    const DtypeLoopOptions& options = {});

struct DtypeCombinationOptions {
  int count = 2;  // the number of dtypes passed to the body
  bool no_float16 = false;
  bool no_bool = false;
  // Whether to run all combinations; otherwise one per dtype, such that each
  // dtype occurs once in each position. Defaults to whether the environment
  // variable CUPY_TEST_FULL_COMBINATION is 1.
  std::optional<bool> full = std::nullopt;
};

// The combinations that the loops below use.
std::vector<std::vector<Dtype>> dtype_combinations(
    const std::vector<Dtype>& dtypes, const DtypeCombinationOptions& options);

// Call the body with each combination of dtypes; failures name it.
using DtypesBody = std::function<void(const std::vector<Dtype>&)>;
void for_dtypes_combination(const std::vector<Dtype>& dtypes,
                            const DtypesBody& body,
                            const DtypeCombinationOptions& options = {});
void for_all_dtypes_combination(const DtypesBody& body,
                                const DtypeCombinationOptions& options = {});
void for_signed_dtypes_combination(const DtypesBody& body,
                                   const DtypeCombinationOptions& options = {});
void for_unsigned_dtypes_combination(
    const DtypesBody& body, const DtypeCombinationOptions& options = {});
void for_int_dtypes_combination(const DtypesBody& body,
                                const DtypeCombinationOptions& options = {});

}  // namespace catena::testing
