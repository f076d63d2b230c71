#include "manager/systemd_notice.hpp"

#include <systemd/sd-daemon.h>

namespace aliquot {
namespace {

// A message that does not arrive cannot be mended here: without signs of life the service manager acts.
void notify(const std::string& message) { static_cast<void>(sd_notify(0, message.c_str())); }

}  // namespace

void tell_serving(const std::string& status) { notify("READY=1\nWATCHDOG=1\nSTATUS=" + status); }

void tell_stopping() { notify("STOPPING=1\nSTATUS=ending; its virtual machines run on"); }

}  // namespace aliquot
