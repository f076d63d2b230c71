#include "manager/hypervisor/task_seed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "manager/hypervisor/job_key.hpp"
#include "manager/hypervisor/seed_network.hpp"
#include "manager/hypervisor/task_list.hpp"
#include "manager/hypervisor/vm_shares.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;

TaskSeed seed_of(std::vector<std::string> argv) {
  return {{{7}, 1, 4, 2, 2, 8}, 3, 1000, std::move(argv), {}};
}

TaskSeed seed_with_network() {
  TaskSeed seed = seed_of({"true"});
  seed.numbers.network = JobNetwork{{{0x0ad30000}, 16}, 1450};
  seed.numbers.all = {0, 1, 2, 5};
  seed.ssh_key = "-----BEGIN\n";
  return seed;
}

std::string output_of(const std::string& command) {
  std::string out;
  char piece[4096];
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  if (!pipe) return out;
  while (const std::size_t got = std::fread(piece, 1, sizeof piece, pipe.get())) out.append(piece, got);
  return out;
}

class TaskSeedFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string form = (fs::temp_directory_path() / "aliquot-seed-XXXXXX").string();
    ASSERT_NE(::mkdtemp(form.data()), nullptr);
    directory_ = form;
  }
  void TearDown() override { fs::remove_all(directory_); }
  [[nodiscard]] std::string put(const std::string& name, const std::string& content) const {
    const std::string path = directory_ / name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  fs::path directory_;
};

TEST_F(TaskSeedFiles, the_shell_gets_every_argument_byte_for_byte) {
  const std::vector<std::string> argv{"python3",         "", "a b", "it's", "$(id)`id`\"\\n", "-n",
                                      "\xc3\xbc\n\t!*?["};
  const std::string script = user_data(seed_of(argv));
  // The lines of the task itself, without those that set up a machine.
  const std::string own = script.substr(0, script.find("PATH="));
  std::string expected;
  for (const std::string& argument : argv) expected.append(argument).push_back('\0');
  const std::string shown = output_of(
      "sh " + put("own", own + "printf '%s\\0' \"$@\" \"$ALIQUOT_JOB $ALIQUOT_TASK $ALIQUOT_TASKS "
                               "$ALIQUOT_UNITS $ALIQUOT_FIRST_UNIT $ALIQUOT_ALL_UNITS $uid\"\n"));
  EXPECT_EQ(shown, expected + std::string("7 1 4 2 2 8 1000") + '\0');
  EXPECT_EQ(std::system(("sh -n " + put("whole", script)).c_str()), 0);
}

TEST(TaskSeed, has_what_cloud_init_reads_and_the_command_for_agents_that_are_no_shell) {
  const auto files = seed_files(seed_of({"true", "1"}));
  ASSERT_EQ(files.size(), 6U);
  EXPECT_EQ(files[0].path, "meta-data");
  EXPECT_EQ(files[0].content, "instance-id: aliquot-7.1-3\nlocal-hostname: task1\n");
  EXPECT_EQ(files[1].path, "network-config");
  EXPECT_EQ(files[1].content, "version: 2\nethernets: {}\n");
  EXPECT_EQ(files[2].path, "user-data");
  EXPECT_TRUE(files[2].content.starts_with("#!/bin/sh\n"));
  EXPECT_EQ(files[3].path, "aliquot/argv");
  EXPECT_EQ(files[3].content, std::string("true\0"
                                          "1\0",
                                          7));
  EXPECT_EQ(files[4].path, "aliquot/env");
  EXPECT_TRUE(files[4].content.starts_with(std::string("ALIQUOT_JOB=7\0", 14)));
  EXPECT_EQ(files[5].path, "aliquot/uid");
  EXPECT_EQ(files[5].content, "1000\n");
}

TEST_F(TaskSeedFiles, a_network_brings_address_names_of_all_tasks_and_the_key) {
  const TaskSeed seed = seed_with_network();
  EXPECT_EQ(network_config(seed.numbers),
            "version: 2\nethernets:\n  job:\n    match: {macaddress: '02:00:00:07:00:01'}\n"
            "    addresses: ['10.211.0.2/16']\n    mtu: 1450\n");
  const std::string script = user_data(seed);
  for (const char* part : {"mac=02:00:00:07:00:01 mtu=1450 address=10.211.0.2/16", "key='-----BEGIN\n'",
                           "tasks=0-2,5 serial=aliquot-tasks network=181600256\n"})
    EXPECT_NE(script.find(part), std::string::npos) << part << script;
  EXPECT_EQ(std::system(("sh -n " + put("whole", script)).c_str()), 0);
  EXPECT_EQ(user_data(seed_of({"true"})).find("sshd"), std::string::npos);
}

