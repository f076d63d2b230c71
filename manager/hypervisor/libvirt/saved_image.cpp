#include "manager/hypervisor/libvirt/saved_image.hpp"

#include <filesystem>
#include <string_view>
#include <system_error>

#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/local_saves.hpp"

namespace aliquot {
namespace {

constexpr std::string_view kComplete = "LibvirtQemudSave";
constexpr std::size_t kHeaderAndXml = std::size_t{256} << 10;

}  // namespace

bool is_complete_image(const std::string& path, const Uuid& vm) {
  const auto head = read_head(path, kHeaderAndXml);
  return head && head->starts_with(kComplete) &&
         head->find("<uuid>" + to_string(vm) + "</uuid>") != std::string::npos;
}

std::optional<VmIdentity> identity_in_image(const std::string& path) {
  const auto head = read_head(path, kHeaderAndXml);
  if (!head || !head->starts_with(kComplete)) return std::nullopt;
  const std::size_t element = head->find("<aliquot:vm ");
  if (element == std::string::npos) return std::nullopt;
  const std::size_t end = head->find('>', element);
  if (end == std::string::npos) return std::nullopt;
  const auto identity = parse_metadata(std::string_view(*head).substr(element, end + 1 - element));
  return identity ? std::optional(*identity) : std::nullopt;
}

Result<bool> recover_image(const Spool& spool, JobId job, std::uint32_t task, const Uuid& vm) {
  const std::string part = spool.image_part(job, task);
  if (is_complete_image(part, vm)) {
    if (auto moved = rename_file(part, spool.image(job, task)); !moved) {
      return tl::unexpected(moved.error());
    }
  }
  return is_complete_image(spool.image(job, task), vm);
}

Result<std::optional<std::string>> find_image(const Spool& spool, const VmIdentity& vm) {
  const auto keeper = keeper_of(spool, vm);
  if (!keeper) return tl::unexpected(keeper.error());
  if (*keeper == Keeper::other_node) return std::nullopt;
  const Spool place = *keeper == Keeper::here ? spool : spool.shared();
  const auto whole = recover_image(place, vm.job, vm.task, vm_uuid(vm));
  if (!whole) return tl::unexpected(whole.error());
  return *whole ? std::optional(place.image(vm.job, vm.task)) : std::nullopt;
}

std::vector<VmIdentity> locally_saved(const Spool& spool, const std::string& cluster) {
  std::vector<VmIdentity> found;
  if (!spool.has_local_saves()) return found;
  std::error_code failure;
  for (std::filesystem::recursive_directory_iterator at(spool.saves().directory, failure), end;
       !failure && at != end; at.increment(failure)) {
    const auto vm = identity_in_image(at->path());
    if (!vm || vm->cluster != cluster) continue;
    const auto keeper = keeper_of(spool, *vm);
    if (keeper && *keeper == Keeper::here) found.push_back(*vm);
  }
  return found;
}

}  // namespace aliquot
