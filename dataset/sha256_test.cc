#include "catena/dataset/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace catena::dataset {
namespace {

// The examples of FIPS 180-2, appendix B.
TEST(Sha256Test, AgreesWithTheStandardsExamples) {
  EXPECT_EQ(sha256(std::string("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(std::string(
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(sha256({}),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256Test, DoesNotDependOnThePieces) {
  const std::string text(300, 'x');
  for (size_t piece = 1; piece < 140; piece += 7) {
    Sha256 hash;
    for (size_t i = 0; i < text.size(); i += piece) {
      const std::string part = text.substr(i, piece);
      hash.update(part);
    }
    EXPECT_EQ(hash.hex_digest(), sha256(text)) << piece;
  }
}

}  // namespace
}  // namespace catena::dataset
