#include "manager/hypervisor/libvirt/task_domain.hpp"

#include "manager/hypervisor/auth_sys.hpp"
#include "manager/hypervisor/task_list.hpp"
#include "manager/hypervisor/vm_shares.hpp"

namespace aliquot {
namespace {

// Fills in what the VM boots. The only place that knows every kind of program.
class Boot {
 public:
  Boot(const TaskDomainSettings& common, const JobSpec& spec, std::uint32_t task, DomainSpec& out)
      : common_(common), spec_(spec), task_(task), out_(out) {}

  Result<void> operator()(const ModelWork&) const {
    return fail(ErrorKind::unsupported,
                "job " + std::to_string(spec_.job.raw) +
                    ": model work runs on the model hypervisor only; submit a command");
  }
  Result<void> operator()(const LinuxCommand&) const {
    out_.kernel = common_.guest.kernel;
    out_.initrd = common_.spool.initrd(spec_.job);
    out_.cmdline = linux_cmdline(common_.guest, numbers_of(spec_, task_), common_.max_output.get());
    return {};
  }
  Result<void> operator()(const HashChain& chain) const {
    out_.kernel = common_.guest.chain;
    out_.cmdline = "total=" + std::to_string(chain.blocks) + " unit=" + std::to_string(chain.unit);
    return {};
  }
  Result<void> operator()(const KernelBoot& boot) const {
    if (boot.kernel_sha256.empty() || (!boot.initrd.empty() && boot.initrd_sha256.empty()))
      return not_taken(boot.kernel);
    out_.kernel = common_.spool.content(boot.kernel_sha256);
    if (!boot.initrd.empty()) out_.initrd = common_.spool.content(boot.initrd_sha256);
    out_.cmdline = boot.cmdline;
    return {};
  }
  Result<void> operator()(const ImageBoot& boot) const {
    if (boot.image_sha256.empty()) return not_taken(boot.image);
    out_.disk = common_.spool.overlay(spec_.job, task_);
    if (!boot.argv.empty()) out_.seed = common_.spool.seed(spec_.job, task_);
    if (!boot.archive_sha256.empty()) out_.inputs = common_.spool.content(boot.archive_sha256);
    if (boot.uefi) out_.nvram = common_.spool.nvram(spec_.job, task_);
    return {};
  }

 private:
  // Only a job of an earlier version.
  [[nodiscard]] Result<void> not_taken(const std::string& path) const {
    return fail(ErrorKind::refused, "job " + std::to_string(spec_.job.raw) +
                                        " was submitted before the manager kept copies of files such as " +
                                        path + "; submit it again");
  }

  const TaskDomainSettings& common_;
  const JobSpec& spec_;
  std::uint32_t task_;
  DomainSpec& out_;
};

// The hardware of the device slots that the VM holds; stand-in devices have none.
Result<std::vector<std::string>> host_devices(const JobSpec& spec, std::uint32_t task) {
  const std::string job = "job " + std::to_string(spec.job.raw);
  for (const std::string& place : spec.places_of(task)) {
    if (place.starts_with(kGone))
      return fail(ErrorKind::refused, job + ": its node has the device " + place.substr(kGone.size()) +
                                          " no longer; see `aliquot node probe`");
    if (spec.submission->demand.devices.parts < kWholeDevice)
      return fail(ErrorKind::unsupported, job + ": a slice of " + place +
                                              " cannot be passed through; make mediated devices of it, and "
                                              "let jobs ask for them as a model of their own");
  }
  return spec.places_of(task);
}

// The user's groups are those of now: a job that waits for a day does not keep old ones.
Result<void> add_shares(const JobSpec& spec, std::uint32_t task, DomainSpec& domain) {
  const auto& shares = spec.submission->shares;
  if (shares.empty()) return {};
  const auto user = auth_sys_of(spec.submission->uid);
  if (!user) return tl::unexpected<Error>(user.error());
  domain.share_interface = share_interface_of(spec.job, task);
  domain.shares = shares_element(spec.job, *domain.share_interface, *user, shares);
  return {};
}

}  // namespace

VmIdentity identity_of(const TaskDomainSettings& common, const JobSpec& spec, std::uint32_t task) {
  return {common.cluster, spec.job, task, spec.tasks[task].incarnation, common.epoch};
}

Result<DomainSpec> task_domain(const TaskDomainSettings& common, const JobSpec& spec, std::uint32_t task,
                               Yield yield, std::int64_t speed_ppm, Acceleration acceleration) {
  const VmIdentity identity = identity_of(common, spec, task);
  const std::uint32_t units = spec.tasks[task].units;
  const Cpu need = spec.submission->demand.need * units;
  DomainSpec domain;
  domain.name = vm_name(identity);
  domain.uuid = vm_uuid(identity);
  domain.metadata = metadata_element(identity);
  domain.acceleration = acceleration;
  domain.memory = guest_memory(*spec.submission, units);
  domain.vcpus = vcpus_of(spec.submission) * units;
  const auto cap = cpu_cap(need, yield, speed_ppm, domain.vcpus, common.cap_period);
  if (!cap) return tl::unexpected(cap.error());
  domain.cap = *cap;
  domain.emulator = emulator_cap(common.cap_period);
  domain.console = common.spool.console(spec.job, task);
  domain.status = common.spool.status(spec.job, task, identity.incarnation);
  domain.terminal = domain.balloon = !std::holds_alternative<HashChain>(spec.submission->program);
  if (spec.submission->network) {
    domain.interface = interface_of(spec.job, task, *spec.submission->network);
    domain.network = network_element(spec.job, *domain.interface, spec.node_addresses);
    if (has_task_list(*spec.submission)) domain.task_list = common.spool.task_list(spec.job);
  }
  if (auto added = add_shares(spec, task, domain); !added) return tl::unexpected(added.error());
  if (!spec.submission->data.stage_out.empty()) domain.results = common.spool.results(spec.job, task);
  auto devices = host_devices(spec, task);
  if (!devices) return tl::unexpected(devices.error());
  domain.host_devices = std::move(*devices);
  const auto boot = std::visit(Boot(common, spec, task, domain), spec.submission->program);
  if (!boot) return tl::unexpected(boot.error());
  return domain;
}

Result<void> prepare_files(const TaskDomainSettings& common, const JobSpec& spec, std::uint32_t task) {
  return prepare_task_files({common.cluster, common.spool, common.guest, common.calendar}, spec, task);
}

}  // namespace aliquot
