#include "manager/hypervisor/libxl/unfinished_domains.hpp"

#include <cstdlib>
#include <memory>

namespace aliquot {
namespace {

constexpr char kReadyKey[] = "aliquot/ready";
constexpr char kNotes[] = "/tool/aliquot/unfinished";

std::string note_of(const VmIdentity& vm) { return std::string(kNotes) + "/" + to_string(vm_uuid(vm)); }

}  // namespace

Result<void> note_unfinished(const XenLoop& xen, const VmIdentity& vm) {
  const std::string path = note_of(vm), text = metadata_element(vm);
  if (xs_write(xen.store(), XBT_NULL, path.c_str(), text.data(), static_cast<unsigned>(text.size())))
    return {};
  return fail(ErrorKind::unavailable, "xenstored does not take " + path);
}

void note_finished(const XenLoop& xen, const VmIdentity& vm) {
  (void)xs_rm(xen.store(), XBT_NULL, note_of(vm).c_str());
}

std::vector<VmIdentity> unfinished_domains(const XenLoop& xen) {
  unsigned count = 0, size = 0;
  const std::unique_ptr<char*, void (*)(void*)> names(xs_directory(xen.store(), XBT_NULL, kNotes, &count),
                                                      &std::free);
  std::vector<VmIdentity> all;
  for (unsigned i = 0; names && i < count; ++i) {
    const std::string path = std::string(kNotes) + "/" + names.get()[i];
    const std::unique_ptr<char, void (*)(void*)> text(
        static_cast<char*>(xs_read(xen.store(), XBT_NULL, path.c_str(), &size)), &std::free);
    const auto vm = text ? parse_metadata({text.get(), size}) : fail(ErrorKind::not_found, "");
    if (vm) all.push_back(*vm);
  }
  return all;
}

bool is_ready(const XenLoop& xen, std::uint32_t domain) {
  return read_key(xen, domain, kReadyKey).has_value();
}

Result<void> set_ready(const XenLoop& xen, std::uint32_t domain) {
  return write_key(xen, domain, kReadyKey, "1");
}

}  // namespace aliquot
