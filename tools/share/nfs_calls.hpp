// The byte stream from a guest to an NFS server, with the credentials of one user put into every call.
//
// The root of a guest belongs to its user, so what the guest says of user and group ids is not believed:
// the credential of each remote procedure call (RFC 5531) is replaced by AUTH_SYS with the ids that the
// manager has found. Calls of another program than NFS version 4.1, and those that are authenticated in
// another way, are an error, after which the connection has to be closed. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "manager/hypervisor/share_access.hpp"
#include "policies/model/error.hpp"

namespace aliquot::share {

// The largest write of an NFS client of Linux 6.1, and what stands around it.
inline constexpr std::size_t kLargestRecord = (std::size_t{1} << 20) + (std::size_t{64} << 10);

class NfsCalls {
 public:
  explicit NfsCalls(AuthSys user);

  // Appends to `out` the records that these bytes complete: calls with the user's credential, and replies
  // of the guest to calls of the server (its back channel) as they are; each as one fragment. At most
  // kLargestRecord bytes are kept until then.
  Result<void> take(std::string_view bytes, std::string& out);

 private:
  Result<void> take_mark(std::string& out);
  Result<void> finish_record(std::string& out);

  const std::string credential_;  // and verifier, encoded
  std::string mark_;              // bytes of the mark of the next fragment
  std::string record_;            // of which not all fragments are there
  std::size_t fragment_left_ = 0;
  bool is_last_ = false;
  bool in_fragment_ = false;
};

}  // namespace aliquot::share
