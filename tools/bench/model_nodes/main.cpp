// Serves a manager with many nodes that do not exist: the real agents, each on a port of its own, in front
// of a model of machines and VMs in real time. For tools/bench/large_cluster.
//
//   aliquot-model-nodes DIRECTORY NODES CORES MEBIBYTES JOB_SECONDS
//
// Writes DIRECTORY/manager.keys (hypervisor.agent_keys) and, when all agents listen, DIRECTORY/nodes.yaml
// (`nodes` of a manager's configuration). Serves until SIGTERM; says then how many requests broke the
// rules.
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "manager/hypervisor/agent/stop_signals.hpp"
#include "tools/bench/model_nodes/model_site.hpp"

namespace aliquot::bench {
namespace {

// Each agent has a few dozen of its own.
void allow_many_descriptors() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

std::unique_ptr<agent::AgentServer> open_agent(ModelSite& site, const agent::KeyPair& own,
                                               const agent::Key& manager) {
  agent::AgentSetup setup;
  setup.endpoint = "tcp://127.0.0.1:*";
  setup.keys = own;
  setup.managers = {manager};
  setup.backend = "libvirt";
  setup.version = "model";
  return value_of(agent::AgentServer::open(std::move(setup), site.backend()));
}

void serve(const std::string& directory, const SiteSize& size) {
  allow_many_descriptors();
  const int stop = agent::stop_signals();  // never read, so that it stops all that wait for it
  const agent::KeyPair manager = value_of(agent::make_keys());
  const agent::KeyPair own = value_of(agent::make_keys());
  if (auto written = agent::write_keys(directory + "/manager.keys", manager); !written)
    throw std::runtime_error(written.error().message);
  ModelSite site(size);
  std::vector<std::unique_ptr<agent::AgentServer>> agents;
  std::ofstream yaml(directory + "/nodes.yaml.new");
  yaml << "nodes:\n";
  for (std::uint32_t n = 0; n < size.nodes; ++n) {
    agents.push_back(open_agent(site, own, manager.public_key));
    const std::string address = agents.back()->endpoint().substr(std::string("tcp://").size());
    yaml << "  - {name: n" << n + 1 << ", uri: 'agent://" << address << "', agent_key: '"
         << agent::to_text(own.public_key) << "', cores: " << size.cores
         << ", memory: " << (size.memory.raw >> 20) << "MiB, reserve: 0B}\n";
  }
  yaml.close();
  std::filesystem::rename(directory + "/nodes.yaml.new", directory + "/nodes.yaml");
  std::vector<std::thread> threads;
  for (const auto& one : agents) threads.emplace_back([&one, stop] { one->run(stop); });
  for (std::thread& thread : threads) thread.join();
  const auto [count, first] = site.violations();
  std::cout << count << " requests broke the rules" << (count == 0 ? "" : ": " + first) << '\n';
}

}  // namespace
}  // namespace aliquot::bench

int main(int argc, char** argv) {
  if (argc != 6) {
    std::cerr << "usage: aliquot-model-nodes DIRECTORY NODES CORES MEBIBYTES JOB_SECONDS\n";
    return 2;
  }
  const auto number = [argv](int k) {
    return static_cast<std::uint32_t>(std::strtoul(argv[k], nullptr, 10));
  };
  try {
    aliquot::bench::serve(
        argv[1], {number(2), number(3), aliquot::mebibytes(number(4)), aliquot::seconds(number(5))});
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << "aliquot-model-nodes: " << failure.what() << '\n';
    return 1;
  }
}
