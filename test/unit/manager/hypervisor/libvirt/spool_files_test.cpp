// What the backend writes to and reads from the spool.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "manager/hypervisor/checkpoint_files.hpp"
#include "manager/hypervisor/disk_layer.hpp"
#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/guest_image.hpp"
#include "manager/hypervisor/libvirt/saved_image.hpp"
#include "manager/hypervisor/libvirt/task_domain.hpp"
#include "manager/hypervisor/local_saves.hpp"
#include "manager/hypervisor/newc.hpp"
#include "manager/hypervisor/status_channel.hpp"
#include "monitor/sha256.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;

class SpoolFiles : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("aliquot-spool-" + std::to_string(::getpid()));
    fs::create_directories(spool().contents());
    fs::create_directories(root_ / "guest");
  }
  void TearDown() override { fs::remove_all(root_); }

  void put(const std::string& path, const std::string& content) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << content;
  }
  static std::string get(const std::string& path) {
    std::stringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
  }
  [[nodiscard]] Spool spool() const { return Spool(root_); }
  [[nodiscard]] GuestFiles guest() const { return GuestFiles(root_ / "guest"); }
  std::size_t files_in(const std::string& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  fs::path root_;
};

const std::string kSum(64, 'a');
const Uuid kVm = vm_uuid({"c", {7}, 0, 1, 0});

TEST_F(SpoolFiles, the_kernel_is_told_the_builders_parameters_then_the_tasks_own) {
  const std::string own =
      " aliquot.job=7 aliquot.task=1 aliquot.tasks=3 aliquot.units=2 aliquot.first_unit=4 "
      "aliquot.all_units=9 aliquot.output=4096";
  const auto told = [&] { return linux_cmdline(guest(), {{7}, 1, 3, 2, 4, 9}, Memory{4096}); };
  EXPECT_EQ(told(), "console=ttyS0 quiet panic=-1" + own) << "there is no such file";
  put(guest().parameters, "console=ttyS0 no_timer_check\nsecond line\n");
  EXPECT_EQ(told(), "console=ttyS0 no_timer_check" + own);
}

TEST_F(SpoolFiles, the_initrd_is_base_then_archive_then_command) {
  put(guest().initrd, std::string(700, 'B'));
  put(spool().content(kSum), std::string(512, 'A'));
  ASSERT_TRUE(compose_initrd(guest(), spool(), {7}, {{"prog", "an arg", ""}, kSum}, {}));
  const std::string argv = newc_archive({{"aliquot/argv", 0100644, std::string("prog\0an arg\0\0", 13)}});
  EXPECT_EQ(get(spool().initrd({7})),
            std::string(700, 'B') + std::string(324, '\0') + std::string(512, 'A') + argv);
  EXPECT_EQ(files_in(spool().directory({7})), 1U) << "nothing is left beside it";
}

TEST_F(SpoolFiles, what_a_job_says_of_its_data_stands_beside_its_command) {
  const JobData data{{"A=1", "B="}, "/job", {}, {}, {"out", "/tmp/x"}, Memory{4096}};
  const std::string together =
      newc_archive({{"aliquot/argv", 0100644, std::string("true\0", 5)},
                    {"aliquot/env", 0100644, std::string("A=1\0B=\0", 7)},
                    {"aliquot/workdir", 0100644, "/job"},
                    {"aliquot/stage-out", 0100644, std::string("4096\0out\0/tmp/x\0", 16)}});
  EXPECT_EQ(command_archive({"true"}, data).value(), together);
}

// One that stands in another is mounted after it, and both by the port of their server.
TEST_F(SpoolFiles, a_job_with_shares_has_what_mounts_them_and_a_list) {
  put(guest().initrd, std::string(512, 'B'));
  put(guest().shares, std::string(512, 'S'));
  const std::vector<NfsShare> shares{{"inner", "nfs1", "/x", "/home/x", true},
                                     {"home", "nfs2", "/h", "/home", false}};
  const std::string list(
      "20491\0rw\0nfs2:/h\0/home\0"
      "20490\0ro\0nfs1:/x\0/home/x\0",
      48);
  ASSERT_TRUE(compose_initrd(guest(), spool(), {7}, {{"true"}, ""}, {}, shares));
  EXPECT_EQ(get(spool().initrd({7})), std::string(512, 'B') + std::string(512, 'S') +
                                          newc_archive({{"aliquot/argv", 0100644, std::string("true\0", 5)},
                                                        {"aliquot/shares", 0100644, list}}));
}

