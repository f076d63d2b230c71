#include "manager/hypervisor/libvirt/task_domain.hpp"

#include "manager/hypervisor/disk_layer.hpp"
#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/job_description.hpp"
#include "manager/hypervisor/libvirt/saved_image.hpp"

namespace aliquot {
namespace {

TaskNumbers numbers_of(const JobSpec& spec, std::uint32_t task) {
  TaskNumbers numbers{spec.job, task, spec.tasks.size(), spec.tasks[task].units, 0, 0};
  for (std::uint32_t each = 0; each < spec.tasks.size(); ++each) {
    if (each < task) numbers.first_unit += spec.tasks[each].units;
    numbers.all_units += spec.tasks[each].units;
  }
  return numbers;
}

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

// A copy that is gone does not come back, so the error is a kind that ends the job.
Result<void> check_contents(const Spool& spool, const JobSpec& spec) {
  for (const std::string& content : contents_of(spec.submission->program))
    if (!file_exists(spool.content(content)))
      return fail(ErrorKind::refused, "job " + std::to_string(spec.job.raw) + ": the spool has lost " +
                                          spool.content(content) + "; submit it again");
  return {};
}

}  // namespace

// Each unit is charged one VM overhead, but the VM has only one QEMU: the guest gets the overhead of the
// other units.
Memory guest_memory(const Submission& submission, std::uint32_t units) {
  const Memory overhead = submission.demand.memory - submission.guest_memory;
  return submission.guest_memory * units + std::max(Memory{}, overhead) * (units - 1);
}

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
  auto devices = host_devices(spec, task);
  if (!devices) return tl::unexpected(devices.error());
  domain.host_devices = std::move(*devices);
  const auto boot = std::visit(Boot(common, spec, task, domain), spec.submission->program);
  if (!boot) return tl::unexpected(boot.error());
  return domain;
}

Result<void> prepare_files(const TaskDomainSettings& common, const JobSpec& spec, std::uint32_t task) {
  const Spool& spool = common.spool;
  if (auto there = check_contents(spool, spec); !there) return there;
  if (auto made = make_directories(spool.directory(spec.job)); !made) return made;
  const JobDescription description{common.cluster, spec.job, common.calendar.unix_us(spec.submitted),
                                   spec.submission};
  if (auto told = describe_job(spool, description); !told) return told;
  if (auto removed = remove_images(spool, spec.job, task); !removed) return removed;
  const std::string status = spool.status(spec.job, task, spec.tasks[task].incarnation);
  if (auto removed = remove_file(status); !removed) return removed;
  const std::string console = spool.console(spec.job, task);
  if (file_exists(console)) {
    if (auto kept = rename_file(console, console + ".previous"); !kept) return kept;
  }
  // Created by the manager, so that it may read them whatever user QEMU runs as.
  for (const std::string& file : {console, status}) {
    if (auto made = create_empty(file); !made) return made;
  }
  if (const auto* image = std::get_if<ImageBoot>(&spec.submission->program)) {
    return write_disk_layer(spool.overlay(spec.job, task), spool.content(image->image_sha256));
  }
  const auto* command = std::get_if<LinuxCommand>(&spec.submission->program);
  if (command == nullptr || file_exists(spool.initrd(spec.job))) return {};
  return compose_initrd(common.guest, spool, spec.job, *command);
}

}  // namespace aliquot
