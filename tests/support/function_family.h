#pragma once

#include <span>
#include <string_view>

#include "catena/autograd/variable.h"
#include "catena/tests/testing/function_gradients.h"

// Functions of one variable that are tested together:
//
//   constexpr FamilyMember kFamily[] = {{"sin", sin}, {"cos", cos}};
//
//   class TrigonometricGolden : public FunctionGoldenTest {};
//   TEST_P(TrigonometricGolden, AgreesWithChainer) {
//     const FamilyMember& member = member_of(kFamily);
//     check_case([&](const Variables& in) { return member.function(in[0]); });
//   }
//   INSTANTIATE_TEST_SUITE_P(sin, TrigonometricGolden,
//                            every_device_and_case("functions/math/sin"),
//                            golden_device_name);
namespace catena::testing {

struct FamilyMember {
  std::string_view name;
  Variable (*function)(const Variable& x);
  // The domain for check_elementwise_function.
  UnaryDomain domain = {};
};

// The member named like the running test's instantiation. Throws when there is
// none.
const FamilyMember& member_of(std::span<const FamilyMember> family);

// Calls check_elementwise_function for each member.
void check_elementwise_family(std::span<const FamilyMember> family);

}  // namespace catena::testing