// The files and the disk of the machine are replaced; the disk has changed when it is read.
TEST_F(TaskSeedFiles, a_task_names_the_others_and_follows_the_list_of_its_job) {
  const std::string script = network_script(seed_with_network());
  const std::size_t begin = script.find("tasks=0-2,5"), end = script.find("keys=");
  std::string hosts = script.substr(begin, script.rfind('\n', end) - begin);
  const auto replace = [&hosts](const std::string& what, const std::string& by) {
    ASSERT_NE(hosts.find(what), std::string::npos) << what;
    for (std::size_t at = 0; (at = hosts.find(what, at)) != std::string::npos; at += by.size())
      hosts.replace(at, what.size(), by);
  };
  const std::string file = put("hosts", "127.0.0.1 localhost\n10.9.9.9 task9\n10.9.9.8 mytask9\n");
  replace("/etc/hosts", file);
  replace("/sys/block/vd*", directory_.string() + "/block/vd*");
  replace("/dev/${", directory_.string() + "/${");
  replace(" iflag=direct", "");
  replace("while [ \"$disk\" ] && sleep 2", "cp " + file + " " + file + ".first; for _ in once");
  replace("2>&1 &", "2>&1");
  fs::create_directories(directory_ / "block/vda");
  (void)put("block/vda/serial", "aliquot-tasks");
  (void)put("vda", task_list_block({0, 1, 7}));
  ASSERT_EQ(std::system(("sh " + put("script", hosts)).c_str()), 0) << hosts;
  const std::string kept = "127.0.0.1 localhost\n10.9.9.8 mytask9\n10.211.0.1 task0\n10.211.0.2 task1\n";
  EXPECT_EQ(output_of("cat " + file + ".first"), kept + "10.211.0.3 task2\n10.211.0.6 task5\n");
  EXPECT_EQ(output_of("cat " + file), kept + "10.211.0.8 task7\n");
}

// The devices of the machine are replaced.
TEST_F(TaskSeedFiles, the_power_button_ends_the_group_of_the_command) {
  const std::string script = user_data(seed_of({"true"}));
  const std::size_t begin = script.find("button=\n");
  std::string notice = script.substr(begin, script.find("# The console is", begin) - begin);
  const auto replace = [&notice](const std::string& what, const std::string& by) {
    const std::size_t at = notice.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    notice.replace(at, what.size(), by);
  };
  replace("/run/systemd/system", directory_.string() + "/systemd");
  replace("/sys/class/input/", directory_.string() + "/input/");
  replace("/dev/input/", directory_.string() + "/");
  replace("/run/aliquot/command", directory_.string() + "/command");
  for (const char* device : {"input/event0/device", "input/event1/device"})
    fs::create_directories(directory_ / device);
  (void)put("input/event0/device/name", "AT Translated Set 2 keyboard\n");
  (void)put("input/event1/device/name", "Power Button\n");
  const auto event = [](char type, char code, char value) {
    return std::string(16, 't') + type + '\0' + code + '\0' + value + std::string(3, '\0');
  };
  (void)put("event0", event(1, 116, 1));
  (void)put("event1", event(1, 30, 1) + event(1, 116, 1) + event(0, 0, 0) + event(1, 116, 0));
  // In a session of its own, as the command is; it gives up where no notice comes.
  const std::string file = (directory_ / "command").string();
  const std::string command = "setsid sh -c 'trap \"echo told; exit 5\" TERM; echo $$ >" + file +
                              "; for _ in $(seq 100); do sleep 0.1; done' &\n";
  const std::string press = "until [ -s " + file + " ]; do sleep 0.1; done\n" +
                            "[ \"$button\" ] && pass_notice 5<\"$button\"; wait $!; echo $?\n";
  const std::string shown = output_of("sh " + put("own", "modprobe() { :; }\n" + notice + command + press));
  EXPECT_EQ(shown, "told\n5\n") << notice;
}

