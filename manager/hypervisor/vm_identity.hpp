// Who a VM is: the cluster it belongs to, job, task and incarnation. The UUID follows from these alone, so
// that a restarted manager finds its VMs again without having remembered anything; the same words stand in
// the domain's metadata for those who find the VM first. The epoch (how often the manager has been
// started) says who created it and is no part of the identity.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "policies/model/error.hpp"
#include "policies/model/id.hpp"

namespace aliquot {

using Uuid = std::array<std::uint8_t, 16>;

struct VmIdentity {
  std::string cluster;
  JobId job;
  std::uint32_t task = 0;
  std::uint32_t incarnation = 0;
  std::uint64_t epoch = 0;
  friend bool operator==(const VmIdentity&, const VmIdentity&) = default;
};

inline constexpr std::string_view kMetadataNamespace = "urn:aliquot:vm:1";

// SHA-1 (FIPS 180-4), for the UUID below and nothing else: it no longer protects anything.
[[nodiscard]] std::array<std::uint8_t, 20> sha1(std::string_view text);

// Version 5 of RFC 4122: the SHA-1 of a namespace and a name.
[[nodiscard]] Uuid uuid_v5(const Uuid& name_space, std::string_view name);
[[nodiscard]] std::string to_string(const Uuid& uuid);

[[nodiscard]] Uuid vm_uuid(const VmIdentity& vm);

// The domain's name, for eyes: job.task-incarnation, and some of the UUID because clusters may share a
// node.
[[nodiscard]] std::string vm_name(const VmIdentity& vm);

// One XML element in the namespace above, and back: libvirt hands it out with the prefix taken off.
[[nodiscard]] std::string metadata_element(const VmIdentity& vm);
[[nodiscard]] Result<VmIdentity> parse_metadata(std::string_view element);

}  // namespace aliquot
