#include "catena/tests/support/function_family.h"

#include <gtest/gtest.h>

#include "catena/array/error.h"

namespace catena::testing {

const FamilyMember& member_of(std::span<const FamilyMember> family) {
  const std::string_view suite =
      ::testing::UnitTest::GetInstance()->current_test_suite()->name();
  const std::string_view name = suite.substr(0, suite.find('/'));
  for (const FamilyMember& member : family) {
    if (member.name == name) return member;
  }
  raise<ValueError>("member_of: the family has no member ", name);
}

void check_elementwise_family(std::span<const FamilyMember> family) {
  for (const FamilyMember& member : family) {
    SCOPED_TRACE(member.name);
    check_elementwise_function(member.function, member.domain);
  }
}

}  // namespace catena::testing
