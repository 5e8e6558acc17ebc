#include "catena/dataset/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "catena/array/core/error.h"
#include "catena/dataset/loaded_library.h"

namespace catena::dataset {
namespace {

// OpenSSL's functions that catena calls.
struct Crypto {
  decltype(&EVP_MD_CTX_new) new_context;
  decltype(&EVP_MD_CTX_free) free_context;
  decltype(&EVP_MD_CTX_copy_ex) copy_context;
  decltype(&EVP_sha256) sha256;
  decltype(&EVP_md5) md5;
  decltype(&EVP_DigestInit_ex) init;
  decltype(&EVP_DigestUpdate) update;
  decltype(&EVP_DigestFinal_ex) finish;
};

Crypto load() {
  const LoadedLibrary library("OpenSSL", "libcrypto.so.3");
  Crypto crypto{};
  library.find("EVP_MD_CTX_new", crypto.new_context);
  library.find("EVP_MD_CTX_free", crypto.free_context);
  library.find("EVP_MD_CTX_copy_ex", crypto.copy_context);
  library.find("EVP_sha256", crypto.sha256);
  library.find("EVP_md5", crypto.md5);
  library.find("EVP_DigestInit_ex", crypto.init);
  library.find("EVP_DigestUpdate", crypto.update);
  library.find("EVP_DigestFinal_ex", crypto.finish);
  return crypto;
}

// IoError: OpenSSL cannot be loaded; the next call tries again.
const Crypto& crypto() {
  static const Crypto crypto = load();
  return crypto;
}

// OpenSSL's functions give 1 where they succeed; SHA-256 fails for want of
// memory alone.
void check(int result) {
  if (result != 1) raise<Error>("sha256: OpenSSL failed");
}

std::string hexadecimal(std::span<const unsigned char> digest) {
  std::string text;
  for (const unsigned char byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const {
  crypto().free_context(context);
}

Sha256::Sha256() : context_(crypto().new_context()) {
  check(crypto().init(context_.get(), crypto().sha256(), nullptr));
}

Sha256::Sha256(const Sha256& other) : context_(crypto().new_context()) {
  check(crypto().copy_context(context_.get(), other.context_.get()));
}

Sha256& Sha256::operator=(const Sha256& other) { return *this = Sha256(other); }

void Sha256::update(std::span<const char> bytes) {
  check(crypto().update(context_.get(), bytes.data(), bytes.size()));
}

std::string Sha256::hex_digest() const {
  const Sha256 copy = *this;  // OpenSSL ends a hash that it tells
  std::array<unsigned char, 32> digest;
  check(crypto().finish(copy.context_.get(), digest.data(), nullptr));
  return hexadecimal(digest);
}

std::string sha256(std::span<const char> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex_digest();
}

std::string md5(std::span<const char> bytes) {
  const std::unique_ptr<evp_md_ctx_st, decltype(crypto().free_context)> context(
      crypto().new_context(), crypto().free_context);
  std::array<unsigned char, 16> digest;
  check(crypto().init(context.get(), crypto().md5(), nullptr));
  check(crypto().update(context.get(), bytes.data(), bytes.size()));
  check(crypto().finish(context.get(), digest.data(), nullptr));
  return hexadecimal(digest);
}

}  // namespace catena::dataset
