#include "manager/hypervisor/libvirt/domain_xml.hpp"

#include <utility>

#include "manager/hypervisor/task_list.hpp"
#include "manager/hypervisor/xml_text.hpp"

namespace aliquot {
namespace {

// Builds the text: each call appends one line or one element with text.
class Document {
 public:
  Document& line(std::string_view xml) {
    text_.append(xml).push_back('\n');
    return *this;
  }
  Document& element(std::string_view indent, std::string_view name, std::string_view content) {
    text_.append(indent).append("<").append(name).append(">").append(xml_escaped(content));
    text_.append("</").append(name).append(">\n");
    return *this;
  }
  Document& number(std::string_view indent, std::string_view name, std::int64_t value) {
    return element(indent, name, std::to_string(value));
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void put_cpu(Document& out, const DomainSpec& spec) {
  out.number("  ", "vcpu", spec.vcpus);
  out.line("  <cputune>");
  out.number("    ", "period", spec.cap.period.raw).number("    ", "quota", spec.cap.quota.raw);
  for (const std::string group : {"emulator", "iothread"}) {
    out.number("    ", group + "_period", spec.emulator.period.raw);
    out.number("    ", group + "_quota", spec.emulator.quota.raw);
  }
  out.line("  </cputune>");
}

// libvirt knows which firmware the node has. What that remembers is a file of the spool, so that it is
// there on every node.
void put_boot(Document& out, const DomainSpec& spec) {
  out.line(spec.nvram.empty() ? "  <os>" : "  <os firmware='efi'>");
  out.line("    <type arch='x86_64' machine='pc'>hvm</type>");
  if (!spec.nvram.empty()) out.element("    ", "nvram", spec.nvram);
  if (!spec.kernel.empty()) out.element("    ", "kernel", spec.kernel);
  if (!spec.initrd.empty()) out.element("    ", "initrd", spec.initrd);
  if (!spec.cmdline.empty()) out.element("    ", "cmdline", spec.cmdline);
  out.line("  </os>");
}

// Without a limit the translation cache of the emulation would grow to a gigabyte.
void put_processor(Document& out, const DomainSpec& spec) {
  if (spec.acceleration == Acceleration::kvm) {
    // host-model and not host-passthrough: libvirt then refuses a migration to a CPU with fewer features;
    // otherwise the guest would crash.
    out.line("  <features><acpi/></features>").line("  <cpu mode='host-model'/>");
  } else {
    out.line("  <features><acpi/><tcg><tb-cache unit='MiB'>32</tb-cache></tcg></features>");
  }
}

void put_serial(Document& out, const std::string& path, int port) {
  out.line("    <serial type='file'>");
  out.line("      <source path=\"" + xml_escaped(path) + "\" append='on'/>");
  out.line("      <target port='" + std::to_string(port) + "'/>").line("    </serial>");
}

// A port of virtio: as reliable as a serial port, and the guest hands over kilobytes at a time.
void put_results(Document& out, const std::string& path) {
  out.line("    <channel type='file'>");
  out.line("      <source path=\"" + xml_escaped(path) + "\" append='on'/>");
  out.line("      <target type='virtio' name='org.aliquot.results'/>").line("    </channel>");
}

// A console of virtio, for terminals. libvirt takes the first serial port for console 0.
void put_terminal(Document& out) {
  out.line("    <console type='pty'>")
      .line("      <target type='virtio' port='1'/>")
      .line("    </console>");
}

// The bridge of a job is made by the hook on the node, before libvirt adds the tap to it; so is a tap in no
// bridge, with its rules: a node without the hook starts no such VM. Without an option
// ROM the firmware has nothing to boot from a network.
void put_interface(Document& out, const VmInterface& interface) {
  out.line(interface.bridge.empty() ? "    <interface type='ethernet'>" : "    <interface type='bridge'>");
  out.line("      <mac address='" + interface.mac + "'/>");
  if (!interface.bridge.empty()) out.line("      <source bridge='" + interface.bridge + "'/>");
  out.line("      <target dev='" + interface.tap + (interface.bridge.empty() ? "' managed='no'/>" : "'/>"));
  out.line("      <model type='virtio'/>");
  if (interface.mtu > 0) out.line("      <mtu size='" + std::to_string(interface.mtu) + "'/>");
  out.line("      <rom enabled='no'/>").line("    </interface>");
}

// The guest tells QEMU what it uses, as often as libvirt is asked for it (SlowTurns). It takes back memory
// that was lent before its kernel would end a process for want of it.
void put_balloon(Document& out, bool is_there) {
  if (!is_there) return void(out.line("    <memballoon model='none'/>"));
  out.line("    <memballoon model='virtio' autodeflate='on'>");
  out.line("      <stats period='5'/>").line("    </memballoon>");
}

constexpr std::string_view kMediated = "mdev:";

void put_mediated_device(Document& out, const std::string& uuid) {
  out.line("    <hostdev mode='subsystem' type='mdev' model='vfio-pci'>");
  out.line("      <source><address uuid=\"" + xml_escaped(uuid) + "\"/></source>");
  out.line("    </hostdev>");
}

// "0000:3b:00.0". libvirt detaches the device from the host's driver and re-attaches it afterwards.
void put_pci_device(Document& out, const std::string& address) {
  const auto part = [&](std::size_t from, std::size_t count) {
    return "'0x" + address.substr(from, count) + "'";
  };
  out.line("    <hostdev mode='subsystem' type='pci' managed='yes'>");
  out.line("      <source><address domain=" + part(0, 4) + " bus=" + part(5, 2) + " slot=" + part(8, 2) +
           " function=" + part(11, 1) + "/></source>");
  out.line("    </hostdev>");
}

// Never written, so any cache will do, and a snapshot leaves it out.
void put_read_only_disk(Document& out, const std::string& path, const std::string& device) {
  out.line("    <disk type='file' device='disk'>").line("      <driver name='qemu' type='raw'/>");
  out.line("      <source file=\"" + xml_escaped(path) + "\"/>");
  out.line("      <target dev='" + device + "' bus='virtio'/>")
      .line("      <readonly/>")
      .line("    </disk>");
}

// The manager changes it while the VM runs: the host's page cache, on another machine, must not keep it.
void put_task_list(Document& out, const std::string& path) {
  out.line("    <disk type='file' device='disk'>");
  out.line("      <driver name='qemu' type='raw' cache='none'/>");
  out.line("      <source file=\"" + xml_escaped(path) + "\"/>");
  out.line("      <target dev='vdd' bus='virtio'/>").line("      <readonly/>");
  out.line("      <serial>" + std::string(kTaskListSerial) + "</serial>").line("    </disk>");
}

void put_devices(Document& out, const DomainSpec& spec) {
  out.line("  <devices>").line("    <controller type='usb' model='none'/>");
  if (!spec.disk.empty()) {
    // Without the host's page cache, so that a migrated VM reads what it wrote on the other node.
    out.line("    <disk type='file' device='disk'>");
    out.line("      <driver name='qemu' type='qcow2' cache='none'/>");
    out.line("      <source file=\"" + xml_escaped(spec.disk) + "\"/>");
    out.line("      <target dev='" + std::string(kDiskName) + "' bus='virtio'/>").line("    </disk>");
  }
  if (!spec.seed.empty()) put_read_only_disk(out, spec.seed, "vdb");
  if (!spec.inputs.empty()) put_read_only_disk(out, spec.inputs, "vdc");
  if (!spec.task_list.empty()) put_task_list(out, spec.task_list);
  put_serial(out, spec.console, 0);
  put_serial(out, spec.status, 1);
  if (spec.terminal) put_terminal(out);
  if (spec.interface) put_interface(out, *spec.interface);
  if (spec.share_interface) put_interface(out, *spec.share_interface);
  if (!spec.results.empty()) put_results(out, spec.results);
  for (const std::string& place : spec.host_devices) {
    if (place.starts_with(kMediated))
      put_mediated_device(out, place.substr(kMediated.size()));
    else
      put_pci_device(out, place);
  }
  put_balloon(out, spec.balloon);
  out.line("  </devices>");
}

}  // namespace

Result<std::string> domain_xml(const DomainSpec& spec) {
  for (const std::string* text :
       {&spec.name, &spec.metadata, &spec.kernel, &spec.initrd, &spec.cmdline, &spec.disk, &spec.seed,
        &spec.inputs, &spec.task_list, &spec.nvram, &spec.console, &spec.status, &spec.results}) {
    if (!xml_can_hold(*text)) {
      return fail(
          ErrorKind::invalid_argument,
          "domain " + to_string(spec.uuid) +
              ": a name, path or command line holds a control character or broken UTF-8; remove it");
    }
  }
  Document out;
  out.line(spec.acceleration == Acceleration::kvm ? "<domain type='kvm'>" : "<domain type='qemu'>");
  out.element("  ", "name", spec.name).element("  ", "uuid", to_string(spec.uuid));
  if (!spec.metadata.empty())
    out.line("  <metadata>" + spec.metadata + spec.network + spec.shares + "</metadata>");
  out.line("  <memory unit='KiB'>" + std::to_string((spec.memory.raw + 1023) / 1024) + "</memory>");
  put_cpu(out, spec);
  put_boot(out, spec);
  put_processor(out, spec);
  out.line("  <clock offset='utc'/>");
  out.line("  <on_poweroff>destroy</on_poweroff>").line("  <on_reboot>destroy</on_reboot>");
  out.line("  <on_crash>destroy</on_crash>");
  put_devices(out, spec);
  out.line("</domain>");
  return out.take();
}

}  // namespace aliquot
