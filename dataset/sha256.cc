#include "catena/dataset/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "catena/array/error.h"

namespace catena::dataset {
namespace {

// OpenSSL's functions give 1 where they succeed; SHA-256 fails for want of
// memory alone.
void check(int result) {
  if (result != 1) raise<Error>("sha256: OpenSSL failed");
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const {
  EVP_MD_CTX_free(context);
}

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  check(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

Sha256::Sha256(const Sha256& other) : context_(EVP_MD_CTX_new()) {
  check(EVP_MD_CTX_copy_ex(context_.get(), other.context_.get()));
}

Sha256& Sha256::operator=(const Sha256& other) { return *this = Sha256(other); }

void Sha256::update(std::span<const char> bytes) {
  check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
}

std::string Sha256::hex_digest() const {
  const Sha256 copy = *this;  // OpenSSL ends a hash that it tells
  std::array<unsigned char, 32> digest;
  check(EVP_DigestFinal_ex(copy.context_.get(), digest.data(), nullptr));
  std::string text;
  for (const unsigned char byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string sha256(std::span<const char> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex_digest();
}

}  // namespace catena::dataset
