#include "catena/tests/support/function_family.h"

#include <gtest/gtest.h>

namespace catena::testing {

void check_elementwise_family(std::span<const FamilyMember> family) {
  for (const FamilyMember& member : family) {
    SCOPED_TRACE(member.name);
    check_elementwise_function(member.function, member.domain);
  }
}

}  // namespace catena::testing