TEST_F(SpoolFiles, a_builtin_command_needs_no_archive) {
  put(guest().initrd, std::string(512, 'B'));
  ASSERT_TRUE(compose_initrd(guest(), spool(), {7}, {{"true"}, ""}, {}));
  EXPECT_EQ(get(spool().initrd({7})).size(), 512 + command_archive({"true"}, {})->size());
}

TEST_F(SpoolFiles, an_initrd_that_cannot_be_whole_is_not_there_at_all) {
  EXPECT_FALSE(compose_initrd(guest(), spool(), {7}, {{"true"}, ""}, {})) << "no base";
  put(guest().initrd, "B");
  EXPECT_FALSE(compose_initrd(guest(), spool(), {7}, {{"true"}, kSum}, {})) << "no archive";
  EXPECT_FALSE(compose_initrd(guest(), spool(), {7}, {{}, ""}, {})) << "no command";
  EXPECT_FALSE(compose_initrd(guest(), spool(), {7}, {{std::string("a\0b", 3)}, ""}, {}));
  EXPECT_FALSE(compose_initrd(guest(), spool(), {7}, {{std::string(2 << 20, 'x')}, ""}, {}));
  for (const std::string& sum : {std::string("../../../etc/passwd"), std::string(64, 'A'),
                                 std::string(63, 'a'), std::string(63, 'a') + "/"}) {
    EXPECT_FALSE(compose_initrd(guest(), spool(), {7}, {{"true"}, sum}, {})) << sum;
  }
  EXPECT_EQ(files_in(spool().directory({7})), 0U);
}

TEST_F(SpoolFiles, an_image_counts_if_it_is_complete_and_of_this_vm) {
  const std::string xml = "\x01\x02<domain><uuid>" + to_string(kVm) + "</uuid></domain>";
  const std::string other = "<uuid>" + to_string(vm_uuid({"c", {7}, 0, 2, 0})) + "</uuid>";
  const std::string path = spool().image({7}, 0);
  EXPECT_FALSE(*recover_image(spool(), {7}, 0, kVm));
  for (const std::string& content : {std::string(), std::string("LibvirtQemudPart") + xml,
                                     std::string("LibvirtQemudSav"), "LibvirtQemudSave" + other}) {
    put(path, content);
    EXPECT_FALSE(*recover_image(spool(), {7}, 0, kVm)) << content;
  }
  put(path, "LibvirtQemudSave" + xml);
  EXPECT_TRUE(*recover_image(spool(), {7}, 0, kVm));
}

TEST_F(SpoolFiles, a_complete_image_takes_the_place_of_the_former_one_and_no_other_does) {
  const std::string xml = "<uuid>" + to_string(kVm) + "</uuid>";
  put(spool().image({7}, 0), "LibvirtQemudSave" + xml + "old");
  put(spool().image_part({7}, 0), "LibvirtQemudPart" + xml + "new");
  EXPECT_TRUE(*recover_image(spool(), {7}, 0, kVm));
  EXPECT_TRUE(get(spool().image({7}, 0)).ends_with("old"));
  put(spool().image_part({7}, 0), "LibvirtQemudSave" + xml + "new");
  EXPECT_TRUE(*recover_image(spool(), {7}, 0, kVm));
  EXPECT_TRUE(get(spool().image({7}, 0)).ends_with("new"));
  EXPECT_FALSE(fs::exists(spool().image_part({7}, 0)));
  EXPECT_TRUE(remove_images(spool(), {7}, 0));
  EXPECT_TRUE(remove_images(spool(), {7}, 0)) << "absent is done";
}

