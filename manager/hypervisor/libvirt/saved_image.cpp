#include "manager/hypervisor/libvirt/saved_image.hpp"

#include <string_view>

#include "manager/hypervisor/files.hpp"

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

}  // namespace aliquot
