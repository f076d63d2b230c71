#include "manager/hypervisor/agent/hosted/hosted_backends.hpp"
#include "manager/hypervisor/libvirt/libvirt_hypervisor.hpp"
#include "manager/hypervisor/local_saves.hpp"

namespace aliquot::agent {

OpenBackend libvirt_backend(HostOptions options) {
  return [options, calls = UnreturnedCalls::make()](
             const Hello& hello, BackendSinks sinks) -> Result<std::unique_ptr<NodeHypervisor>> {
    LibvirtSetup setup;
    setup.calls = calls;
    setup.hypervisor = options.hypervisor;
    setup.nodes.resize(hello.node.raw + 1);  // the others have no URI and are never connected
    setup.nodes[hello.node.raw].name = hello.name;
    setup.nodes[hello.node.raw].uri = options.libvirt_uri;
    setup.nodes[hello.node.raw].speed_ppm = hello.speed_ppm;
    setup.spool_dir = options.spool_dir;
    setup.cluster = hello.cluster;
    setup.epoch = hello.epoch;
    setup.max_output = hello.max_output;
    setup.space = SpoolSpace::make(options.spool_dir, options.reserve);
    setup.saves = options.saves;
    if (!options.saves.directory.empty()) {
      remove_outdated_saves(Spool(options.spool_dir, options.saves), hello.cluster);
      setup.save_space =
          SpoolSpace::make(options.saves.directory, options.reserve, SpoolSpace::Of::local_saves);
    }
    setup.calendar = hello.calendar;
    setup.on_survey = [surveys = sinks.surveys](NodeId, NodeSurvey survey) { surveys(std::move(survey)); };
    return std::make_unique<LibvirtHypervisor>(std::move(setup), std::move(sinks.events));
  };
}

}  // namespace aliquot::agent