TEST_F(TaskSeedFiles, the_site_gives_the_address_on_its_own_bridge) {
  TaskSeed seed = seed_with_network();
  seed.numbers.network->site_bridge = "br0";
  EXPECT_EQ(
      network_config(seed.numbers),
      "version: 2\nethernets:\n  job:\n    match: {macaddress: '06:00:00:07:00:01'}\n    dhcp4: true\n");
  const std::string script = user_data(seed);
  EXPECT_NE(script.find("udhcpc"), std::string::npos);
  EXPECT_EQ(script.find("sshd"), std::string::npos);
  EXPECT_EQ(std::system(("sh -n " + put("whole", script)).c_str()), 0);
}

// The commands of the machine are replaced; one of the mounts fails.
TEST_F(TaskSeedFiles, shares_are_mounted_and_one_that_is_not_takes_the_commands_place) {
  TaskSeed seed = seed_of({"true"});
  seed.shares = {{"home", "nfs1", "/h", "/home", false}, {"data", "nfs2", "/d", "/data", true}};
  EXPECT_EQ(std::system(("sh -n " + put("whole", user_data(seed))).c_str()), 0);
  const std::string tools =
      "modprobe() { :; }; ip() { :; }; sleep() { :; }; mkdir() { :; }\n"
      "mount() { echo \"${5%%,*} ${5#*clientaddr=::,} $6 $7\"; [ $7 != /data ]; }\n";
  const std::string script = shares_script(seed.shares, "0a:00:00:00:00:00");
  const std::string log = put("log", "");
  std::string redirected = script;
  for (std::size_t at = 0; (at = redirected.find("/run/aliquot-mount", at)) != std::string::npos;)
    redirected.replace(at, 18, log);
  const std::string shown =
      output_of("sh " + put("own", "set -- echo started\n" + tools + redirected + "\"$@\"; echo $?\n"));
  EXPECT_EQ(shown,
            "ro port=20491,sec=sys,hard,rsize=1048576,wsize=1048576 nfs2:/d /data\n"
            "rw port=20490,sec=sys,hard,rsize=1048576,wsize=1048576 nfs1:/h /home\n"
            "aliquot: the share at /data is not mounted: \n127\n");
  EXPECT_EQ(user_data(seed_of({"true"})).find("nfs"), std::string::npos);
}

TEST_F(TaskSeedFiles, variables_reach_the_command_only_and_files_its_directory) {
  TaskSeed seed = seed_of({"sh", "-c", "echo $A"});
  seed.data.env = {"A=it's $B", "PATH=/nowhere"};
  seed.data.workdir = directory_ / "work";
  seed.data.stdin_file = StagedInput{"in", {1}};
  seed.has_files = true;
  const std::string script = user_data(seed);
  EXPECT_NE(script.find("set -- env 'A=it'\\''s $B' 'PATH=/nowhere' \"$@\"\n"), std::string::npos)
      << script;
  EXPECT_EQ(script.find("export PATH=/nowhere"), std::string::npos);
  EXPECT_NE(script.find("--clear-groups -- env 'A=it'\\''s $B' 'PATH=/nowhere'\n}\n"), std::string::npos)
      << "a terminal has them, too";
  EXPECT_NE(script.find("input=/aliquot/stdin"), std::string::npos);
  EXPECT_EQ(std::system(("sh -n " + put("whole", script)).c_str()), 0);
  EXPECT_NE(script.find("/dev/vdc"), std::string::npos);
  EXPECT_EQ(user_data(seed_of({"true"})).find("/dev/vdc"), std::string::npos);
  const auto files = seed_files(seed);
  EXPECT_TRUE(files[4].content.ends_with(std::string("A=it's $B\0PATH=/nowhere\0", 24)));
}

TEST_F(TaskSeedFiles, result_files_have_relative_names_and_directories_come_first) {
  TaskSeed seed = seed_of({"true"});
  EXPECT_EQ(user_data(seed).find("collect"), std::string::npos);
  seed.data.stage_out = {"a/b", "/tmp/it's", ".//a/.", "."};
  seed.data.stage_out_max = {4096};
  const std::string script = user_data(seed);
  EXPECT_NE(script.find("collect '.' ''\n"
                        "collect './/a/.' 'a'\n"
                        "collect 'a/b' 'a/b'\n"
                        "collect '/tmp/it'\\''s' 'tmp/it'\\''s'\n"
                        "hand_out 4096\n"),
            std::string::npos)
      << script;
  EXPECT_LT(script.find("hand_out 4096"), script.find("aliquot-status 1 exit"));
  EXPECT_EQ(std::system(("sh -n " + put("whole", script)).c_str()), 0);
}

