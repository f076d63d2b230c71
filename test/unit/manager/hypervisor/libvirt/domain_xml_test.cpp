#include "manager/hypervisor/libvirt/domain_xml.hpp"

#include <gtest/gtest.h>

#include "manager/hypervisor/libvirt/libvirt_calls.hpp"
#include "manager/hypervisor/libvirt/task_domain.hpp"
#include "manager/hypervisor/xml_text.hpp"

namespace aliquot {
namespace {

TaskDomainSettings common() {
  return {"c", 9, Spool("/spool"), GuestFiles("/guest"), {100'000}, LiveLimit(mebibytes(1))};
}

JobSpec job_spec(Program program, Cpu need = cores(1), std::uint32_t tasks = 1) {
  JobSpec out;
  out.job = {7};
  Submission submission;
  submission.demand.need = need;
  submission.guest_memory = mebibytes(96);
  submission.program = std::move(program);
  out.submission = std::move(submission);
  out.tasks.assign(tasks, {1, NodeId{0}, false});
  return out;
}

std::string xml_of(const JobSpec& job, std::uint32_t task, Yield yield,
                   Acceleration acceleration = Acceleration::emulation) {
  const auto spec = task_domain(common(), job, task, yield, kMillion, acceleration);
  EXPECT_TRUE(spec) << (spec ? "" : spec.error().message);
  return spec ? domain_xml(*spec).value_or("not XML") : "";
}

constexpr char kHashChain[] = R"(<domain type='qemu'>
  <name>aliquot-7.0-1-2a71e6</name>
  <uuid>2a71e68f-5ef4-5eff-8c3c-be528ecc3ca0</uuid>
  <metadata><aliquot:vm xmlns:aliquot="urn:aliquot:vm:1")"
                              R"( cluster="c" job="7" task="0" incarnation="1" epoch="9"/></metadata>
  <memory unit='KiB'>98304</memory>
  <vcpu>1</vcpu>
  <cputune>
    <period>100000</period>
    <quota>25000</quota>
    <emulator_period>100000</emulator_period>
    <emulator_quota>100000</emulator_quota>
    <iothread_period>100000</iothread_period>
    <iothread_quota>100000</iothread_quota>
  </cputune>
  <os>
    <type arch='x86_64' machine='pc'>hvm</type>
    <kernel>/guest/hashchain.elf</kernel>
    <cmdline>total=5 unit=1000</cmdline>
  </os>
  <features><acpi/><tcg><tb-cache unit='MiB'>32</tb-cache></tcg></features>
  <clock offset='utc'/>
  <on_poweroff>destroy</on_poweroff>
  <on_reboot>destroy</on_reboot>
  <on_crash>destroy</on_crash>
  <devices>
    <controller type='usb' model='none'/>
    <serial type='file'>
      <source path="/spool/7/0.log" append='on'/>
      <target port='0'/>
    </serial>
    <serial type='file'>
      <source path="/spool/7/0.status" append='on'/>
      <target port='1'/>
    </serial>
    <memballoon model='none'/>
  </devices>
</domain>
)";

TEST(DomainXml, of_a_job_with_result_files_has_a_port_for_them) {
  JobSpec job = job_spec(LinuxCommand{{"true"}, {}});
  EXPECT_EQ(xml_of(job, 0, kFullYield).find("org.aliquot.results"), std::string::npos);
  Submission submission = *job.submission;
  submission.data.stage_out = {"out"};
  job.submission = submission;
  EXPECT_NE(xml_of(job, 0, kFullYield)
                .find("<source path=\"/spool/7/0.results\" append='on'/>\n"
                      "      <target type='virtio' name='org.aliquot.results'/>"),
            std::string::npos);
}

TEST(DomainXml, of_linux_has_a_console_for_terminals) {
  const std::string console = "    <console type='pty'>\n      <target type='virtio' port='1'/>\n";
  EXPECT_NE(xml_of(job_spec(LinuxCommand{{"true"}, {}}), 0, kFullYield).find(console), std::string::npos);
}

TEST(DomainXml, of_a_hash_chain_is_as_agreed) {
  EXPECT_EQ(xml_of(job_spec(HashChain{5, 1000}), 0, {250'000}), kHashChain);
}

TEST(DomainXml, of_a_command_boots_the_linux_guest_with_the_tasks_number) {
  const std::string xml = xml_of(job_spec(LinuxCommand{{"true"}, ""}, {1'500'000}, 3), 2, kFullYield);
  EXPECT_NE(
      xml.find("<kernel>/guest/vmlinuz</kernel>\n    <initrd>/spool/7/initrd.img</initrd>\n"
               "    <cmdline>console=ttyS0 quiet panic=-1 aliquot.job=7 aliquot.task=2 aliquot.tasks=3 "
               "aliquot.units=1 aliquot.first_unit=2 aliquot.all_units=3 aliquot.output=1048576</cmdline>"),
      std::string::npos)
      << xml;
  EXPECT_NE(xml.find("<vcpu>2</vcpu>"), std::string::npos);
  EXPECT_NE(xml.find("<quota>75000</quota>"), std::string::npos) << "for each of the two";
}

TEST(DomainXml, of_a_job_that_may_grow_has_the_vcpus_for_it_and_the_cap_of_its_need) {
  JobSpec job = job_spec(HashChain{5, 1000}, {500'000});
  Submission growing = *job.submission;
  growing.max_need = Cpu{2'500'000};
  job.submission = std::move(growing);
  const std::string xml = xml_of(job, 0, {600'000});
  EXPECT_NE(xml.find("<vcpu>3</vcpu>"), std::string::npos) << xml;
  EXPECT_NE(xml.find("<quota>10000</quota>"), std::string::npos) << "a third of 0.3 cores for each";
}

TEST(DomainXml, under_kvm_has_the_processor_of_the_node) {
  const std::string xml = xml_of(job_spec(HashChain{5, 1000}), 0, kFullYield, Acceleration::kvm);
  EXPECT_TRUE(xml.starts_with("<domain type='kvm'>"));
  EXPECT_NE(xml.find("<cpu mode='host-model'/>"), std::string::npos);
  EXPECT_EQ(xml.find("<tcg>"), std::string::npos);
}

TEST(DomainXml, of_an_image_boots_from_a_layer_of_the_tasks_own) {
  const std::string xml = xml_of(job_spec(ImageBoot{"debian", std::string(64, 'd')}), 0, kFullYield);
  EXPECT_EQ(xml.find("<kernel>"), std::string::npos);
  EXPECT_NE(xml.find("<source file=\"/spool/7/0.qcow2\"/>"), std::string::npos) << xml;
  EXPECT_NE(xml.find("cache='none'"), std::string::npos);
  EXPECT_EQ(xml.find("vdb"), std::string::npos) << "without a command there is no seed";
}

TEST(DomainXml, of_a_command_in_an_image_has_the_seed_as_a_second_disk_that_is_only_read) {
  const std::string xml =
      xml_of(job_spec(ImageBoot{"debian", std::string(64, 'd'), {"true"}}), 0, kFullYield);
  EXPECT_NE(xml.find(R"(    <disk type='file' device='disk'>
      <driver name='qemu' type='raw'/>
      <source file="/spool/7/0.seed"/>
      <target dev='vdb' bus='virtio'/>
      <readonly/>
    </disk>)"),
            std::string::npos)
      << xml;
}

TEST(DomainXml, of_a_command_in_an_image_has_its_input_files_as_a_third_disk_that_is_only_read) {
  const std::string digest(64, 'e');
  const std::string xml =
      xml_of(job_spec(ImageBoot{"debian", std::string(64, 'd'), {"true"}, digest}), 0, kFullYield);
  EXPECT_NE(xml.find("      <source file=\"/spool/content/" + digest + R"("/>
      <target dev='vdc' bus='virtio'/>
      <readonly/>
    </disk>)"),
            std::string::npos)
      << xml;
}

TEST(DomainXml, of_an_image_that_boots_by_uefi_has_a_file_for_what_its_firmware_remembers) {
  ImageBoot boot{"debian", std::string(64, 'd')};
  const std::string bios = xml_of(job_spec(boot), 0, kFullYield);
  boot.uefi = true;
  std::string xml = xml_of(job_spec(boot), 0, kFullYield);
  const auto without = [&xml](const std::string& text, const std::string& instead) {
    const std::size_t at = xml.find(text);
    ASSERT_NE(at, std::string::npos) << text << xml;
    xml.replace(at, text.size(), instead);
  };
  without("<os firmware='efi'>", "<os>");
  without("    <nvram>/spool/7/0.nvram</nvram>\n", "");
  EXPECT_EQ(xml, bios) << "nothing else differs";
}

TEST(DomainXml, of_a_job_with_a_network_has_an_interface_in_its_bridge) {
  JobSpec job = job_spec(LinuxCommand{{"true"}, {}}, cores(1), 2);
  Submission networked = *job.submission;
  networked.network = JobNetwork{{{0x0ad30000}, 16}, 1400};
  job.submission = std::move(networked);
  job.node_addresses = {"10.0.0.1", "10.0.0.2"};
  const std::string xml = xml_of(job, 1, kFullYield);
  EXPECT_NE(xml.find("nodes=\"10.0.0.1 10.0.0.2\"/></metadata>"), std::string::npos) << xml;
  for (const char* part :
       {"<mac address='02:00:00:07:00:01'/>", "<source bridge='aqb7'/>", "<target dev='aqt7.1'/>",
        "<mtu size='1400'/>", "aliquot.network=10.211.0.0/16", "aliquot.mtu=1400"})
    EXPECT_NE(xml.find(part), std::string::npos) << part << " in " << xml;
  const std::string alone = xml_of(job_spec(LinuxCommand{{"true"}, {}}), 0, kFullYield);
  for (const char* part : {"<interface", "<disk"}) EXPECT_EQ(alone.find(part), std::string::npos) << part;
  EXPECT_NE(xml.find(R"(    <disk type='file' device='disk'>
      <driver name='qemu' type='raw' cache='none'/>
      <source file="/spool/7/tasks"/>
      <target dev='vdd' bus='virtio'/>
      <readonly/>
      <serial>aliquot-tasks</serial>
    </disk>)"),
            std::string::npos)
      << xml;
}

TEST(DomainXml, of_a_job_in_the_network_of_the_site_takes_its_bridge_as_it_is) {
  JobSpec job = job_spec(LinuxCommand{{"true"}, {}}, cores(1), 2);
  Submission networked = *job.submission;
  networked.network.emplace().site_bridge = "br0";
  job.submission = std::move(networked);
  const std::string xml = xml_of(job, 1, kFullYield);
  for (const char* part : {"<mac address='06:00:00:07:00:01'/>", "<source bridge='br0'/>",
                           "<target dev='aqs7.1'/>", "aliquot.network=dhcp"})
    EXPECT_NE(xml.find(part), std::string::npos) << part << " in " << xml;
  for (const char* part : {"<mtu", "aliquot.mtu"}) EXPECT_EQ(xml.find(part), std::string::npos) << part;
}

// The user is root, which every machine knows.
TEST(DomainXml, of_a_job_with_shares_has_an_interface_that_leads_to_them_alone) {
  JobSpec job = job_spec(LinuxCommand{{"true"}, {}}, cores(1), 2);
  Submission shared = *job.submission;
  shared.shares = {{"home", "nfs1", "/export", "/home", false}, {"data", "10.0.0.7", "/d", "/data", true}};
  job.submission = std::move(shared);
  const std::string xml = xml_of(job, 1, kFullYield);
  EXPECT_NE(xml.find(R"(    <interface type='ethernet'>
      <mac address='0a:00:00:07:00:01'/>
      <target dev='aqn7.1' managed='no'/>
      <model type='virtio'/>
      <rom enabled='no'/>
    </interface>)"),
            std::string::npos)
      << xml;
  EXPECT_NE(
      xml.find(R"(<aliquot:shares xmlns:aliquot="urn:aliquot:shares:1" job="7" tap="aqn7.1" uid="0")"),
      std::string::npos)
      << xml;
  EXPECT_NE(xml.find(R"( servers="nfs1 10.0.0.7"/></metadata>)"), std::string::npos) << xml;
}

TEST(TaskDomain, has_no_shares_for_a_user_that_is_not_known) {
  JobSpec job = job_spec(LinuxCommand{{"true"}, {}});
  Submission shared = *job.submission;
  shared.shares = {{"home", "nfs1", "/export", "/home", false}};
  shared.uid = 4'000'000'001;
  job.submission = std::move(shared);
  const auto spec = task_domain(common(), job, 0, kFullYield, kMillion, Acceleration::kvm);
  ASSERT_FALSE(spec);
  EXPECT_NE(spec.error().message.find("the user id 4000000001 is not known"), std::string::npos);
}

TEST(DomainXml, takes_hostile_text_as_text) {
  const KernelBoot hostile{"/k", "/i", "a=</cmdline></os></domain> b=\"'&amp;\n", "k</kernel><devices>",
                           "i\"'&"};
  const std::string xml = xml_of(job_spec(hostile), 0, kFullYield);
  EXPECT_NE(xml.find("<kernel>/spool/content/k&lt;/kernel&gt;&lt;devices&gt;</kernel>"), std::string::npos)
      << xml;
  EXPECT_NE(xml.find("<initrd>/spool/content/i&quot;&apos;&amp;</initrd>"), std::string::npos);
  EXPECT_NE(
      xml.find(
          "<cmdline>a=&lt;/cmdline&gt;&lt;/os&gt;&lt;/domain&gt; b=&quot;&apos;&amp;amp;&#10;</cmdline>"),
      std::string::npos);
}

TEST(DomainXml, refuses_what_xml_cannot_hold) {
  for (const std::string& bad :
       {std::string("a\0b", 3), std::string("\x01"), std::string("\x1b[2J"), std::string("\xff"),
        std::string("\xc0\xaf"), std::string("\xed\xa0\x80")}) {
    const auto spec = task_domain(common(), job_spec(KernelBoot{"/k", "", bad, std::string(64, 'a')}), 0,
                                  kFullYield, kMillion, Acceleration::emulation);
    ASSERT_TRUE(spec);
    const auto xml = domain_xml(*spec);
    ASSERT_FALSE(xml);
    EXPECT_EQ(xml.error().kind, ErrorKind::invalid_argument);
  }
}

TEST(TaskDomain, refuses_what_no_hypervisor_can_run) {
  const auto kind_of_error = [](Program program, Yield yield = kFullYield) {
    const auto spec =
        task_domain(common(), job_spec(std::move(program)), 0, yield, kMillion, Acceleration::kvm);
    return spec ? std::optional<ErrorKind>() : spec.error().kind;
  };
  EXPECT_EQ(kind_of_error(ModelWork{}), ErrorKind::unsupported);
  EXPECT_EQ(kind_of_error(KernelBoot{"/k", "", ""}), ErrorKind::refused) << "no copy was taken of it";
  EXPECT_EQ(kind_of_error(KernelBoot{"/k", "/initrd", "", std::string(64, 'a')}), ErrorKind::refused);
  EXPECT_EQ(kind_of_error(ImageBoot{"/disk.img"}), ErrorKind::refused);
  EXPECT_EQ(kind_of_error(HashChain{1, 1}, {0}), ErrorKind::invalid_argument) << "no cap is no limit";
}

TEST(XmlText, survives_the_way_into_an_attribute_and_back) {
  for (const std::string text :
       {"", "plain", "<>&\"'", "a\tb\nc\rd", "&lt;", "&#10;", "&", "&unknown;", "€ü"}) {
    EXPECT_EQ(xml_unescaped(xml_escaped(text)), text);
  }
  EXPECT_EQ(xml_unescaped("&#65;&#x42;&#300;&#xZ;&"), "AB&#300;&#xZ;&");
}

TEST(DomainXml, AGroupHasTheMemoryAndTheCpusOfAllItsTasks) {
  JobSpec job = job_spec(HashChain{5, 1000}, Cpu{500'000});
  job.tasks[0].units = 3;
  const std::string xml = xml_of(job, 0, kFullYield);
  EXPECT_NE(xml.find("<memory unit='KiB'>294912</memory>"), std::string::npos) << xml;
  EXPECT_NE(xml.find("<vcpu>3</vcpu>"), std::string::npos) << xml;
  EXPECT_NE(xml.find("<quota>50000</quota>"), std::string::npos) << xml;
}

TEST(DomainXml, AGroupRunsItsCommandOnceAndKnowsItsUnits) {
  JobSpec job = job_spec(LinuxCommand{{"true"}, ""}, cores(1), 3);
  job.tasks[0].units = 2;
  job.tasks[1].units = 4;
  const std::string xml = xml_of(job, 1, kFullYield);
  EXPECT_NE(
      xml.find("aliquot.task=1 aliquot.tasks=3 aliquot.units=4 aliquot.first_unit=2 aliquot.all_units=7"),
      std::string::npos)
      << xml;
}

TEST(DomainXml, AGroupHasWhatWasChargedForAllButOneQemu) {
  JobSpec job = job_spec(HashChain{5, 1000});
  Submission charged = *job.submission;
  charged.demand.memory = charged.guest_memory + mebibytes(64);
  job.submission = std::move(charged);
  EXPECT_NE(xml_of(job, 0, kFullYield).find("<memory unit='KiB'>98304</memory>"), std::string::npos);
  job.tasks[0].units = 3;
  const std::string xml = xml_of(job, 0, kFullYield);
  EXPECT_NE(xml.find("<memory unit='KiB'>425984</memory>"), std::string::npos) << "3 x 96 + 2 x 64 MiB";
}

const std::string kUuid = "4b20d080-1b54-4048-85b3-a6a62d165c01";

TEST(DomainXml, PassesTheDevicesThroughThatTheVmHolds) {
  JobSpec job = job_spec(HashChain{5, 1000});
  const auto xml_with = [&](std::vector<std::string> places) {
    job.places = {std::move(places)};
    const auto spec = task_domain(common(), job, 0, kFullYield, kMillion, Acceleration::kvm);
    return spec ? *domain_xml(*spec) : spec.error().message;
  };
  EXPECT_EQ(xml_with({}).find("hostdev"), std::string::npos) << "a stand-in is nothing to a guest";
  const std::string both = xml_with({"0000:3b:00.0", "0000:af:1f.7"});
  EXPECT_NE(both.find("<address domain='0x0000' bus='0x3b' slot='0x00' function='0x0'/>"),
            std::string::npos);
  EXPECT_NE(both.find("<address domain='0x0000' bus='0xaf' slot='0x1f' function='0x7'/>"),
            std::string::npos);
  EXPECT_NE(both.find("<hostdev mode='subsystem' type='pci' managed='yes'>"), std::string::npos);
  EXPECT_NE(xml_with({"mdev:" + kUuid})
                .find("    <hostdev mode='subsystem' type='mdev' model='vfio-pci'>\n"
                      "      <source><address uuid=\"" +
                      kUuid + "\"/></source>\n    </hostdev>\n"),
            std::string::npos);
  EXPECT_EQ(xml_with({"gone:0000:3b:00.0"}),
            "job 7: its node has the device 0000:3b:00.0 no longer; see `aliquot node probe`");
  Submission slice = *job.submission;
  slice.demand.devices = {1, 250};
  job.submission = std::move(slice);
  EXPECT_NE(xml_with({"0000:3b:00.0"}).find("a slice of 0000:3b:00.0 cannot be passed through"),
            std::string::npos);
}

// Our document against libvirt's own schema and parser. Its test driver runs domains of its own type only.
TEST(DomainXml, with_devices_is_what_libvirt_takes) {
  JobSpec job = job_spec(LinuxCommand{{"true"}, ""});
  job.places = {{"0000:3b:00.0", "mdev:" + kUuid}};
  std::string xml = xml_of(job, 0, kFullYield, Acceleration::kvm);
  const std::string type = "<domain type='kvm'>";
  ASSERT_TRUE(xml.starts_with(type));
  xml.replace(0, type.size(), "<domain type='test'>");
  const auto connection = Connection::open("n1", "test:///default");
  ASSERT_TRUE(connection) << connection.error().message;
  const auto define = [&](const std::string& document) {
    const DomainHandle domain(
        virDomainDefineXMLFlags((*connection)->get(), document.c_str(), VIR_DOMAIN_DEFINE_VALIDATE));
    if (!domain) return libvirt_error(**connection, "cannot define").message;
    char* text = virDomainGetXMLDesc(domain.get(), 0);
    const std::string out = text == nullptr ? "" : text;
    free(text);
    return out;
  };
  const std::string defined = define(xml);
  EXPECT_NE(defined.find("<address uuid='" + kUuid + "'/>"), std::string::npos) << defined;
  EXPECT_NE(defined.find("bus='0x3b'"), std::string::npos) << defined;
  const std::string uuid = "uuid=\"" + kUuid;
  std::string wrong = xml;
  wrong.replace(wrong.find(uuid), uuid.size(), "uuid=\"not a uuid");
  EXPECT_NE(define(wrong).find("cannot define"), std::string::npos) << "the check can fail";
}

TEST(DomainXml, of_linux_has_a_balloon_that_tells_what_its_guest_uses_of_its_memory) {
  const std::string xml = xml_of(job_spec(LinuxCommand{{"true"}, {}}), 0, kFullYield);
  EXPECT_NE(xml.find("    <memballoon model='virtio' autodeflate='on'>\n      <stats period='5'/>\n    "
                     "</memballoon>\n"),
            std::string::npos)
      << xml;
}

}  // namespace
}  // namespace aliquot
