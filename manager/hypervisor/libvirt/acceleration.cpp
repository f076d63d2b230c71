#include "manager/hypervisor/libvirt/acceleration.hpp"

#include <chrono>
#include <functional>
#include <thread>

#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/status_channel.hpp"

namespace aliquot {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLook{50};
constexpr std::size_t kReadAtMost = 64 << 10;

// A guest to boot, and the text whose appearance in its output proves that it runs.
struct Trial {
  std::string name;
  std::chrono::seconds patience;
  std::function<bool()> passed;
};

Result<void> run_trial(const Connection& node, const DomainSpec& spec, const Trial& trial) {
  const auto xml = domain_xml(spec);
  if (!xml) return tl::unexpected(xml.error());
  if (auto standing = find_domain(node, spec.uuid)) (void)destroy(node, *standing);
  for (const std::string& file : {spec.console, spec.status}) {
    if (auto removed = remove_file(file); !removed) return removed;
  }
  const auto not_booted = [&](const std::string& how) {
    return fail(
        ErrorKind::unsupported,
        "node " + node.node() + ": the " + trial.name + " did not boot under KVM: " + how +
            "; set hypervisor.acceleration to `auto` or `emulation`, or repair (nested) virtualisation");
  };
  const auto domain = create_paused(node, *xml);
  if (!domain) return not_booted(domain.error().message);
  if (auto resumed = resume(node, *domain); !resumed) return not_booted(resumed.error().message);
  const auto until = Clock::now() + trial.patience;
  bool passed = false;
  while (!(passed = trial.passed()) && Clock::now() < until) std::this_thread::sleep_for(kLook);
  (void)destroy(node, *domain);  // it may have powered off by itself
  if (passed) return {};
  return not_booted("nothing was heard of it within " + std::to_string(trial.patience.count()) + " s");
}

DomainSpec trial_spec(const Connection& node, const TaskDomainSettings& common, const std::string& which) {
  const std::string path = common.spool.probe(node.node()) + "." + which;
  DomainSpec spec;
  spec.uuid = vm_uuid({common.cluster, {0}, 0, 0, 0});
  spec.uuid = uuid_v5(spec.uuid, path);  // unique: clusters and nodes may probe at the same time
  spec.name = std::string(kProbeName) + to_string(spec.uuid).substr(0, 6);
  spec.acceleration = Acceleration::kvm;
  spec.memory = mebibytes(128);
  spec.cap = emulator_cap(common.cap_period);
  spec.emulator = spec.cap;
  spec.console = path + ".log";
  spec.status = path + ".status";
  return spec;
}

}  // namespace

Result<void> probe_kvm(const Connection& node, const TaskDomainSettings& common) {
  if (auto made = make_directories(common.spool.root() + "/probe"); !made) return made;
  DomainSpec chain = trial_spec(node, common, "chain");
  chain.kernel = common.guest.chain;
  chain.cmdline = "total=1 unit=1000";
  const auto chain_done = [&] {
    const auto said = read_tail(chain.console, kReadAtMost);
    return said && said->find("MICRO done") != std::string::npos;
  };
  if (auto ran = run_trial(node, chain, {"hash-chain guest", std::chrono::seconds(10), chain_done}); !ran) {
    return ran;
  }
  // The base initrd has no command; the message of its init that says so proves that Linux runs.
  DomainSpec linux = trial_spec(node, common, "linux");
  linux.kernel = common.guest.kernel;
  linux.initrd = common.guest.initrd;
  linux.cmdline = linux_cmdline(common.guest, {}, Memory{4096});
  const auto linux_done = [&] {
    const auto status = read_exit_status(linux.status);
    return status && status->has_value();
  };
  return run_trial(node, linux, {"Linux guest", std::chrono::seconds(20), linux_done});
}

Result<Acceleration> AccelerationChoice::get(const Connection& node) {
  auto choice = choose(node);
  if (!closed_) return choice;
  return fail(ErrorKind::unavailable, "the connection to node " + node.node() + " has been given up");
}

Result<Acceleration> AccelerationChoice::choose(const Connection& node) {
  if (setting_ == "emulation") return Acceleration::emulation;
  const std::lock_guard only_one(probing_);
  if (const auto before = known()) return *before;
  Result<Acceleration> found = Acceleration::kvm;
  std::string why;
  if (const auto probed = probe_kvm(node, *common_); !probed) {
    if (!node.alive())
      return tl::unexpected(probed.error());  // the connection broke: no statement about KVM
    why = probed.error().message;
    if (setting_ != "auto") found = tl::unexpected(probed.error());
    if (setting_ == "auto") found = Acceleration::emulation;
  }
  const std::lock_guard lock(mutex_);
  why_ = why;
  known_ = found;
  return found;
}

std::optional<Result<Acceleration>> AccelerationChoice::known() const {
  if (setting_ == "emulation") return Result<Acceleration>(Acceleration::emulation);
  const std::lock_guard lock(mutex_);
  return known_;
}

std::string AccelerationChoice::why() const {
  const std::lock_guard lock(mutex_);
  return why_;
}

}  // namespace aliquot
