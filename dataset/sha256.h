#pragma once

#include <memory>
#include <span>
#include <string>

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace catena::dataset {

// Incremental SHA-256 (FIPS 180-4). OpenSSL is loaded for the first one, which
// throws IoError when that fails.
class Sha256 {
 public:
  Sha256();
  Sha256(const Sha256& other);
  Sha256& operator=(const Sha256& other);
  Sha256(Sha256&&) = default;
  Sha256& operator=(Sha256&&) = default;

  void update(std::span<const char> bytes);
  // The hash of all bytes so far, in lower-case hexadecimal.
  std::string hex_digest() const;

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

std::string sha256(std::span<const char> bytes);

// MD5 (RFC 1321), by which Chainer names its downloads. No protection against
// changes.
std::string md5(std::span<const char> bytes);

}  // namespace catena::dataset
