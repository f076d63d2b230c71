#include "manager/hypervisor/agent/hosted/hosted_backends.hpp"
#include "manager/hypervisor/libxl/libxl_hypervisor.hpp"

namespace aliquot::agent {

OpenBackend libxl_backend(HostOptions options) {
  return [options](const Hello& hello, BackendSinks sinks) -> Result<std::unique_ptr<NodeHypervisor>> {
    LibxlSetup setup;
    setup.node = hello.node;
    setup.speed_ppm = hello.speed_ppm;
    setup.guests = options.xen_guests;
    setup.guest_dir = options.hypervisor.guest_dir;
    setup.spool_dir = options.spool_dir;
    setup.cluster = hello.cluster;
    setup.epoch = hello.epoch;
    setup.max_output = hello.max_output;
    setup.console_log_dir = options.console_log_dir;
    setup.deadline = options.hypervisor.long_deadline;
    setup.space = SpoolSpace::make(options.spool_dir, options.reserve);
    setup.calendar = hello.calendar;
    setup.on_survey = std::move(sinks.surveys);
    auto opened = LibxlHypervisor::open(std::move(setup), std::move(sinks.events));
    if (!opened) return tl::unexpected(opened.error());
    return std::unique_ptr<NodeHypervisor>(std::move(*opened));
  };
}

}  // namespace aliquot::agent
