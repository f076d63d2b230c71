// The contract of the hypervisor port on two real Xen machines, over the wire of their agents: the
// manager's backend runs here, the agents in emulated dom0s that hypervisor_xen_agents.sh has brought up.
#include <fstream>
#include <stdexcept>

#include "manager/hypervisor/agent/agent_hypervisor.hpp"
#include "manager/hypervisor/agent/keys.hpp"
#include "test/integration/hypervisor_xen_guests.hpp"

namespace aliquot {
namespace {

std::string state() { return from_environment("ALIQUOT_LOCALCLUSTER", ""); }

// Two nodes of the local cluster, which shares one spool with them.
class XenAgentsUnderTest final : public XenUnderTest {
 public:
  XenAgentsUnderTest() : XenUnderTest(Spool(state() + "/spool")) {}
  [[nodiscard]] std::string cannot_run() const override {
    return state().empty() ? "no local cluster of Xen nodes: hypervisor_xen_agents.sh" : "";
  }
  std::unique_ptr<Hypervisor> start(Hypervisor::Sink sink) override {
    static std::uint64_t starts = 0;
    AgentHypervisorSetup setup;
    setup.keys = agent::read_keys(state() + "/manager.keys").value();
    setup.spool_dir = state() + "/spool";
    setup.cluster = "contract test";
    setup.epoch = ++starts;
    auto made = std::make_unique<AgentHypervisor>(std::move(setup), std::move(sink));
    for (std::uint32_t i = 0; i < nodes(); ++i) made->set_node({i}, settings(i), "");
    return made;
  }

 private:
  static std::string first_line(const std::string& file) {
    std::string line;
    std::getline(std::ifstream(file), line);
    return line;
  }
  static NodeSettings settings(std::uint32_t i) {
    const std::string directory = state() + "/n" + std::to_string(i + 1);
    NodeSettings node;
    node.name = "node" + std::to_string(i + 1);
    node.uri = "agent://127.0.0.1:" + first_line(directory + "/port");
    node.agent_key = first_line(directory + "/public");
    return node;
  }
};

std::unique_ptr<BackendUnderTest> xen_agents() { return std::make_unique<XenAgentsUnderTest>(); }

INSTANTIATE_TEST_SUITE_P(XenAgents, HypervisorContract, testing::Values(BackendFactory(xen_agents)));

}  // namespace
}  // namespace aliquot
