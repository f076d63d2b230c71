#include "manager/hypervisor/xen_image_header.hpp"

#include "manager/hypervisor/files.hpp"

namespace aliquot {
namespace {

std::string beginning(const Uuid& vm) { return "aliquot-xen-image 1 " + to_string(vm) + " "; }

}  // namespace

std::string xen_image_header(const Uuid& vm, std::string_view guests) {
  std::string header = beginning(vm) + std::string(guests) + "\n";
  header.resize(kXenImageHeaderSize, '\0');
  return header;
}

std::optional<std::string> guests_in_xen_image(const std::string& path, const Uuid& vm) {
  const auto head = read_head(path, kXenImageHeaderSize);
  const std::string expected = beginning(vm);
  if (!head || head->size() != kXenImageHeaderSize || !head->starts_with(expected)) return std::nullopt;
  const std::size_t end = head->find('\n');
  if (end == std::string::npos) return std::nullopt;
  return head->substr(expected.size(), end - expected.size());
}

}  // namespace aliquot
