#pragma once

#include <span>
#include <string_view>

#include "catena/autograd/variable.h"
#include "catena/tests/testing/function_gradients.h"

// Functions of one variable that are tested together:
//
//   constexpr FamilyMember kFamily[] = {{"sin", sin}, {"cos", cos}};
//
//   TEST_P(TrigonometricTest, HaveGradientsKeepDtypesAndRejectOthers) {
//     check_elementwise_family(kFamily);
//   }
namespace catena::testing {

struct FamilyMember {
  std::string_view name;
  Variable (*function)(const Variable& x);
  // The domain for check_elementwise_function.
  UnaryDomain domain = {};
};

// Calls check_elementwise_function for each member.
void check_elementwise_family(std::span<const FamilyMember> family);

}  // namespace catena::testing
