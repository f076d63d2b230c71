#include "test/integration/hypervisor_libvirt_nodes.hpp"

namespace aliquot {

INSTANTIATE_TEST_SUITE_P(Libvirt, HypervisorContract,
                         testing::Values(BackendFactory(make_libvirt_backend)));

}  // namespace aliquot
