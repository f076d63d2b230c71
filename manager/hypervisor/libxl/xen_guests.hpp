// The kinds of Xen guests that tasks run in: paravirtualised guests (PV), which every Xen can run, and
// guests that use the processor's hardware virtualisation (PVH), which need nested paging (HAP) as well. A
// Linux kernel with both entries (CONFIG_XEN_PV, CONFIG_PVH) boots as either. A disk image boots in an HVM
// guest, a PC with hardware virtualisation whose devices a QEMU in dom0 emulates. A memory image of one
// kind cannot be restored as another.
#pragma once

#include <optional>
#include <string_view>

namespace aliquot {

enum class XenGuests { pv, pvh, hvm };

[[nodiscard]] constexpr std::string_view word(XenGuests guests) {
  return guests == XenGuests::hvm ? "hvm" : guests == XenGuests::pvh ? "pvh" : "pv";
}

// What a node can be told to boot kernels as.
[[nodiscard]] constexpr std::optional<XenGuests> parse_guests(std::string_view text) {
  if (text == "pv") return XenGuests::pv;
  if (text == "pvh") return XenGuests::pvh;
  return std::nullopt;
}

}  // namespace aliquot
