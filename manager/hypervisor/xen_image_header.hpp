// The first bytes of a memory image that a Xen node has written, which name the VM: an earlier incarnation
// may have left an image too. Without libxl, so that a manager without Xen can read them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "manager/hypervisor/vm_identity.hpp"

namespace aliquot {

inline constexpr std::size_t kXenImageHeaderSize = 512;

// `guests`: a word for the kind of guest that the VM is.
[[nodiscard]] std::string xen_image_header(const Uuid& vm, std::string_view guests);
// The word in the image of this VM; no value: the file is none.
[[nodiscard]] std::optional<std::string> guests_in_xen_image(const std::string& path, const Uuid& vm);

}  // namespace aliquot
