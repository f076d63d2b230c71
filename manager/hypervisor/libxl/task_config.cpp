#include "manager/hypervisor/libxl/task_config.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "manager/hypervisor/libxl/device_model.hpp"
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

// Files of the spool.
struct DiskFiles {
  std::string disk;
  std::string seed;    // may be empty
  std::string inputs;  // may be empty
  std::string console;
  std::string status;
};

using BootFiles = std::variant<KernelFiles, DiskFiles>;

class Boot {
 public:
  Boot(const TaskFileSettings& files, Memory max_output, const JobSpec& spec, std::uint32_t task,
       XenGuests guests)
      : files_(files), max_output_(max_output), spec_(spec), task_(task), guests_(guests) {}

  Result<BootFiles> operator()(const LinuxCommand&) const {
    // The last console= is the one that counts.
    return KernelFiles{
        files_.guest.kernel, files_.spool.initrd(spec_.job),
        linux_cmdline(files_.guest, numbers_of(spec_, task_), max_output_) + " console=hvc0"};
  }
  Result<BootFiles> operator()(const KernelBoot& boot) const {
    if (boot.kernel_sha256.empty() || (!boot.initrd.empty() && boot.initrd_sha256.empty()))
      return not_copied("kernel");
    return KernelFiles{files_.spool.content(boot.kernel_sha256),
                       boot.initrd.empty() ? "" : files_.spool.content(boot.initrd_sha256), boot.cmdline};
  }
  Result<BootFiles> operator()(const HashChain& chain) const {
    if (guests_ != XenGuests::pvh)
      return fail(ErrorKind::unsupported,
                  job() + ": the hash-chain guest runs on Xen nodes whose agent has --guests pvh, not " +
                      "here; submit it without --hypervisor xen");
    return KernelFiles{files_.guest.chain, "",
                       "total=" + std::to_string(chain.blocks) + " unit=" + std::to_string(chain.unit)};
  }
  Result<BootFiles> operator()(const ImageBoot& boot) const {
    const Spool& spool = files_.spool;
    if (boot.image_sha256.empty()) return not_copied("image");
    // libxl takes the path into a list of options as it is.
    if (spool.root().find(',') != std::string::npos)
      return fail(ErrorKind::unsupported,
                  job() + ": disks are not attached under Xen where the spool's path, " + spool.root() +
                      ", has a comma");
    return DiskFiles{spool.overlay(spec_.job, task_), boot.argv.empty() ? "" : spool.seed(spec_.job, task_),
                     boot.archive_sha256.empty() ? "" : spool.content(boot.archive_sha256),
                     spool.console(spec_.job, task_),
                     spool.status(spec_.job, task_, spec_.tasks[task_].incarnation)};
  }
  Result<BootFiles> operator()(const ModelWork&) const {
    return not_run("model work runs on the model hypervisor only");
  }

 private:
  [[nodiscard]] tl::unexpected<Error> not_copied(const std::string& what) const {
    return fail(ErrorKind::refused, job() + ": the spool has no copy of its " + what + "; submit it again");
  }
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

// With a null at the end, as libxl has it. Keys and values stand in such a list by turns.
char** list_of(std::initializer_list<std::string> texts) {
  auto** const list = static_cast<char**>(std::calloc(texts.size() + 1, sizeof(char*)));
  std::ranges::transform(texts, list, owned_by_libxl);
  return list;
}

libxl_domain_type type_of(XenGuests guests) {
  switch (guests) {
    case XenGuests::pv:
      return LIBXL_DOMAIN_TYPE_PV;
    case XenGuests::pvh:
      return LIBXL_DOMAIN_TYPE_PVH;
    case XenGuests::hvm:
      return LIBXL_DOMAIN_TYPE_HVM;
  }
  return LIBXL_DOMAIN_TYPE_INVALID;
}

Result<void> set_boot(libxl_domain_config& config, const KernelFiles& files) {
  config.b_info.kernel = owned_by_libxl(files.kernel);
  if (!files.initrd.empty()) config.b_info.ramdisk = owned_by_libxl(files.initrd);
  config.b_info.cmdline = owned_by_libxl(files.cmdline);
  return {};
}

// The task's own layer is written; its seed and its input files are not.
void set_disk(libxl_device_disk& disk, const std::string& path, const char* name,
              libxl_disk_format format) {
  libxl_device_disk_init(&disk);
  disk.pdev_path = owned_by_libxl(path);
  disk.vdev = owned_by_libxl(name);
  disk.backend = LIBXL_DISK_BACKEND_QDISK;
  disk.format = format;
  disk.readwrite = format == LIBXL_DISK_FORMAT_QCOW2 ? 1 : 0;
}

// libxl's own way to give a serial port a file truncates it, at each restore too.
Result<void> set_boot(libxl_domain_config& config, const DiskFiles& files) {
  const auto model = device_model();
  if (!model) return tl::unexpected(model.error());
  libxl_domain_build_info& build = config.b_info;
  build.device_model_version = LIBXL_DEVICE_MODEL_VERSION_QEMU_XEN;
  build.device_model = owned_by_libxl(*model);
  build.u.hvm.serial_list = list_of({"chardev:console", "chardev:status"});
  build.extra_hvm = list_of({"-chardev", "file,id=console,append=on,path=" + files.console,  //
                             "-chardev", "file,id=status,append=on,path=" + files.status});
  build.u.hvm.boot = owned_by_libxl("c");
  build.u.hvm.vga.kind = LIBXL_VGA_INTERFACE_TYPE_NONE;
  libxl_defbool_set(&build.u.hvm.vnc.enable, false);

  config.disks = static_cast<libxl_device_disk*>(std::calloc(3, sizeof(libxl_device_disk)));
  const auto add = [&config](const std::string& path, const char* name, libxl_disk_format format) {
    if (!path.empty()) set_disk(config.disks[config.num_disks++], path, name, format);
  };
  add(files.disk, "xvda", LIBXL_DISK_FORMAT_QCOW2);
  add(files.seed, "xvdb", LIBXL_DISK_FORMAT_RAW);
  add(files.inputs, "xvdc", LIBXL_DISK_FORMAT_RAW);
  return {};
}

}  // namespace

XenGuests guests_of(const JobSpec& spec, XenGuests other) {
  return std::holds_alternative<ImageBoot>(spec.submission->program) ? XenGuests::hvm : other;
}

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
  create.type = type_of(guests);
  create.name = owned_by_libxl(vm_name(identity));
  create.xsdata = list_of({kIdentityKey, metadata_element(identity)});
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
  const auto set = std::visit([&](const auto& from) { return set_boot(*config, from); }, *boot);
  if (!set) return tl::unexpected(set.error());
  return config;
}

}  // namespace aliquot
