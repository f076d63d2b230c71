// The contract of the hypervisor port over the wire of the agents: on two real libvirt nodes, each with an
// agent of its own, and a manager's backend that reaches them through these.
#include <sys/eventfd.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "manager/hypervisor/agent/agent_hypervisor.hpp"
#include "manager/hypervisor/agent/agent_server.hpp"
#include "manager/hypervisor/agent/hosted/hosted_backends.hpp"
#include "test/integration/hypervisor_agents.hpp"
#include "test/integration/hypervisor_libvirt_nodes.hpp"

namespace aliquot {
namespace {

using agent::AgentServer;
using agent::AgentSetup;

// An agent on a thread of this program.
class RunningAgent {
 public:
  RunningAgent(AgentSetup setup, agent::OpenBackend open_backend) : stop_(::eventfd(0, EFD_CLOEXEC)) {
    auto opened = AgentServer::open(std::move(setup), std::move(open_backend));
    if (!opened) throw std::runtime_error(opened.error().message);
    server_ = std::move(*opened);
    thread_ = std::thread([this] { server_->run(stop_); });
  }
  ~RunningAgent() {
    ::eventfd_write(stop_, 1);
    thread_.join();
    ::close(stop_);
  }
  RunningAgent(const RunningAgent&) = delete;
  RunningAgent& operator=(const RunningAgent&) = delete;
  [[nodiscard]] const std::string& endpoint() const { return server_->endpoint(); }

 private:
  int stop_;
  std::unique_ptr<AgentServer> server_;
  std::thread thread_;
};

agent::KeyPair fresh_keys() { return agent::make_keys().value(); }

// Everything but the way to the nodes is the libvirt backend's.
class AgentsUnderTest final : public BackendUnderTest {
 public:
  [[nodiscard]] std::string cannot_run() const override { return libvirt_->cannot_run(); }
  std::unique_ptr<Hypervisor> start(Hypervisor::Sink sink) override {
    const LibvirtSetup nodes = LocalNodes::instance().setup();
    AgentHypervisorSetup setup;
    setup.keys = manager_;
    setup.hypervisor = nodes.hypervisor;
    setup.spool_dir = nodes.spool_dir;
    setup.cluster = "contract";
    auto made = std::make_unique<AgentHypervisor>(std::move(setup), std::move(sink));
    for (std::uint32_t i = 0; i < nodes.nodes.size(); ++i) {
      const agent::KeyPair keys = fresh_keys();
      agents_.push_back(serve(nodes, i, keys));
      NodeSettings node;
      node.name = nodes.nodes[i].name;
      node.uri = "agent://" + agents_.back()->endpoint().substr(std::string("tcp://").size());
      node.agent_key = agent::to_text(keys.public_key);
      made->set_node({i}, node, "");
    }
    return made;
  }
  void let_pass(Duration span) override { libvirt_->let_pass(span); }
  [[nodiscard]] Submission endless() const override { return libvirt_->endless(); }
  [[nodiscard]] Submission ending(Duration alone) const override { return libvirt_->ending(alone); }
  std::int64_t progress(Hypervisor& hypervisor, JobId job, std::uint32_t task) override {
    return libvirt_->progress(hypervisor, job, task);
  }
  [[nodiscard]] std::string fault(JobId job, std::uint32_t task) const override {
    return libvirt_->fault(job, task);
  }
  [[nodiscard]] bool outlives_its_manager() const override { return true; }
  [[nodiscard]] double least_speedup() const override { return libvirt_->least_speedup(); }

 private:
  std::unique_ptr<RunningAgent> serve(const LibvirtSetup& nodes, std::uint32_t i,
                                      const agent::KeyPair& keys) {
    agent::HostOptions options;
    options.hypervisor = nodes.hypervisor;
    options.spool_dir = nodes.spool_dir;
    options.reserve = {0};
    options.libvirt_uri = nodes.nodes[i].uri;
    AgentSetup setup;
    setup.endpoint = "tcp://127.0.0.1:*";
    setup.keys = keys;
    setup.managers = {manager_.public_key};
    setup.backend = "libvirt";
    setup.version = "test";
    return std::make_unique<RunningAgent>(std::move(setup), libvirt_backend(std::move(options)));
  }

  const std::unique_ptr<BackendUnderTest> libvirt_ = make_libvirt_backend();
  const agent::KeyPair manager_ = fresh_keys();
  std::vector<std::unique_ptr<RunningAgent>> agents_;
};

INSTANTIATE_TEST_SUITE_P(Agents, HypervisorContract, testing::Values(BackendFactory(make_agents_backend)));

}  // namespace

std::unique_ptr<BackendUnderTest> make_agents_backend() { return std::make_unique<AgentsUnderTest>(); }

}  // namespace aliquot
