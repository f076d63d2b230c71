// The XML definition from which libvirt creates a VM. Pure and deterministic.
//
// The VM has a console (serial port 0) and a status channel (serial port 1), and if its job hands out
// result files a port for these (virtio), all appended to files in the spool; a console that
// terminals are opened on; an interface if its job has a network, and one if it has NFS shares. Where its
// guest may have a driver for it, it has a balloon device, which tells what the guest uses of its memory
// and is inflated while memory of its job is lent to others. It has no display and no USB. It is destroyed
// when it powers off, reboots or crashes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manager/hypervisor/libvirt/caps.hpp"
#include "manager/hypervisor/vm_identity.hpp"
#include "manager/hypervisor/vm_interface.hpp"
#include "policies/model/error.hpp"
#include "policies/model/units.hpp"

namespace aliquot {

enum class Acceleration : std::uint8_t { kvm, emulation };

struct DomainSpec {
  std::string name;
  Uuid uuid{};
  std::string metadata;  // one XML element (vm_identity.hpp); empty: none
  Acceleration acceleration = Acceleration::emulation;
  Memory memory;
  std::uint32_t vcpus = 1;
  CpuCap cap;               // of each vCPU
  CpuCap emulator;          // of QEMU's own threads and its I/O threads
  std::string kernel;       // empty: boots from the disk
  std::string initrd;       // may be empty
  std::string cmdline;      // may be empty
  std::string disk;         // a qcow2 file, may be empty
  std::string seed;         // a raw read-only volume, the second disk; may be empty
  std::string inputs;       // a raw read-only file, the third disk; may be empty
  std::string task_list{};  // a raw read-only file that changes, the fourth disk; may be empty
  std::string nvram;        // of the UEFI firmware; empty: the firmware is a BIOS
  std::string console;
  std::string status;
  bool terminal = false;                         // a console of virtio, for terminals (vm_terminal.hpp)
  bool balloon = false;                          // tells what the guest uses of its memory
  std::optional<VmInterface> interface {};       // in the network of its job
  std::string network{};                         // its element for the hook on the node (vm_interface.hpp)
  std::string results{};                         // may be empty
  std::optional<VmInterface> share_interface{};  // to the NFS shares of its job
  std::string shares{};                          // its element for the hook on the node (vm_shares.hpp)
  // Passed through: PCI devices "0000:3b:00.0" and mediated devices "mdev:UUID".
  std::vector<std::string> host_devices{};
};

// The name of the disk inside the VM.
inline constexpr char kDiskName[] = "vda";

// An error if XML cannot represent one of the texts (a control character, invalid UTF-8).
[[nodiscard]] Result<std::string> domain_xml(const DomainSpec& spec);

}  // namespace aliquot
