// Two real libvirt nodes for tests, brought up once per test program by tools/localcluster and taken down
// at its end; and the libvirt backend over them. Where that cannot be had, it says why.
#pragma once

#include <memory>
#include <string>

#include "manager/hypervisor/libvirt/libvirt_hypervisor.hpp"
#include "test/integration/hypervisor_contract.hpp"

namespace aliquot {

class LocalNodes {
 public:
  // Up, or with a reason.
  static LocalNodes& instance();
  static void down();

  [[nodiscard]] const std::string& cannot_run() const { return cannot_run_; }
  // Emulated, two nodes, a spool of their own.
  [[nodiscard]] LibvirtSetup setup() const;
  [[nodiscard]] std::string spool() const;
  // Runs a command in node I (from 1); its exit status.
  int execute(int node, const std::string& command) const;
  int virsh(int node, const std::string& arguments) const;

 private:
  LocalNodes();
  int tool(const std::string& arguments) const;
  std::string state_;
  std::string cannot_run_;
};

// A backend for the contract: hash chains, recomputed on the host.
std::unique_ptr<BackendUnderTest> make_libvirt_backend();

// The last block number in a task's console; 0 if there is none.
std::int64_t last_block(const std::string& console);

}  // namespace aliquot