// The image of a move, of an earlier pause, of a node that kept it.
TEST_F(SpoolFiles, of_two_images_the_mark_tells_which_is_the_newer) {
  const VmIdentity vm{"c", {7}, 0, 1, 0};
  const std::string image = "LibvirtQemudSave<uuid>" + to_string(kVm) + "</uuid>" + metadata_element(vm);
  fs::create_directories(root_ / "disk");
  const Spool here(root_, open_local_saves(root_ / "disk", root_ / "none").value());
  put(spool().image({7}, 0), image);
  put(here.image({7}, 0), image);
  EXPECT_EQ(find_image(here, vm).value(), spool().image({7}, 0)) << "the node keeps nothing of it now";
  EXPECT_TRUE(locally_saved(here, "c").empty());
  ASSERT_TRUE(mark_kept(here, vm));
  EXPECT_EQ(find_image(here, vm).value(), here.image({7}, 0));
  EXPECT_FALSE(find_image(spool(), vm).value()) << "another node keeps it";
  ASSERT_EQ(locally_saved(here, "c").size(), 1U);
  EXPECT_EQ(locally_saved(here, "c")[0], vm);
  EXPECT_TRUE(locally_saved(here, "d").empty()) << "of another cluster";
  EXPECT_TRUE(locally_saved(spool(), "c").empty());
  fs::rename(here.image({7}, 0), here.image_part({7}, 0));
  EXPECT_EQ(find_image(here, vm).value(), here.image({7}, 0)) << "complete, and not renamed yet";
  put(here.image({7}, 0), "LibvirtQemudPart");
  EXPECT_FALSE(find_image(here, vm).value()) << "the one in the spool is older";
}

TEST_F(SpoolFiles, a_checkpoint_counts_when_its_manifest_is_there_and_its_files_are_as_written) {
  const auto verified = [&] { return verified_checkpoint(spool(), {7}, 3, 0, kVm); };
  put(spool().checkpoint_memory({7}, 3, 0), "memory");
  put(spool().checkpoint_disk({7}, 3, 0), "disk");
  EXPECT_EQ(verified().error().kind, ErrorKind::refused) << "no manifest yet";
  ASSERT_TRUE(seal_checkpoint(spool(), {7}, 3, {{0, to_string(kVm), 12, 5, {}, {}, 7}}, true));
  ASSERT_TRUE(verified());
  EXPECT_EQ(verified()->console, 12U);
  EXPECT_EQ(verified()->status, 5U);
  EXPECT_EQ(verified()->results, 7U);
  EXPECT_EQ(verified_checkpoint(spool(), {7}, 3, 1, kVm).error().kind, ErrorKind::refused)
      << "not of task 1";
  for (const std::string& file : {spool().checkpoint_memory({7}, 3, 0), spool().checkpoint_disk({7}, 3, 0),
                                  spool().checkpoint_manifest({7}, 3)}) {
    const std::string whole = get(file);
    std::string damaged = whole;
    damaged[whole.size() / 2] ^= 1;
    put(file, damaged);
    EXPECT_EQ(verified().error().kind, ErrorKind::refused) << file;
    put(file, whole.substr(0, whole.size() - 1));
    EXPECT_EQ(verified().error().kind, ErrorKind::refused) << file << " is shorter";
    put(file, whole);
    EXPECT_TRUE(verified()) << file;
  }
}

TEST_F(SpoolFiles, a_manifest_of_a_version_without_result_files_is_read) {
  const TaskCheckpoint task{1, to_string(kVm), 12, 5, "m", "d", 0};
  std::string lines = manifest_text({task});
  lines = lines.substr(0, lines.rfind(" 0\nsha256 ")) + "\n";
  const auto read = parse_manifest(lines + "sha256 " + sha256_hex(lines) + "\n");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->front(), task);
}

TEST_F(SpoolFiles, parts_of_a_checkpoint_are_read_as_they_were_written_and_go_with_it) {
  const TaskCheckpoint part{1, to_string(kVm), 12, 5, {}, {}};
  put(spool().checkpoint_memory({7}, 3, 1), "memory");
  ASSERT_TRUE(write_part(spool(), {7}, 3, part));
  EXPECT_EQ(read_part(spool(), {7}, 3, 1).value(), part);
  EXPECT_EQ(read_part(spool(), {7}, 3, 0).error().kind, ErrorKind::refused) << "was never written";
  put(spool().checkpoint_part({7}, 3, 0), get(spool().checkpoint_part({7}, 3, 1)));
  EXPECT_EQ(read_part(spool(), {7}, 3, 0).error().kind, ErrorKind::refused) << "of another task";
  const Checkpoint failed{{OpId{1}, {7}, {0, 2}}, 3};
  EXPECT_TRUE(conclude_checkpoint(spool(), failed, nullptr, false));
  EXPECT_FALSE(fs::exists(spool().checkpoint_part({7}, 3, 1)));
}

