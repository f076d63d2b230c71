// For a program that does without libvirt: aliquot-node-xen.
#include "manager/hypervisor/agent/hosted/hosted_backends.hpp"

namespace aliquot::agent {

OpenBackend libvirt_backend(HostOptions) { return nullptr; }

}  // namespace aliquot::agent
