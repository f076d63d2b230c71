#include "manager/hypervisor/domain_identity.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "manager/hypervisor/sha1.hpp"
#include "manager/hypervisor/xml_text.hpp"

namespace aliquot {
namespace {

// The UUID of URLs and URNs of RFC 4122, appendix C.
constexpr Uuid kUrlNamespace{0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1,
                             0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8};

// The value of an attribute of the element. Attributes are read one after another, for the value of one may
// look like another.
std::optional<std::string> attribute(std::string_view element, std::string_view wanted) {
  constexpr std::string_view kWhite = " \t\r\n";
  element.remove_prefix(std::min(element.find_first_of(kWhite), element.size()));
  while (true) {
    element.remove_prefix(std::min(element.find_first_not_of(kWhite), element.size()));
    const std::size_t equals = element.find('=');
    if (equals == std::string_view::npos || equals + 1 >= element.size()) return std::nullopt;
    const char quote = element[equals + 1];
    const std::size_t end = element.find(quote, equals + 2);
    if ((quote != '"' && quote != '\'') || end == std::string_view::npos) return std::nullopt;
    if (element.substr(0, equals) == wanted) {
      return xml_unescaped(element.substr(equals + 2, end - equals - 2));
    }
    element.remove_prefix(end + 1);
  }
}

template <class Number>
bool read_number(std::string_view element, std::string_view name, Number& out) {
  const std::optional<std::string> text = attribute(element, name);
  if (!text || text->empty()) return false;
  const char* end = text->data() + text->size();
  const auto [stopped, fault] = std::from_chars(text->data(), end, out);
  return fault == std::errc{} && stopped == end;
}

}  // namespace

Uuid uuid_v5(const Uuid& name_space, std::string_view name) {
  std::string text(name_space.begin(), name_space.end());
  text.append(name);
  const auto digest = sha1(text);
  Uuid out{};
  std::copy_n(digest.begin(), out.size(), out.begin());
  out[6] = static_cast<std::uint8_t>((out[6] & 0x0F) | 0x50);
  out[8] = static_cast<std::uint8_t>((out[8] & 0x3F) | 0x80);
  return out;
}

std::string to_string(const Uuid& uuid) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out.push_back('-');
    out.push_back(digits[uuid[i] >> 4]);
    out.push_back(digits[uuid[i] & 15]);
  }
  return out;
}

Uuid vm_uuid(const VmIdentity& vm) {
  const Uuid cluster = uuid_v5(kUrlNamespace, std::string(kMetadataNamespace) + ":" + vm.cluster);
  return uuid_v5(cluster, std::to_string(vm.job.raw) + "/" + std::to_string(vm.task) + "/" +
                              std::to_string(vm.incarnation));
}

std::string vm_name(const VmIdentity& vm) {
  return "aliquot-" + std::to_string(vm.job.raw) + "." + std::to_string(vm.task) + "-" +
         std::to_string(vm.incarnation) + "-" + to_string(vm_uuid(vm)).substr(0, 6);
}

std::string metadata_element(const VmIdentity& vm) {
  return "<aliquot:vm xmlns:aliquot=\"" + std::string(kMetadataNamespace) + "\" cluster=\"" +
         xml_escaped(vm.cluster) + "\" job=\"" + std::to_string(vm.job.raw) + "\" task=\"" +
         std::to_string(vm.task) + "\" incarnation=\"" + std::to_string(vm.incarnation) + "\" epoch=\"" +
         std::to_string(vm.epoch) + "\"/>";
}

Result<VmIdentity> parse_metadata(std::string_view element) {
  constexpr std::size_t kLongest = 4096;
  VmIdentity vm;
  const std::optional<std::string> cluster =
      element.size() <= kLongest ? attribute(element, "cluster") : std::nullopt;
  if (!cluster || !read_number(element, "job", vm.job.raw) || !read_number(element, "task", vm.task) ||
      !read_number(element, "incarnation", vm.incarnation) || !read_number(element, "epoch", vm.epoch)) {
    return fail(
        ErrorKind::invalid_argument,
        "the metadata of a domain lacks cluster, job, task, incarnation or epoch; it was not written "
        "by this program: leave the domain alone or remove it by hand");
  }
  vm.cluster = *cluster;
  return vm;
}

}  // namespace aliquot
