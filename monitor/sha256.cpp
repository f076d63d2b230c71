#include "monitor/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <initializer_list>
#include <new>
#include <stdexcept>

namespace aliquot {
namespace {

// OpenSSL refuses only where its own configuration has no SHA-256.
void require(int is_done) {
  if (is_done != 1) throw std::runtime_error("OpenSSL computes no SHA-256 here");
}

}  // namespace

void Sha256::Release::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  if (!context_) throw std::bad_alloc();
  require(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

void Sha256::update(const unsigned char* bytes, std::size_t count) {
  require(EVP_DigestUpdate(context_.get(), bytes, count));
}

std::string Sha256::finish() {
  std::array<unsigned char, 32> digest{};
  require(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr));
  std::string hex;
  for (const unsigned char byte : digest)
    for (const int shift : {4, 0}) hex += "0123456789abcdef"[byte >> shift & 15];
  return hex;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 sum;
  sum.update(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  return sum.finish();
}

}  // namespace aliquot