TEST_F(SpoolFiles, checkpoints_that_are_not_kept_are_removed_and_newer_ones_are_left_alone) {
  const auto write = [&](std::uint32_t number) {
    put(spool().checkpoint_memory({7}, number, 0), "memory");
    ASSERT_TRUE(seal_checkpoint(spool(), {7}, number, {{0, to_string(kVm), 0, 0, {}, {}}}, false));
  };
  for (const std::uint32_t number : {1U, 2U, 3U, 12U}) write(number);
  put(spool().console({7}, 0), "output");
  remove_checkpoints(spool(), {7}, {2}, 3);
  EXPECT_FALSE(verified_checkpoint(spool(), {7}, 1, 0, kVm));
  EXPECT_TRUE(verified_checkpoint(spool(), {7}, 2, 0, kVm));
  EXPECT_FALSE(fs::exists(spool().checkpoint_memory({7}, 3, 0)));
  EXPECT_TRUE(verified_checkpoint(spool(), {7}, 12, 0, kVm));
  EXPECT_TRUE(fs::exists(spool().console({7}, 0)));
}

TEST_F(SpoolFiles, a_copy_is_the_file_with_its_holes_and_its_length) {
  const std::string from = spool().overlay({7}, 0);
  put(from, std::string(100'000, 'x'));
  fs::resize_file(from, 10 << 20);
  const std::string to = spool().checkpoint_disk({7}, 1, 0);
  ASSERT_TRUE(copy_file(from, to));
  EXPECT_EQ(get(to), get(from));
  struct stat copied {};
  ASSERT_EQ(::stat(to.c_str(), &copied), 0);
  EXPECT_LT(copied.st_blocks * 512, 1 << 20) << "the hole takes no space";
  EXPECT_TRUE(cut_file(to, 5));
  EXPECT_EQ(get(to), "xxxxx");
  EXPECT_EQ(cut_file(to, 6).error().kind, ErrorKind::refused) << "what is not there cannot be gone back to";
}

TEST_F(SpoolFiles, nothing_of_an_earlier_incarnation_counts_for_the_next) {
  JobSpec spec;
  spec.job = {7};
  Submission submission;
  submission.program = HashChain{1, 1};
  spec.submission = submission;
  spec.tasks.assign(1, {2, NodeId{0}, false});
  put(spool().status({7}, 0, 1), "aliquot-status 1 exit 0\n");
  put(spool().image({7}, 0), "LibvirtQemudSave");
  put(spool().console({7}, 0), "what it said");
  const TaskDomainSettings common{"c", 1, spool(), guest(), {100'000}, LiveLimit(mebibytes(1))};
  ASSERT_TRUE(prepare_files(common, spec, 0));
  EXPECT_EQ(get(spool().status({7}, 0, 2)), "");
  EXPECT_FALSE(*read_exit_status(spool().status({7}, 0, 2)));
  EXPECT_EQ(*read_exit_status(spool().status({7}, 0, 1)), 0) << "of the incarnation that wrote it";
  EXPECT_EQ(get(spool().console({7}, 0)), "");
  EXPECT_EQ(get(spool().console({7}, 0) + ".previous"), "what it said");
  EXPECT_FALSE(fs::exists(spool().image({7}, 0)));
}

TEST_F(SpoolFiles, a_content_that_is_gone_is_an_error_that_ends_the_job) {
  JobSpec spec;
  spec.job = {7};
  Submission submission;
  submission.program = KernelBoot{"/images/kernel", "", "", kSum, ""};
  spec.submission = submission;
  spec.tasks.assign(1, {1, NodeId{0}, false});
  const TaskDomainSettings common{"c", 1, spool(), guest(), {100'000}, LiveLimit(mebibytes(1))};
  const auto prepared = prepare_files(common, spec, 0);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().kind, ErrorKind::refused) << "not_found would be tried for ever";
  put(spool().content(kSum), "a kernel");
  EXPECT_TRUE(prepare_files(common, spec, 0));
}

TEST_F(SpoolFiles, a_command_in_an_image_has_a_seed_until_the_job_has_ended) {
  JobSpec spec;
  spec.job = {7};
  Submission submission;
  submission.program = ImageBoot{"debian", kSum, {"true"}};
  spec.submission = submission;
  spec.tasks.assign(2, {1, NodeId{0}, false});
  put(spool().content(kSum), std::string(512, 'd'));
  const TaskDomainSettings common{"c", 1, spool(), guest(), {100'000}, LiveLimit(mebibytes(1))};
  ASSERT_TRUE(prepare_files(common, spec, 1));
  EXPECT_NE(get(spool().seed({7}, 1)).find("local-hostname: task1\n"), std::string::npos);
  EXPECT_FALSE(fs::exists(spool().seed({7}, 0)));
  EXPECT_FALSE(fs::exists(spool().ssh_key({7}))) << "without a network it has no use";
  remove_leftovers(spool(), {7});
  EXPECT_FALSE(fs::exists(spool().seed({7}, 1)));
}

TEST_F(SpoolFiles, a_job_with_a_network_has_a_key_and_its_files_go_into_the_seed) {
  const std::string files_sha256(64, 'e');
  Submission submission;
  submission.program = ImageBoot{"debian", kSum, {"true"}, files_sha256};
  submission.network = JobNetwork{{{0x0ad30000}, 16}, 1450};
  JobSpec spec;
  spec.job = {7};
  spec.submission = submission;
  spec.tasks.assign(2, {1, NodeId{0}, false});
  put(spool().content(kSum), std::string(512, 'd'));
  put(spool().content(files_sha256), "the input files");
  const TaskDomainSettings common{"c", 1, spool(), guest(), {100'000}, LiveLimit(mebibytes(1))};
  ASSERT_TRUE(prepare_files(common, spec, 1));
  const std::string seed = get(spool().seed({7}, 1));
  EXPECT_NE(seed.find("the input files"), std::string::npos);
  const std::string key = get(spool().ssh_key({7}));
  EXPECT_NE(seed.find(key.substr(0, 100)), std::string::npos);
  ASSERT_TRUE(prepare_files(common, spec, 0));
  EXPECT_EQ(get(spool().ssh_key({7})), key);
  EXPECT_TRUE(get(spool().task_list({7})).starts_with("aliquot-tasks 1 0-1\n"));
  remove_leftovers(spool(), {7});
  for (const std::string& path : {spool().ssh_key({7}), spool().task_list({7})})
    EXPECT_FALSE(fs::exists(path)) << path;
}

TEST_F(SpoolFiles, no_other_user_can_read_what_the_manager_writes) {
  const mode_t before = ::umask(0077);
  const std::string folder = spool().directory({8}) + "/below";
  ASSERT_TRUE(make_directories(folder));
  ASSERT_TRUE(create_empty(folder + "/empty"));
  ASSERT_TRUE(write_atomically(folder + "/whole", [](const Writer& out) { return out("secret"); }));
  ::umask(before);
  for (const std::string& path : {spool().directory({8}), folder, folder + "/empty", folder + "/whole"})
    EXPECT_EQ(fs::status(path).permissions() & fs::perms(0077), fs::perms::none) << path;
}

TEST_F(SpoolFiles, a_disk_layer_names_its_image_and_size) {
  const std::string raw = root_ / "disk.raw";
  put(raw, std::string(100'000, '\0'));
  const auto base = inspect_image(raw);
  ASSERT_TRUE(base);
  EXPECT_FALSE(base->qcow2);
  EXPECT_EQ(base->size, 100'352U) << "whole sectors";
  const std::string layer = root_ / "layer.qcow2";
  ASSERT_TRUE(write_disk_layer(layer, raw));
  EXPECT_NE(get(layer).find(raw), std::string::npos);
  EXPECT_FALSE(inspect_image(layer)) << "an image that names another file is no base";
  EXPECT_FALSE(inspect_image(root_ / "absent"));
  put(root_ / "empty", "");
  EXPECT_FALSE(inspect_image(root_ / "empty"));
  put(root_ / "stub", "QFI\xfb");
  EXPECT_FALSE(inspect_image(root_ / "stub"));
}

TEST_F(SpoolFiles, a_disk_layer_is_sound_to_qemu_itself) {
  if (std::system("command -v qemu-img >/dev/null") != 0) GTEST_SKIP() << "qemu-img is not installed";
  const std::string raw = root_ / "disk.raw";
  put(raw, std::string(1 << 20, 'x'));
  const std::string layer = root_ / "layer.qcow2";
  ASSERT_TRUE(write_disk_layer(layer, raw));
  EXPECT_EQ(std::system(("timeout 20 qemu-img check -q " + layer).c_str()), 0);
  EXPECT_EQ(std::system(("timeout 20 qemu-img compare -q " + layer + " -F raw " + raw).c_str()), 0);
}

}  // namespace
}  // namespace aliquot
