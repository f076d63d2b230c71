#include "manager/hypervisor/libxl/task_config.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "manager/hypervisor/libxl/xen_domain.hpp"

namespace aliquot {
namespace {

// libxl frees its strings with free().
char* owned_by_libxl(const std::string& text) { return ::strdup(text.c_str()); }

struct KernelFiles {
  std::string kernel;
  std::string initrd;  // may be empty
  std::string cmdline;
};

class Boot {
 public:
  Boot(const TaskFileSettings& files, Memory max_output, const JobSpec& spec, std::uint32_t task,
       XenGuests guests)
      : files_(files), max_output_(max_output), spec_(spec), task_(task), guests_(guests) {}

  Result<KernelFiles> operator()(const LinuxCommand&) const {
    // The last console= is the one that counts.
    return KernelFiles{
        files_.guest.kernel, files_.spool.initrd(spec_.job),
        linux_cmdline(files_.guest, numbers_of(spec_, task_), max_output_) + " console=hvc0"};
  }
  Result<KernelFiles> operator()(const KernelBoot& boot) const {
    if (boot.kernel_sha256.empty() || (!boot.initrd.empty() && boot.initrd_sha256.empty()))
      return fail(ErrorKind::refused, job() + ": the spool has no copy of its kernel; submit it again");
    return KernelFiles{files_.spool.content(boot.kernel_sha256),
                       boot.initrd.empty() ? "" : files_.spool.content(boot.initrd_sha256), boot.cmdline};
  }
  Result<KernelFiles> operator()(const HashChain& chain) const {
    if (guests_ != XenGuests::pvh)
      return fail(ErrorKind::unsupported,
                  job() + ": the hash-chain guest runs on Xen nodes whose agent has --guests pvh, not " +
                      "here; submit it without --hypervisor xen");
    return KernelFiles{files_.guest.chain, "",
                       "total=" + std::to_string(chain.blocks) + " unit=" + std::to_string(chain.unit)};
  }
  Result<KernelFiles> operator()(const ImageBoot&) const {
    return not_run("disks are not attached under Xen yet");
  }
  Result<KernelFiles> operator()(const ModelWork&) const {
    return not_run("model work runs on the model hypervisor only");
  }

 private:
  [[nodiscard]] std::string job() const { return "job " + std::to_string(spec_.job.raw); }
  [[nodiscard]] tl::unexpected<Error> not_run(const std::string& why) const {
    return fail(ErrorKind::unsupported, job() + ": " + why + "; submit a command");
  }

  const TaskFileSettings& files_;
  const Memory max_output_;
  const JobSpec& spec_;
  const std::uint32_t task_;
  const XenGuests guests_;
};

// Key and value by turns, with a null at the end, as libxl has it.
libxl_key_value_list pair(const char* key, const std::string& value) {
  auto* const list = static_cast<libxl_key_value_list>(std::calloc(3, sizeof(char*)));
  list[0] = owned_by_libxl(key);
  list[1] = owned_by_libxl(value);
  return list;
}

}  // namespace

Result<TaskConfig> task_config(libxl_ctx* context, const TaskFileSettings& files, Memory max_output,
                               const JobSpec& spec, std::uint32_t task, const VmIdentity& identity,
                               XenGuests guests) {
  if (!spec.places_of(task).empty())
    return fail(ErrorKind::unsupported,
                "job " + std::to_string(spec.job.raw) + ": devices are not passed through under Xen yet");
  const auto boot = std::visit(Boot(files, max_output, spec, task, guests), spec.submission->program);
  if (!boot) return tl::unexpected(boot.error());
  TaskConfig config(new libxl_domain_config);
  libxl_domain_config_init(config.get());
  libxl_domain_create_info& create = config->c_info;
  create.type = guests == XenGuests::pvh ? LIBXL_DOMAIN_TYPE_PVH : LIBXL_DOMAIN_TYPE_PV;
  create.name = owned_by_libxl(vm_name(identity));
  create.xsdata = pair(kIdentityKey, metadata_element(identity));
  const Uuid uuid = vm_uuid(identity);
  std::copy(uuid.begin(), uuid.end(), libxl_uuid_bytearray(&create.uuid));

  libxl_domain_build_info& build = config->b_info;
  const std::uint32_t units = spec.tasks[task].units;
  libxl_domain_build_info_init_type(&build, create.type);
  build.max_vcpus = static_cast<int>(vcpus_of(*spec.submission) * units);
  libxl_cpu_bitmap_alloc(context, &build.avail_vcpus, build.max_vcpus);
  libxl_bitmap_set_any(&build.avail_vcpus);
  build.max_memkb = static_cast<std::uint64_t>(guest_memory(*spec.submission, units).raw >> 10);
  build.target_memkb = build.max_memkb;
  build.kernel = owned_by_libxl(boot->kernel);
  if (!boot->initrd.empty()) build.ramdisk = owned_by_libxl(boot->initrd);
  build.cmdline = owned_by_libxl(boot->cmdline);
  return config;
}

}  // namespace aliquot
