#include "catena/array/core/shared_object.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::testing::StartsWith;

// The bytes of the C library's part for mathematics.
std::string bytes_of_libm() {
  void* const there = ::dlopen("libm.so.6", RTLD_NOW);
  Dl_info info{};
  if (there == nullptr || ::dladdr(::dlsym(there, "cbrt"), &info) == 0) {
    return "";
  }
  std::ostringstream bytes;
  bytes << std::ifstream(info.dli_fname, std::ios::binary).rdbuf();
  return bytes.str();
}

TEST(SharedObjectTest, ItsFunctionsCanBeCalled) {
  void* const library =
      load_shared_object("roots", bytes_of_libm(), RTLD_NOW | RTLD_LOCAL);
  auto* const cbrt =
      reinterpret_cast<double (*)(double)>(::dlsym(library, "cbrt"));
  ASSERT_NE(cbrt, nullptr);
  EXPECT_DOUBLE_EQ(cbrt(27), 3);
}

TEST(SharedObjectTest, EachCallLoadsOneMore) {
  const std::string bytes = bytes_of_libm();
  EXPECT_NE(load_shared_object("one", bytes, RTLD_NOW | RTLD_LOCAL),
            load_shared_object("two", bytes, RTLD_NOW | RTLD_LOCAL));
}

TEST(SharedObjectTest, WhatIsNoCodeThrowsWithTheName) {
  EXPECT_THAT(::catena::testing::error_of<IoError>(
                  [] { load_shared_object("my_kernel", "no code", RTLD_NOW); }),
              StartsWith("my_kernel: cannot load"));
}

}  // namespace
}  // namespace catena
