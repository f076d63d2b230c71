// One of several managers of a cluster (docs/high-availability.md): stands by until it leads, then is the
// manager as it is without the others, whose store is shipped to etcd. A leader that loses its lease ends
// the process at once: another may act from that instant on.
#pragma once

#include "manager/assembly.hpp"

namespace aliquot {

// Of the process that has lost the leadership, or stepped down; systemd starts it again, as a standby.
inline constexpr int kExitLostLeadership = 3;

// As run_manager(). ErrorKind::not_leader: the leadership was lost.
[[nodiscard]] Result<void> run_highly_available(Settings settings, const Reread& reread, int signals);

// Whether etcd answers as configured: the version of each member or why it does not answer, for people; a
// line for each.
[[nodiscard]] Result<std::string> try_etcd(const Settings& settings);

}  // namespace aliquot
