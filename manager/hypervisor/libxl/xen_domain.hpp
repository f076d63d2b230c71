// One question or command about a domain, as values. All block for as long as the hypervisor or xenstored
// takes to answer: microseconds to milliseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manager/hypervisor/libxl/xen_guests.hpp"
#include "manager/hypervisor/libxl/xen_loop.hpp"
#include "manager/hypervisor/vm_identity.hpp"
#include "policies/model/error.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

struct XenDomain {
  std::uint32_t id = 0;
  Uuid uuid{};
  bool is_paravirtualised = false;
  bool is_paused = false;
  bool has_shut_down = false;  // it is kept until it is destroyed
  libxl_shutdown_reason reason = LIBXL_SHUTDOWN_REASON_UNKNOWN;
  Duration cpu;  // used by its vCPUs since it was created or restored
  std::uint32_t vcpus = 1;
  Memory memory;  // the most that it may have
};

// All domains but domain 0 and those that are being destroyed.
[[nodiscard]] Result<std::vector<XenDomain>> list_domains(const XenLoop& xen);
// No value: there is no such domain.
[[nodiscard]] Result<std::optional<XenDomain>> find_domain(const XenLoop& xen, const Uuid& uuid);

// The cap in percent of one CPU (credit_cap.hpp); 0: no limit. Setting it leaves the weight unchanged.
[[nodiscard]] Result<int> cap_of(const XenLoop& xen, std::uint32_t domain);
Result<void> set_cap(const XenLoop& xen, std::uint32_t domain, int percent);

// Keys of a domain in xenstore. No value: there is no such key.
[[nodiscard]] std::optional<std::string> read_key(const XenLoop& xen, std::uint32_t domain,
                                                  const std::string& key);
// ErrorKind::unavailable: xenstored does not take it.
Result<void> write_key(const XenLoop& xen, std::uint32_t domain, const std::string& key,
                       const std::string& value);

inline constexpr char kIdentityKey[] = "aliquot/vm";         // metadata_element; the guest cannot change it
inline constexpr char kStatusKey[] = "data/aliquot-status";  // written by the guest

// Of a restored domain: its guest has been suspended before, and tells nothing of its start again.
inline constexpr char kRestoredKey[] = "aliquot/restored";

// The error of a call of libxl that returned `code`.
[[nodiscard]] Error xen_error(const XenLoop& xen, const std::string& what, int code);

}  // namespace aliquot
