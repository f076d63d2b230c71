#include "test/integration/hypervisor_libvirt_nodes.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "manager/hypervisor/spool.hpp"

namespace aliquot {
namespace {

constexpr std::uint32_t kUnit = 2'000'000;  // steps; some 10 ms of an emulated core
// Measured on the way to the first test: how many blocks an emulated core does in a second.
constexpr std::uint32_t kBlocksPerSecond = 100;

std::string guest_directory() {
  const char* given = std::getenv("ALIQUOT_GUEST_DIR");
  return given != nullptr ? given : ALIQUOT_TEST_GUEST_DIR;
}

bool on_path(const std::string& program) {
  for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"}) {
    if (std::filesystem::exists(folder + program)) return true;
  }
  return false;
}

std::string missing_part() {
  if (::geteuid() != 0) return "needs root, for namespaces and control groups";
  for (const char* program : {"libvirtd", "virsh", "qemu-system-x86_64", "ip", "unshare"}) {
    if (!on_path(program)) return std::string(program) + " is not installed";
  }
  if (!std::filesystem::exists(guest_directory() + "/hashchain.elf")) {
    return "no guests in " + guest_directory() + ": build the target `guest` first";
  }
  return {};
}

class LibvirtUnderTest final : public BackendUnderTest {
 public:
  [[nodiscard]] std::string cannot_run() const override { return LocalNodes::instance().cannot_run(); }
  std::unique_ptr<Hypervisor> start(Hypervisor::Sink sink) override {
    return std::make_unique<LibvirtHypervisor>(LocalNodes::instance().setup(), std::move(sink));
  }
  void let_pass(Duration span) override {
    std::this_thread::sleep_for(std::chrono::microseconds(span.raw));
  }
  [[nodiscard]] Submission endless() const override { return chain(0); }
  [[nodiscard]] Submission ending(Duration alone) const override {
    return chain(static_cast<std::uint32_t>(alone.raw / kMillion) * kBlocksPerSecond);
  }
  std::int64_t progress(Hypervisor&, JobId job, std::uint32_t task) override {
    return last_block(console(job, task));
  }
  [[nodiscard]] std::string fault(JobId job, std::uint32_t task) const override;
  [[nodiscard]] bool outlives_its_manager() const override { return true; }
  [[nodiscard]] double least_speedup() const override { return 2.5; }

 private:
  static std::string console(JobId job, std::uint32_t task) {
    return Spool(LocalNodes::instance().spool()).console(job, task);
  }
  static Submission chain(std::uint32_t blocks) {
    Submission submission;
    submission.demand.need = cores(1);
    submission.guest_memory = mebibytes(16);
    submission.program = HashChain{blocks, kUnit};
    return submission;
  }
};

// Recomputes the chain (docs/guest-contract.md) against every complete line.
std::string LibvirtUnderTest::fault(JobId job, std::uint32_t task) const {
  std::ifstream in(console(job, task));
  std::string line;
  std::uint32_t h = 2166136261U;
  std::uint32_t n = 0;
  while (std::getline(in, line) && !in.eof()) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.starts_with("MICRO n=")) continue;
    for (std::uint32_t i = 0; i < kUnit; ++i) h = (h ^ (i + n)) * 16777619U;
    ++n;
    char expected[64];
    std::snprintf(expected, sizeof expected, "MICRO n=%u h=%08x", n, h);
    if (line != expected) return "'" + line + "' stands where '" + expected + "' should";
  }
  return {};
}

class TakeDown : public testing::Environment {
 public:
  void TearDown() override { LocalNodes::down(); }
};
const auto* const kTakeDown = testing::AddGlobalTestEnvironment(new TakeDown);

bool brought_up = false;

}  // namespace

std::int64_t last_block(const std::string& console) {
  std::ifstream in(console);
  std::string line;
  std::int64_t last = 0;
  while (std::getline(in, line) && !in.eof()) {
    if (line.starts_with("MICRO n=")) last = std::atoll(line.c_str() + 8);
  }
  return last;
}

LocalNodes& LocalNodes::instance() {
  static LocalNodes nodes;
  return nodes;
}

LocalNodes::LocalNodes() : state_(ALIQUOT_TEST_CLUSTER_DIR), cannot_run_(missing_part()) {
  if (!cannot_run_.empty()) return;
  tool("down");
  brought_up = true;
  if (tool("up 2") != 0) cannot_run_ = "two local nodes cannot be had here: see " + state_ + ".log";
}

void LocalNodes::down() {
  if (brought_up) instance().tool("down");
}

int LocalNodes::tool(const std::string& arguments) const {
  const std::string command = "ALIQUOT_LOCALCLUSTER=" + state_ + " timeout 90 " + ALIQUOT_SOURCE_DIR +
                              "/tools/localcluster " + arguments + " >" + state_ + ".log 2>&1 </dev/null";
  return std::system(command.c_str());
}

int LocalNodes::execute(int node, const std::string& command) const {
  return tool("exec " + std::to_string(node) + " " + command);
}

int LocalNodes::virsh(int node, const std::string& arguments) const {
  return tool("virsh " + std::to_string(node) + " " + arguments);
}

std::string LocalNodes::spool() const { return state_ + "/spool"; }

LibvirtSetup LocalNodes::setup() const {
  LibvirtSetup setup;
  setup.hypervisor.acceleration = "emulation";
  setup.hypervisor.guest_dir = guest_directory();
  setup.spool_dir = spool();
  setup.cluster = "contract test";
  for (int i = 1; i <= 2; ++i) {
    NodeSettings node;
    node.name = "node" + std::to_string(i);
    node.uri = "qemu+unix:///system?socket=" + state_ + "/n" + std::to_string(i) + "/run/libvirt-sock";
    node.migrate_uri = "qemu+tcp://10.77.0." + std::to_string(10 + i) + "/system";
    setup.nodes.push_back(node);
  }
  return setup;
}

std::unique_ptr<BackendUnderTest> make_libvirt_backend() { return std::make_unique<LibvirtUnderTest>(); }

}  // namespace aliquot
