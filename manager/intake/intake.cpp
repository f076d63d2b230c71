#include "manager/intake/intake.hpp"

#include <sys/stat.h>

#include "config/quantities.hpp"
#include "manager/intake/boot_file.hpp"

namespace aliquot {
namespace {

// A file that a program names, and the place for the hash of its content.
struct NamedFile {
  BootFile kind;
  const std::string& path;
  std::string& sha256;
};

std::vector<NamedFile> named_files(Program& program) {
  std::vector<NamedFile> files;
  if (auto* boot = std::get_if<KernelBoot>(&program)) {
    files.push_back({BootFile::kernel, boot->kernel, boot->kernel_sha256});
    if (!boot->initrd.empty()) files.push_back({BootFile::initrd, boot->initrd, boot->initrd_sha256});
  }
  return files;
}

Memory size_of(int file) {
  struct stat found {};
  return {::fstat(file, &found) == 0 ? found.st_size : 0};
}

Result<Descriptor> open_checked(const NamedFile& named, const UserIds& user, const IntakeRules& rules) {
  auto file = open_for(user, named.path, rules.roots);
  if (!file) return file;
  if (auto good = check_boot_file(named.kind, file->get(), named.path); !good)
    return tl::unexpected<Error>(good.error());
  if (size_of(file->get()) > rules.guest_memory)
    return fail(ErrorKind::invalid_argument, named.path + " is larger than the memory of its guest (" +
                                                 print_memory(rules.guest_memory) +
                                                 "); ask for more with --mem");
  return file;
}

Result<void> keep(const NamedFile& named, const UserIds& user, const IntakeRules& rules,
                  ContentStore& store) {
  const auto file = open_checked(named, user, rules);
  if (!file) return tl::unexpected<Error>(file.error());
  const auto good = [&](int copy) { return check_boot_file(named.kind, copy, named.path); };
  auto sha256 =
      store.keep_copy(file->get(), named.path, {rules.max_size, "files.max_size", good, false, user.uid});
  if (!sha256) return tl::unexpected<Error>(sha256.error());
  named.sha256 = std::move(*sha256);
  return {};
}

Result<void> can_boot(const StoredImage& image, const IntakeRules& rules) {
  if (!image.uefi || rules.hypervisor != HypervisorKind::xen) return {};
  return fail(ErrorKind::invalid_argument, "the image " + image.name.text +
                                               " boots by UEFI, which can be had on nodes of libvirt only; "
                                               "leave --hypervisor out");
}

Result<void> within_quota(const std::string& sha256, const HandedArchive& archive,
                          const ContentStore& store) {
  if (archive.quota.kept.contains(sha256)) return {};
  const Memory taken = store.size_of(archive.quota.kept) + archive.quota.waiting;
  if (taken + archive.size <= archive.quota.of_user) return {};
  return fail(ErrorKind::too_large,
              "the input files take " + print_memory(archive.size) + ", and those of your other jobs " +
                  print_memory(taken) + "; all together may have " + print_memory(archive.quota.of_user) +
                  " (limits.max_stage_in_per_user): submit again when some have ended");
}

Result<void> keep_archive(const std::string& sha256, const HandedArchive& archive, const UserIds& user,
                          const IntakeRules& rules, ContentStore& store) {
  if (archive.file.empty()) return store.keep(archive.bytes, sha256);
  if (auto fits = within_quota(sha256, archive, store); !fits) return fits;
  const auto file = open_for(user, archive.file, rules.roots);
  if (!file) return tl::unexpected<Error>(file.error());
  const auto any = [](int) -> Result<void> { return {}; };
  const auto kept = store.keep_copy(file->get(), archive.file,
                                    {archive.size, "what the submission says of it", any, false, user.uid});
  if (!kept) return tl::unexpected<Error>(kept.error());
  if (*kept == sha256) return {};
  store.release({*kept});
  return fail(ErrorKind::conflict, "the archive " + archive.file + " has the SHA-256 " + *kept +
                                       ", not that of the submission, " + sha256 +
                                       ": it was changed meanwhile; submit again");
}

}  // namespace

bool needs_contents(const Program& program) {
  return std::holds_alternative<KernelBoot>(program) || std::holds_alternative<ImageBoot>(program);
}

Result<Program> check_files(Program program, const UserIds& user, const IntakeRules& rules,
                            const ImageStore& images) {
  if (auto* boot = std::get_if<ImageBoot>(&program)) {
    const auto image = images.find({boot->image});
    const auto good = image ? can_boot(*image, rules) : tl::unexpected<Error>(image.error());
    if (!good) return tl::unexpected<Error>(good.error());
  }
  for (const NamedFile& named : named_files(program))
    if (const auto file = open_checked(named, user, rules); !file)
      return tl::unexpected<Error>(file.error());
  return program;
}

Result<Program> take_in(Program program, const HandedArchive& archive, const UserIds& user,
                        const IntakeRules& rules, ContentStore& store, ImageStore& images) {
  const std::string* const archive_sha256 = archive_of(program);
  const bool has_archive = archive_sha256 != nullptr && !archive_sha256->empty() &&
                           !(archive.bytes.empty() && archive.file.empty());
  if (has_archive)
    if (auto kept = keep_archive(*archive_sha256, archive, user, rules, store); !kept)
      return tl::unexpected<Error>(kept.error());
  if (auto* boot = std::get_if<ImageBoot>(&program)) {
    const auto image = images.use({boot->image});
    if (image) {
      boot->image_sha256 = image->sha256;
      boot->uefi = image->uefi;
    }
    const auto good = image ? can_boot(*image, rules) : tl::unexpected<Error>(image.error());
    if (good) return program;
    store.release(contents_of(program));
    return tl::unexpected<Error>(good.error());
  }
  for (const NamedFile& named : named_files(program)) {
    const auto kept = keep(named, user, rules, store);
    if (kept) continue;
    store.release(contents_of(program));
    return tl::unexpected<Error>(kept.error());
  }
  return program;
}

}  // namespace aliquot
