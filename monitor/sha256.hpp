// SHA-256 (FIPS 180-4), by OpenSSL: identifies archives, repeated requests, lines of the audit log, and the
// input of a simulation. Not for secrets.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace aliquot {

// One digest, of bytes that come in pieces.
class Sha256 {
 public:
  Sha256();
  void update(const unsigned char* bytes, std::size_t count);
  // The digest in hexadecimal; ends the computation.
  [[nodiscard]] std::string finish();

 private:
  struct Release {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Release> context_;
};

// Of bytes in memory, in hexadecimal.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace aliquot
