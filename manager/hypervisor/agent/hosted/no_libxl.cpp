// For a machine without libxen-dev.
#include "manager/hypervisor/agent/hosted/hosted_backends.hpp"

namespace aliquot::agent {

OpenBackend libxl_backend(HostOptions) { return nullptr; }

}  // namespace aliquot::agent
