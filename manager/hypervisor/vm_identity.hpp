// The identity of a VM: cluster, job, task and incarnation. Its UUID is computed from these alone, so a
// restarted manager finds its VMs without stored UUIDs. The metadata of the domain has the same values, so
// that a VM found on a node can be matched to its job. The epoch (number of starts of the manager) records
// which start created the VM; it is not part of the identity.
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
  std::int64_t created = 0;  // Unix time in seconds; 0: unknown. Not part of the identity either
  friend bool operator==(const VmIdentity&, const VmIdentity&) = default;
};

inline constexpr std::string_view kMetadataNamespace = "urn:aliquot:vm:1";

// SHA-1 (FIPS 180-4), for the UUID below and nothing else: it no longer protects anything.
[[nodiscard]] std::array<std::uint8_t, 20> sha1(std::string_view text);

// Version 5 of RFC 4122: the SHA-1 of a namespace and a name.
[[nodiscard]] Uuid uuid_v5(const Uuid& name_space, std::string_view name);
[[nodiscard]] std::string to_string(const Uuid& uuid);
// Of 36 characters, as to_string() writes them.
[[nodiscard]] Result<Uuid> parse_uuid(std::string_view text);

[[nodiscard]] Uuid vm_uuid(const VmIdentity& vm);

// The name of the domain, for people: job.task-incarnation, and the first digits of the UUID, because
// clusters may share a node.
[[nodiscard]] std::string vm_name(const VmIdentity& vm);

// One XML element in the namespace above, and its parser. libvirt returns the element without the prefix.
[[nodiscard]] std::string metadata_element(const VmIdentity& vm);
[[nodiscard]] Result<VmIdentity> parse_metadata(std::string_view element);

}  // namespace aliquot