TEST_F(TaskSeedFiles, the_key_of_a_job_is_one_that_ssh_reads_and_stays) {
  const Spool spool(directory_);
  fs::create_directories(spool.directory({7}));
  const auto key = job_ssh_key(spool, {7});
  ASSERT_TRUE(key) << key.error().message;
  EXPECT_EQ(job_ssh_key(spool, {7}), key);
  fs::create_directories(spool.directory({8}));
  EXPECT_NE(job_ssh_key(spool, {8}), key);
  EXPECT_EQ(std::distance(fs::directory_iterator(spool.directory({7})), {}), 1);
  if (std::system("command -v ssh-keygen >/dev/null") != 0) GTEST_SKIP() << "ssh-keygen is not installed";
  const std::string path = put("key", *key);
  fs::permissions(path, fs::perms::owner_read);
  EXPECT_TRUE(output_of("ssh-keygen -y -f " + path).starts_with("ecdsa-sha2-nistp256 "));
}

TEST_F(TaskSeedFiles, an_argument_with_a_nul_is_refused_and_nothing_is_written) {
  const std::string path = directory_ / "0.seed";
  const auto written = write_task_seed(path, seed_of({std::string("a\0b", 3)}));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::invalid_argument);
  EXPECT_FALSE(fs::exists(path));
}

TEST(Iso9660, equal_input_gives_equal_bytes_in_whole_sectors) {
  const auto files = seed_files(seed_of({"true"}));
  const auto volume = iso9660_volume("CIDATA", files);
  ASSERT_TRUE(volume);
  EXPECT_EQ(volume, iso9660_volume("CIDATA", files));
  EXPECT_EQ(volume->size() % 2048, 0U);
  EXPECT_EQ(volume->substr(16 * 2048, 7), std::string("\1CD001\1"));
  EXPECT_EQ(volume->substr(16 * 2048 + 40, 8), "CIDATA  ");
}

TEST(Iso9660, refuses_what_it_cannot_hold) {
  for (const char* path : {"", "/a", "a/", "a/b/c"})
    EXPECT_FALSE(iso9660_volume("X", {{path, ""}})) << path;
  EXPECT_FALSE(iso9660_volume("X", {{"a", ""}, {"a", ""}}));
  std::vector<VolumeFile> many;
  for (int i = 0; i < 100; ++i) many.push_back({"d/" + std::to_string(i), ""});
  EXPECT_FALSE(iso9660_volume("X", many));
}

// Another implementation reads what was written: names, contents, none, one byte, a sector and more.
TEST_F(TaskSeedFiles, xorriso_finds_the_files_as_they_were_given) {
  if (std::system("command -v xorriso >/dev/null") != 0) GTEST_SKIP() << "xorriso is not installed";
  const std::vector<VolumeFile> files{{"user-data", "#!/bin/sh\n"},
                                      {"empty", ""},
                                      {"aliquot/argv", std::string(2048, 'x')},
                                      {"aliquot/Long_Name.of-a.file", std::string(5000, '\n')},
                                      {"other/one", "1"},
                                      {"meta-data", std::string(2049, 'y')}};
  const auto volume = iso9660_volume("CIDATA", files);
  ASSERT_TRUE(volume) << volume.error().message;
  const std::string image = put("volume", *volume);
  const std::string out = directory_ / "out";
  const std::string said = output_of("timeout 20 xorriso -abort_on WARNING -osirrox on -indev " + image +
                                     " -extract / " + out + " 2>&1; echo exit $?");
  ASSERT_NE(said.find("exit 0"), std::string::npos) << said;
  EXPECT_NE(said.find("CIDATA"), std::string::npos) << said;
  for (const VolumeFile& file : files)
    EXPECT_EQ(output_of("cat " + out + "/" + file.path), file.content) << file.path;
  EXPECT_EQ(std::count_if(fs::recursive_directory_iterator(out), fs::recursive_directory_iterator(),
                          [](const fs::directory_entry& entry) { return entry.is_regular_file(); }),
            static_cast<std::ptrdiff_t>(files.size()));
}

}  // namespace
}  // namespace aliquot
