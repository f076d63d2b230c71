// Which tasks a job has, as its guests read it: the text, and the file that stays the same file.
#include "manager/hypervisor/task_list.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "manager/hypervisor/files.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;

Submission networked(Program program) {
  Submission job;
  job.program = std::move(program);
  job.network = JobNetwork{{{0x0ad30000}, 16}, 1450};
  return job;
}

TEST(TaskList, names_runs_of_numbers) {
  EXPECT_EQ(print_task_ranges({0}), "0");
  EXPECT_EQ(print_task_ranges({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
}

TEST(TaskList, is_one_block_that_a_disk_can_have) {
  const std::string block = task_list_block({0, 1, 4});
  EXPECT_EQ(block.size(), kTaskListBytes);
  EXPECT_TRUE(block.starts_with("aliquot-tasks 1 0-1,4\n"));
  EXPECT_EQ(block.find_first_not_of('\0', 22), std::string::npos) << "zeros to its end";
  std::vector<std::uint32_t> scattered;
  for (std::uint32_t task = 0; task < 4000; task += 2) scattered.push_back(task);
  const std::string coarse = task_list_block(scattered);
  EXPECT_EQ(coarse.size(), kTaskListBytes);
  EXPECT_TRUE(coarse.starts_with("aliquot-tasks 1 0-3998\n"));
}

TEST(TaskList, is_of_commands_in_a_network_of_their_own) {
  Submission job = networked(LinuxCommand{{"true"}, {}});
  EXPECT_TRUE(has_task_list(job));
  EXPECT_TRUE(has_task_list(networked(ImageBoot{"debian", {}, {"true"}})));
  EXPECT_FALSE(has_task_list(networked(ImageBoot{"debian", {}, {}}))) << "nothing in it reads one";
  job.network->site_bridge = "br0";
  EXPECT_FALSE(has_task_list(job)) << "there it knows no addresses";
  job.network.reset();
  EXPECT_FALSE(has_task_list(job));
}

class TaskListFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string form = (fs::temp_directory_path() / "aliquot-tasks-XXXXXX").string();
    ASSERT_NE(::mkdtemp(form.data()), nullptr);
    root_ = form;
    fs::create_directories(spool().directory({7}));
    spec_.job = {7};
    spec_.submission = networked(LinuxCommand{{"true"}, {}});
    spec_.tasks.assign(2, {1, NodeId{0}, false});
  }
  void TearDown() override { fs::remove_all(root_); }
  [[nodiscard]] Spool spool() const { return Spool(root_); }
  [[nodiscard]] std::string text() const {
    const auto read = read_head(spool().task_list({7}), kTaskListBytes);
    return read ? read->substr(0, read->find('\n')) : read.error().message;
  }
  [[nodiscard]] ino_t number() const {
    struct stat found {};
    return ::stat(spool().task_list({7}).c_str(), &found) == 0 ? found.st_ino : 0;
  }
  std::string root_;
  JobSpec spec_;
};

TEST_F(TaskListFile, is_made_once_and_then_changed_in_place) {
  ASSERT_TRUE(provide_task_list(spool(), spec_, 0));
  EXPECT_EQ(text(), "aliquot-tasks 1 0-1");
  const ino_t first = number();
  ASSERT_TRUE(write_task_list(spool(), {7}, {0, 1, 2}));
  EXPECT_EQ(text(), "aliquot-tasks 1 0-2");
  EXPECT_EQ(number(), first) << "VMs have it open";
  EXPECT_EQ(fs::file_size(spool().task_list({7})), kTaskListBytes);
  EXPECT_EQ(std::distance(fs::directory_iterator(spool().directory({7})), fs::directory_iterator()), 1)
      << "nothing is left beside it";
}

TEST_F(TaskListFile, a_new_task_finds_itself_in_it_and_what_is_newer_stays) {
  ASSERT_TRUE(provide_task_list(spool(), spec_, 0));
  spec_.tasks.assign(3, {1, NodeId{0}, false});
  ASSERT_TRUE(provide_task_list(spool(), spec_, 2));
  EXPECT_EQ(text(), "aliquot-tasks 1 0-2");
  ASSERT_TRUE(write_task_list(spool(), {7}, {0, 2}));  // task 1 has left since
  ASSERT_TRUE(provide_task_list(spool(), spec_, 2));
  EXPECT_EQ(text(), "aliquot-tasks 1 0,2");
}

TEST_F(TaskListFile, one_of_an_earlier_run_of_the_job_is_written_anew) {
  ASSERT_TRUE(provide_task_list(spool(), spec_, 0));
  ASSERT_TRUE(write_task_list(spool(), {7}, {0, 5, 6}));
  ASSERT_TRUE(provide_task_list(spool(), spec_, 0));
  EXPECT_EQ(text(), "aliquot-tasks 1 0-1");
}

TEST_F(TaskListFile, one_that_cannot_be_read_is_written_anew) {
  for (const char* broken : {"", "aliquot-tasks 1 0-1", "aliquot-tasks 2 0-1\n", "aliquot-tasks 1 x\n",
                             "aliquot-tasks 1 0-\n", "aliquot-tasks 1 0-1;\n"}) {
    std::string block(broken);
    block.resize(kTaskListBytes, '\0');
    ASSERT_TRUE(create_with(spool().task_list({7}), block));
    ASSERT_TRUE(overwrite(spool().task_list({7}), block));
    ASSERT_TRUE(provide_task_list(spool(), spec_, 1)) << broken;
    EXPECT_EQ(text(), "aliquot-tasks 1 0-1") << broken;
  }
}

TEST_F(TaskListFile, what_has_left_is_not_in_it) {
  spec_.tasks.assign(3, {1, NodeId{0}, false});
  spec_.tasks[1].left = true;
  EXPECT_EQ(tasks_of(spec_), (std::vector<std::uint32_t>{0, 2}));
}

TEST_F(TaskListFile, of_a_job_that_has_ended_is_not_made_again) {
  ASSERT_TRUE(write_task_list(spool(), {7}, {0}));
  EXPECT_FALSE(fs::exists(spool().task_list({7})));
}

}  // namespace
}  // namespace aliquot
