// The key with which the VMs of one job know each other: every VM has it, as the key of the machine and of
// its user, so that ssh from one task to another asks nothing (docs/guest-contract.md).
#pragma once

#include <string>

#include "manager/hypervisor/spool.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// A new private key, ECDSA on P-256, as OpenSSH reads it (PEM).
[[nodiscard]] Result<std::string> new_ssh_key();

// The key of the job in the spool; made when the first task asks for it.
[[nodiscard]] Result<std::string> job_ssh_key(const Spool& spool, JobId job);

}  // namespace aliquot
