// What the tests of Xen guests share: the hash chain as a Linux program (hypervisor_libxl_chain.c, which
// the guests' initrd has at /bin/chain), and what its output proves.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "manager/hypervisor/spool.hpp"
#include "test/integration/hypervisor_contract.hpp"
#include "tools/guest/chain.hpp"

namespace aliquot {

inline std::string from_environment(const char* name, const char* otherwise) {
  const char* given = std::getenv(name);
  return given != nullptr ? given : otherwise;
}

inline std::string text_of(const std::string& path) {
  std::stringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

inline Submission command(std::vector<std::string> argv) {
  Submission submission;
  submission.demand.need = cores(1);
  submission.guest_memory = mebibytes(96);
  submission.program = LinuxCommand{std::move(argv), ""};
  return submission;
}

// A backend whose nodes are emulated Xen machines that share this spool.
class XenUnderTest : public BackendUnderTest {
 public:
  static constexpr std::uint32_t kSteps = 1'000'000;

  // A block of the chains is so many steps.
  explicit XenUnderTest(Spool spool, std::uint32_t steps = kSteps)
      : spool_(std::move(spool)), steps_(steps) {}
  void let_pass(Duration span) override {
    std::this_thread::sleep_for(std::chrono::microseconds(span.raw));
  }
  [[nodiscard]] Submission endless() const override { return chain(0); }
  [[nodiscard]] Submission ending(Duration alone) const override {
    return chain(static_cast<std::uint32_t>(alone.raw / kMillion) * kStepsPerSecond / steps_);
  }
  std::int64_t progress(Hypervisor&, JobId job, std::uint32_t task) override {
    return last_block(text_of(spool_.console(job, task)));
  }
  // A line that the VM's end has cut short is no fault.
  [[nodiscard]] std::string fault(JobId job, std::uint32_t task) const override {
    std::string console = text_of(spool_.console(job, task));
    console.erase(console.rfind('\n') + 1);
    const auto last = static_cast<std::uint32_t>(last_block(console));
    const ChainAudit audit = audit_chain(console, {last, steps_});
    if (audit.recomputed == last && audit.lost + audit.repeated + audit.wrong == 0) return {};
    return "of " + std::to_string(last) + " blocks, " + std::to_string(audit.lost) + " are lost, " +
           std::to_string(audit.repeated) + " repeated, " + std::to_string(audit.wrong) + " wrong";
  }
  [[nodiscard]] bool outlives_its_manager() const override { return true; }
  // Of processors that are emulated.
  [[nodiscard]] int slowness() const override { return 5; }
  [[nodiscard]] double least_speedup() const override { return 2.5; }

 private:
  // At least so many does an emulated core of an emulated machine do in a second.
  static constexpr std::uint32_t kStepsPerSecond = 20'000'000;

  [[nodiscard]] Submission chain(std::uint32_t blocks) const {
    return command({"/bin/chain", std::to_string(blocks), std::to_string(steps_)});
  }
  // The number in the last complete line of a chain; 0 if there is none.
  static std::int64_t last_block(const std::string& console) {
    std::istringstream in(console);
    std::string line;
    std::int64_t last = 0;
    while (std::getline(in, line) && !in.eof())
      if (line.starts_with("MICRO n=")) last = std::atoll(line.c_str() + 8);
    return last;
  }

  const Spool spool_;
  const std::uint32_t steps_;
};

}  // namespace aliquot
