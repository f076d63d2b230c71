// The kinds of guests that only a real hypervisor runs, and whether the processor's own virtualisation
// works.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "manager/hypervisor/spool.hpp"
#include "test/integration/hypervisor_disks.hpp"
#include "test/integration/hypervisor_libvirt_nodes.hpp"

namespace aliquot {
namespace {

class LibvirtGuests : public HypervisorContract {
 protected:
  LibvirtHypervisor& libvirt() { return dynamic_cast<LibvirtHypervisor&>(*hypervisor_); }
  static bool has_linux() {
    return std::filesystem::exists(LocalNodes::instance().setup().hypervisor.guest_dir + "/initrd.img");
  }
  static Submission command(std::vector<std::string> argv, Cpu need = cores(1)) {
    Submission submission;
    submission.demand.need = need;
    submission.guest_memory = mebibytes(128);
    submission.program = LinuxCommand{std::move(argv), ""};
    return submission;
  }
  std::string console(std::uint32_t task = 0) const {
    std::stringstream out;
    out << std::ifstream(Spool(LocalNodes::instance().spool()).console(spec_->job, task)).rdbuf();
    return out.str();
  }
  std::optional<int> exit_code_of(std::uint32_t task) {
    const auto of_task = [&](const TaskEnded& one) { return one.tasks.first == task; };
    const auto ended = [&] { return !log_.all<TaskEnded>(of_task).empty(); };
    if (!passes_until(ended, seconds(90))) return std::nullopt;
    return log_.all<TaskEnded>(of_task)[0].exit_code;
  }
};

TEST_P(LibvirtGuests, a_command_runs_in_linux_and_its_exit_status_comes_back) {
  if (!has_linux()) GTEST_SKIP() << "no Linux guest: build the target `guest` first";
  submit(command({"sh", "-c",
                  "echo \"task $ALIQUOT_TASK of $ALIQUOT_TASKS: $1\"; "
                  "echo \"processors: $(grep -c ^processor /proc/cpuinfo)\"; exit $((7 + ALIQUOT_TASK))",
                  "sh", "a <hostile> & 'quoted' \"argument\""},
                 {1'500'000}),
         2);
  ASSERT_EQ(act(Create{next(), NodeId{0}, kFullYield}), kDone);
  ASSERT_EQ(act(Release{next()}), kDone);
  EXPECT_EQ(exit_code_of(0), 7);
  EXPECT_EQ(exit_code_of(1), 8);
  EXPECT_NE(console(0).find("task 0 of 2: a <hostile> & 'quoted' \"argument\""), std::string::npos)
      << console(0);
  EXPECT_NE(console(1).find("task 1 of 2"), std::string::npos) << console(1);
  EXPECT_NE(console(1).find("processors: 2"), std::string::npos) << "a need above one core: " << console(1);
}

TEST_P(LibvirtGuests, a_linux_guest_goes_on_after_save_restore_and_migration) {
  if (!has_linux()) GTEST_SKIP() << "no Linux guest: build the target `guest` first";
  submit(command({"sh", "-c", "i=0; while [ $i -lt 400 ]; do i=$((i+1)); echo line $i; done; exit 9"}));
  ASSERT_EQ(act(Create{next(), NodeId{0}, {300'000}}), kDone);
  ASSERT_EQ(act(Release{next()}), kDone);
  backend_->let_pass(seconds(2));
  ASSERT_EQ(act(Save{next(), NodeId{0}}), kDone);
  ASSERT_EQ(act(Restore{next(), NodeId{1}, {500'000}}), kDone);
  place(1);
  ASSERT_EQ(act(Release{next()}), kDone);
  const auto moved = outcomes(Migrate{next(), NodeId{1}, NodeId{0}});
  if (!moved.at(0).error) place(0);  // it may have ended before
  EXPECT_EQ(exit_code_of(0), 9);
  std::istringstream lines(console());
  std::string line;
  int expected = 0;
  while (std::getline(lines, line)) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.starts_with("line ")) {
      EXPECT_EQ(line, "line " + std::to_string(++expected));
    }
  }
  EXPECT_EQ(expected, 400);
}

// A disk of one sector: counts to three thousand million (seconds of work: a paused VM with a disk runs for
// a moment before it is moved or saved, and must not end in it), says its exit status on the status channel
// and switches the machine off.
std::string tiny_disk() {
  const unsigned char code[] = {0xFC, 0x31, 0xC0, 0x8E, 0xD8,                     // cld; ds = 0
                                0x66, 0xB9, 0x00, 0x5E, 0xD0, 0xB2,               // ecx = 3'000'000'000
                                0x67, 0xE2, 0xFD,                                 // until ecx is 0
                                0xBA, 0xF8, 0x02,                                 // dx = COM2
                                0xBE, 0x24, 0x7C,                                 // si = the text below
                                0xAC, 0x84, 0xC0, 0x74, 0x03, 0xEE,               // until NUL: out
                                0xEB, 0xF8,                                       //
                                0xBA, 0x04, 0x06, 0xB8, 0x00, 0x20, 0xEF, 0xF4};  // power off; hlt
  std::string disk(1 << 20, '\0');
  disk.replace(0, sizeof code, reinterpret_cast<const char*>(code), sizeof code);
  const std::string text = "aliquot-status 1 exit 4\n";
  disk.replace(sizeof code, text.size(), text);
  disk[510] = '\x55';
  disk[511] = '\xAA';
  return disk;
}

TEST_P(LibvirtGuests, a_disk_image_boots_from_a_layer_of_its_own_and_moves) {
  const Spool spool(LocalNodes::instance().spool());
  const std::string content = sha256_hex(tiny_disk());
  std::filesystem::create_directories(spool.contents());
  std::ofstream(spool.content(content), std::ios::binary) << tiny_disk();
  Submission submission;
  submission.demand.need = cores(1);
  submission.guest_memory = mebibytes(32);
  submission.program = ImageBoot{"tiny", content};
  submit(submission);
  ASSERT_EQ(act(Create{next(), NodeId{0}, kFullYield}), kDone);
  ASSERT_EQ(act(Migrate{next(), NodeId{0}, NodeId{1}}), kDone);
  place(1);
  EXPECT_EQ(look().fact, VmFact::paused) << "not released yet";
  ASSERT_EQ(act(Save{next(), NodeId{1}}), kDone);
  ASSERT_EQ(act(Restore{next(), NodeId{0}, kFullYield}), kDone);
  place(0);
  ASSERT_EQ(act(Release{next()}), kDone);
  EXPECT_EQ(exit_code_of(0), 4);
}

// Two tasks on two nodes, each with a disk: destroyed in full work, they go on from the checkpoint on the
// other node, twice. Memory, disk and console agree, so nothing was lost or done twice.
TEST_P(LibvirtGuests, memory_disk_and_console_go_back_to_the_same_moment) {
  submit(counting_job(Spool(LocalNodes::instance().spool()), 1000), 2);
  TaskNodes there(NodeId{0});
  there.append(1, NodeId{1});
  TaskNodes swapped(NodeId{1});
  swapped.append(1, NodeId{0});
  ASSERT_EQ(act(Create{next(), there, kFullYield}), kDone);
  place(0, 1);
  ASSERT_EQ(act(Release{next()}), kDone);
  const auto steps = [&](std::uint32_t task) {
    const std::string said = console(task);
    return std::count(said.begin(), said.end(), '+');
  };
  const auto both_pass = [&](std::ptrdiff_t count) {
    return passes_until([&] { return steps(0) >= count && steps(1) >= count; }, seconds(120));
  };
  ASSERT_TRUE(both_pass(20));
  ASSERT_EQ(act(Checkpoint{next(), 1}), kDone);
  const auto then = std::min(steps(0), steps(1));
  for (const TaskNodes& where : {swapped, there}) {
    ASSERT_TRUE(both_pass(then + 20));
    ASSERT_EQ(act(Destroy{next(), where == swapped ? there : swapped}), kDone);
    ASSERT_EQ(act(Restore{next(), where, kFullYield, 1}), kDone);
    where == swapped ? place(1, 0) : place(0, 1);
    EXPECT_LT(std::min(steps(0), steps(1)), then + 20) << "the console was cut";
    ASSERT_EQ(act(Release{next()}), kDone);
  }
  EXPECT_EQ(exit_code_of(0), 4);
  EXPECT_EQ(exit_code_of(1), 4);
  EXPECT_EQ(steps(0), 1000);
  EXPECT_EQ(steps(1), 1000);
}

TEST_P(LibvirtGuests, a_damaged_checkpoint_is_refused_and_the_one_before_it_is_used) {
  run(backend_->endless());
  ASSERT_EQ(act(Checkpoint{next(), 1}), kDone);
  ASSERT_EQ(act(Checkpoint{next(), 2, {1}}), kDone);
  ASSERT_EQ(act(Destroy{next(), NodeId{0}}), kDone);
  const Spool spool(LocalNodes::instance().spool());
  {
    std::fstream image(spool.checkpoint_memory(spec_->job, 2, 0),
                       std::ios::binary | std::ios::in | std::ios::out);
    image.seekp(200'000);
    image.put('?').put('!');
  }
  const auto refused = outcomes(Restore{next(), NodeId{1}, kFullYield, 2});
  ASSERT_TRUE(refused.at(0).error);
  EXPECT_EQ(refused[0].error->kind, ErrorKind::refused);
  EXPECT_NE(refused[0].error->message.find("its checksum is not that of the manifest"), std::string::npos);
  EXPECT_EQ(look().fact, VmFact::absent);
  ASSERT_EQ(act(Restore{next(), NodeId{1}, kFullYield, 1}), kDone);
  place(1);
  const std::int64_t back = progress();
  ASSERT_EQ(act(Release{next()}), kDone);
  EXPECT_TRUE(passes_until([&] { return progress() > back; }, seconds(30)));
}

// One of two VMs cannot be written, because a directory stands where its file is to be: the other one is
// not kept either, both run on, and the next checkpoint succeeds.
TEST_P(LibvirtGuests, a_checkpoint_that_fails_for_one_vm_is_none_and_both_run_on) {
  run(backend_->endless(), {400'000}, 2);
  const Spool spool(LocalNodes::instance().spool());
  const std::string in_the_way = spool.checkpoint_memory(spec_->job, 1, 1) + "/x";
  std::filesystem::create_directories(in_the_way);
  for (const Outcome& one : outcomes(Checkpoint{next(), 1})) EXPECT_TRUE(one.error);
  EXPECT_FALSE(std::filesystem::exists(spool.checkpoint_manifest(spec_->job, 1)));
  EXPECT_FALSE(std::filesystem::exists(spool.checkpoint_memory(spec_->job, 1, 0)));
  for (const std::uint32_t task : {0U, 1U}) {
    EXPECT_EQ(look(task).fact, VmFact::running);
    const std::int64_t before = progress(task);
    EXPECT_TRUE(passes_until([&] { return progress(task) > before; }, seconds(30)));
  }
  EXPECT_EQ(act(Checkpoint{next(), 2}), kDone);
}

TEST_P(LibvirtGuests, whether_kvm_works_is_found_out_by_booting) {
  if (!has_linux()) GTEST_SKIP() << "no Linux guest: build the target `guest` first";
  LibvirtSetup setup = LocalNodes::instance().setup();
  setup.hypervisor.acceleration = "auto";
  LibvirtHypervisor probing(setup, [](const Event&) {});
  backend_->let_pass(seconds(1));
  const auto facts = probing.node_facts({0}, seconds(60), true);
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_TRUE(facts->acceleration == "kvm" || facts->acceleration == "emulation") << facts->acceleration;
  EXPECT_GE(facts->cores, 1U);
  EXPECT_GT(facts->memory, mebibytes(64));
  EXPECT_NE(facts->hypervisor.find("QEMU"), std::string::npos) << facts->hypervisor;
  std::printf("node1: %s, %s\n", facts->hypervisor.c_str(), facts->acceleration.c_str());

  setup.hypervisor.acceleration = "kvm";
  LibvirtHypervisor insisting(setup, log_.sink());
  backend_->let_pass(seconds(1));
  const auto strict = insisting.node_facts({0}, seconds(60), true);
  ASSERT_TRUE(strict);
  std::printf("with kvm required: %s\n", strict->note.c_str());
  EXPECT_EQ(strict->acceleration, facts->acceleration == "kvm" ? "kvm" : "none");
}

INSTANTIATE_TEST_SUITE_P(Libvirt, LibvirtGuests, testing::Values(BackendFactory(make_libvirt_backend)));

}  // namespace
}  // namespace aliquot
