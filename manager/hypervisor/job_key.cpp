#include "manager/hypervisor/job_key.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "manager/hypervisor/files.hpp"
#include "monitor/sha256.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kLargestKey = 4096;

template <class T, void (*Free)(T*)>
struct Freed {
  void operator()(T* object) const { Free(object); }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;
using MemoryBio = std::unique_ptr<BIO, Freed<BIO, BIO_free_all>>;

// Puts the key there, unless another task's is there first.
Result<void> offer(const std::string& key, const std::string& path) {
  const std::string own = path + "." + sha256_hex(key).substr(0, 16);
  auto written = write_atomically(own, [&](const Writer& out) { return out(key); });
  if (!written) return written;
  const bool there = ::link(own.c_str(), path.c_str()) == 0 || errno == EEXIST;
  const int reason = errno;
  if (auto removed = remove_file(own); !removed) return removed;
  if (there) return {};
  return fail(ErrorKind::unavailable, "cannot make " + path + ": " + std::strerror(reason) +
                                          "; check the spool (space, permissions, mounts)");
}

}  // namespace

Result<std::string> new_ssh_key() {
  const Key key(EVP_EC_gen("P-256"));
  const MemoryBio out(BIO_new(BIO_s_mem()));
  char* text = nullptr;
  if (!key || !out ||
      PEM_write_bio_PrivateKey_traditional(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
          1)
    return fail(ErrorKind::internal, "OpenSSL makes no key for the job");
  const long size = BIO_get_mem_data(out.get(), &text);
  return std::string(text, static_cast<std::size_t>(size));
}

Result<std::string> job_ssh_key(const Spool& spool, JobId job) {
  const std::string path = spool.ssh_key(job);
  if (!file_exists(path)) {
    const auto key = new_ssh_key();
    if (!key) return key;
    if (auto made = offer(*key, path); !made) return tl::unexpected<Error>(made.error());
  }
  return read_head(path, kLargestKey);
}

}  // namespace aliquot
