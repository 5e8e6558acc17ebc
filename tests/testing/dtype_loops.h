#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "catena/array/dtype.h"

// CuPy's loops over dtypes, for a test's body: each round is traced, so that a
// failure says for which dtype. With fixtures instead, where every dtype is a
// case of its own: device_test.h.
//
//   for_all_dtypes([](Dtype dtype) { ... }, {.no_bool = true});
namespace catena::testing {

struct DtypeLoopOptions {
  bool no_float16 = false;
  bool no_bool = false;
};

// Signed, unsigned, and both kinds of integers.
std::vector<Dtype> signed_dtypes();
std::vector<Dtype> unsigned_dtypes();
std::vector<Dtype> int_dtypes();

// Those of `dtypes` that the options leave; no_float16 drops bfloat16 too.
std::vector<Dtype> without(std::vector<Dtype> dtypes,
                           const DtypeLoopOptions& options);

using DtypeBody = std::function<void(Dtype)>;
void for_dtypes(const std::vector<Dtype>& dtypes, const DtypeBody& body);
void for_all_dtypes(const DtypeBody& body,
                    const DtypeLoopOptions& options = {});
void for_float_dtypes(const DtypeBody& body,
                      const DtypeLoopOptions& options = {});
void for_signed_dtypes(const DtypeBody& body);
void for_unsigned_dtypes(const DtypeBody& body);
// bool too, unless no_bool, as in CuPy.
void for_int_dtypes(const DtypeBody& body,
                    const DtypeLoopOptions& options = {});

struct DtypeCombinationOptions {
  int count = 2;  // of dtypes that the body gets at a time
  bool no_float16 = false;
  bool no_bool = false;
  // Whether all combinations are run; else as many as there are dtypes, in
  // which each occurs once in each place. Defaults to what the environment
  // variable CUPY_TEST_FULL_COMBINATION says (1 is all).
  std::optional<bool> full = std::nullopt;
};

// The combinations that the loops below run.
std::vector<std::vector<Dtype>> dtype_combinations(
    const std::vector<Dtype>& dtypes, const DtypeCombinationOptions& options);

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
