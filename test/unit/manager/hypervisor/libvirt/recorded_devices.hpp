// Node devices as libvirt 9 describes them (formatnode.html): a server with an A100 that is cut into
// mediated devices, a V100 that waits for a guest, a T4 in one IOMMU group with a sound card that the host
// uses, a graphics chip without a group, and a disk controller.
#pragma once

#include <string>

namespace aliquot::test {

inline std::string pci_xml(const std::string& name, const std::string& parent, const std::string& driver,
                           const std::string& capability) {
  return "<device>\n  <name>" + name + "</name>\n  <path>/sys/devices/pci0000:3a/" + name +
         "</path>\n  <parent>" + parent + "</parent>\n" +
         (driver.empty() ? "" : "  <driver>\n    <name>" + driver + "</name>\n  </driver>\n") +
         "  <capability type='pci'>\n" + capability + "  </capability>\n</device>\n";
}

inline std::string address_xml(const std::string& class_and_domain, int bus, int slot, int function) {
  return "    <class>" + class_and_domain + "</class>\n    <domain>0</domain>\n    <bus>" +
         std::to_string(bus) + "</bus>\n    <slot>" + std::to_string(slot) + "</slot>\n    <function>" +
         std::to_string(function) + "</function>\n";
}

inline std::string group_xml(int number) {
  return "    <iommuGroup number='" + std::to_string(number) +
         "'>\n      <address domain='0x0000' bus='0x3b' slot='0x00' function='0x0'/>\n    </iommuGroup>\n";
}

inline const std::string kNvidia = "    <vendor id='0x10de'>NVIDIA Corporation</vendor>\n";

inline const std::string kComputer =
    "<device><name>computer</name><capability type='system'><hardware><vendor>Maker</vendor>"
    "<version>1</version><serial>1</serial><uuid>11111111-2222-3333-4444-555555555555</uuid></hardware>"
    "<firmware><vendor>Maker</vendor><version>1</version><release_date>01/22/2007</release_date></firmware>"
    "</capability></device>\n";

inline const std::string kA100 =
    pci_xml("pci_0000_3b_00_0", "computer", "nvidia",
            address_xml("0x030200", 0x3b, 0, 0) +
                "    <product id='0x20f1'>GA100 [A100 PCIe 40GB]</product>\n" + kNvidia +
                "    <capability type='mdev_types'>\n"
                "      <type id='nvidia-474'>\n        <name>GRID A100-1-5C</name>\n"
                "        <deviceAPI>vfio-pci</deviceAPI>\n"
                "        <availableInstances>5</availableInstances>\n      </type>\n"
                "      <type id='nvidia-475'>\n        <name>GRID A100-2-10C</name>\n"
                "        <deviceAPI>vfio-pci</deviceAPI>\n"
                "        <availableInstances>2</availableInstances>\n      </type>\n    </capability>\n" +
                group_xml(27) +
                "    <numa node='1'/>\n    <pci-express>\n      <link validity='cap' port='0' speed='16' "
                "width='16'/>\n"
                "      <link validity='sta' speed='16' width='16'/>\n    </pci-express>\n");

inline const std::string kV100 =
    pci_xml("pci_0000_af_00_0", "computer", "vfio-pci",
            address_xml("0x030200", 0xaf, 0, 0) +
                "    <product id='0x1db4'>GV100GL [Tesla V100 PCIe 16GB]</product>\n" + kNvidia +
                group_xml(31) + "    <numa node='0'/>\n");

inline const std::string kT4 =
    pci_xml("pci_0000_d8_00_0", "computer", "",
            address_xml("0x030200", 0xd8, 0, 0) +
                "    <product id='0x1eb8'>TU104GL [Tesla T4]</product>\n" + kNvidia + group_xml(40));

inline const std::string kSound =
    pci_xml("pci_0000_d8_00_1", "computer", "snd_hda_intel",
            address_xml("0x040300", 0xd8, 0, 1) +
                "    <product id='0x10f8'>TU104 HD Audio Controller</product>\n" + kNvidia + group_xml(40));

inline const std::string kOnboardGraphics =
    pci_xml("pci_0000_03_00_0", "computer", "",
            address_xml("0x030000", 3, 0, 0) +
                "    <product id='0x2000'>ASPEED Graphics Family</product>\n"
                "    <vendor id='0x1a03'>ASPEED Technology, Inc.</vendor>\n");

inline const std::string kDisks = pci_xml("pci_0000_00_17_0", "computer", "ahci",
                                          address_xml("0x010601", 0, 0x17, 0) +
                                              "    <product id='0xa182'>C620 AHCI</product>\n"
                                              "    <vendor id='0x8086'>Intel Corporation</vendor>\n" +
                                              group_xml(5));

inline std::string mdev_xml(const std::string& uuid, const std::string& type) {
  return "<device>\n  <name>mdev_" + uuid +
         "_0000_3b_00_0</name>\n  <parent>pci_0000_3b_00_0</parent>\n"
         "  <driver>\n    <name>vfio_mdev</name>\n  </driver>\n  <capability type='mdev'>\n    <type id='" +
         type + "'/>\n    <uuid>" + uuid +
         "</uuid>\n    <parent_addr>0000:3b:00.0</parent_addr>\n    <iommuGroup number='52'/>\n"
         "  </capability>\n</device>\n";
}

inline const std::string kUuid1 = "4b20d080-1b54-4048-85b3-a6a62d165c01";
inline const std::string kUuid2 = "5c30e191-2c65-4159-96c4-b7b73e276d12";
inline const std::string kMdev1 = mdev_xml(kUuid1, "nvidia-474");
inline const std::string kMdev2 = mdev_xml(kUuid2, "nvidia-474");

}  // namespace aliquot::test
