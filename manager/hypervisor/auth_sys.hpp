// The ids of a user, as the user database of this machine has them now: what AUTH_SYS tells an NFS server.
#pragma once

#include "manager/hypervisor/share_access.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// The group of the user, and the first kMostGroups of the others that it belongs to. May wait for a
// directory service. Refused: this machine does not know the user.
[[nodiscard]] Result<AuthSys> auth_sys_of(std::uint32_t uid);

}  // namespace aliquot
