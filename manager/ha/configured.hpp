// What the configuration says of etcd and of the leadership.
#pragma once

#include <memory>

#include "config/settings.hpp"
#include "manager/ha/etcd_client.hpp"
#include "manager/ha/leader_lease.hpp"

namespace aliquot {

[[nodiscard]] ha::EtcdSettings etcd_settings(const HaSettings& settings);
// `busy`: see EtcdSettings.
[[nodiscard]] ha::LeaderLease::Parts leadership_parts(
    const Settings& settings, std::shared_ptr<const ha::BusyEndpoint> busy = nullptr);

}  // namespace aliquot
