// Relays the connections of one VM to NFS servers. For each server there is a port of the node's end of the
// VM's interface; a connection there becomes one from a privileged port of the node to port 2049 of the
// server, as an ordinary mount of the node would make it.
//
// A server that cannot be reached is tried again each second for as long as the guest's connection stands,
// so a mount goes on when the server does. Ends when the network device is gone.
#pragma once

#include <string>
#include <vector>

#include "manager/hypervisor/descriptor.hpp"
#include "policies/model/error.hpp"
#include "tools/share/nfs_calls.hpp"

namespace aliquot::share {

struct Listener {
  Descriptor socket;
  std::string server;
};

// One listener for each server, in this order, at fe80::1 on the device and reachable through it only. The
// ports begin with kFirstSharePort.
[[nodiscard]] Result<std::vector<Listener>> listen_on(const std::string& device,
                                                      const std::vector<std::string>& servers);

// Returns when the device is gone. The faults of guests and servers go to the system's log.
void relay(const std::string& device, const std::vector<Listener>& listeners, const AuthSys& user);

}  // namespace aliquot::share
