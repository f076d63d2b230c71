// What the manager and the agents tell the service manager that started them: systemd's notifications
// (sd_notify(3)). Where no service manager listens, nothing is told.
#pragma once

#include <string>

namespace aliquot {

// The program serves, and its loop turns: "ready" at the first call, and from then on a sign of life for
// the watchdog. `status` is one line for `systemctl status`.
void tell_serving(const std::string& status);

// It ends by itself; its VMs run on.
void tell_stopping();

}  // namespace aliquot
