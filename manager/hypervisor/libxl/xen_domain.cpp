#include "manager/hypervisor/libxl/xen_domain.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace aliquot {

Error xen_error(const XenLoop& xen, const std::string& what, int code) {
  // libxl names the code; its log, which may speak of another VM, has the cause.
  const char* name = libxl_error_to_string(static_cast<libxl_error>(code));
  std::string message = what + ": libxl failed with " + (name != nullptr ? name : std::to_string(code));
  if (!xen.last_word().empty()) message += "; its last error was: " + xen.last_word();
  return {ErrorKind::refused, message};
}

Result<std::vector<XenDomain>> list_domains(const XenLoop& xen) {
  int count = 0;
  libxl_dominfo* const list = libxl_list_domain(xen.context(), &count);
  if (list == nullptr) return tl::unexpected(xen_error(xen, "cannot list the domains", ERROR_FAIL));
  std::vector<XenDomain> out;
  for (int i = 0; i < count; ++i) {
    const libxl_dominfo& one = list[i];
    if (one.domid == 0 || one.dying) continue;
    XenDomain domain;
    domain.id = one.domid;
    std::copy_n(libxl_uuid_bytearray_const(&one.uuid), domain.uuid.size(), domain.uuid.begin());
    // It does not tell PVH from HVM.
    domain.is_paravirtualised = one.domain_type == LIBXL_DOMAIN_TYPE_PV;
    domain.is_paused = one.paused;
    domain.has_shut_down = one.shutdown;
    domain.reason = one.shutdown_reason;
    domain.cpu = {static_cast<std::int64_t>(one.cpu_time / 1000)};
    domain.vcpus = std::max<std::uint32_t>(one.vcpu_online, 1);
    domain.memory = {static_cast<std::int64_t>(one.max_memkb) << 10};
    out.push_back(domain);
  }
  libxl_dominfo_list_free(list, count);
  return out;
}

Result<std::optional<XenDomain>> find_domain(const XenLoop& xen, const Uuid& uuid) {
  const auto all = list_domains(xen);
  if (!all) return tl::unexpected(all.error());
  const auto found = std::ranges::find(*all, uuid, &XenDomain::uuid);
  return found == all->end() ? std::nullopt : std::optional(*found);
}

Result<int> cap_of(const XenLoop& xen, std::uint32_t domain) {
  libxl_domain_sched_params parameters;
  libxl_domain_sched_params_init(&parameters);
  const int code = libxl_domain_sched_params_get(xen.context(), domain, &parameters);
  const int percent = parameters.cap;
  libxl_domain_sched_params_dispose(&parameters);
  if (code != 0) return tl::unexpected(xen_error(xen, "cannot read a cap", code));
  return percent;
}

Result<void> set_cap(const XenLoop& xen, std::uint32_t domain, int percent) {
  libxl_domain_sched_params parameters;
  libxl_domain_sched_params_init(&parameters);
  parameters.sched = LIBXL_SCHEDULER_UNKNOWN;  // whichever the domain's pool has
  parameters.cap = percent;
  const int code = libxl_domain_sched_params_set(xen.context(), domain, &parameters);
  libxl_domain_sched_params_dispose(&parameters);
  if (code != 0) return tl::unexpected(xen_error(xen, "cannot set a cap", code));
  return {};
}

std::optional<std::string> read_key(const XenLoop& xen, std::uint32_t domain, const std::string& key) {
  unsigned size = 0;
  const std::string path = "/local/domain/" + std::to_string(domain) + "/" + key;
  const std::unique_ptr<char, void (*)(void*)> value(
      static_cast<char*>(xs_read(xen.store(), XBT_NULL, path.c_str(), &size)), &std::free);
  return value ? std::optional(std::string(value.get(), size)) : std::nullopt;
}

Result<void> write_key(const XenLoop& xen, std::uint32_t domain, const std::string& key,
                       const std::string& value) {
  const std::string path = "/local/domain/" + std::to_string(domain) + "/" + key;
  if (xs_write(xen.store(), XBT_NULL, path.c_str(), value.data(), static_cast<unsigned>(value.size())))
    return {};
  return fail(ErrorKind::unavailable, "xenstored does not take " + path);
}

}  // namespace aliquot
