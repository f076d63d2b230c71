// The guests of a job with a network are told which tasks it has, when it has grown or shrunk.
#include "manager/task_lists.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "manager/hypervisor/task_list.hpp"
#include "test/support/scripted_world.hpp"
#include "test/unit/manager/store/fixture.hpp"

namespace aliquot {
namespace {

using test::ScriptedWorld;

class task_lists : public testing::Test {
 protected:
  task_lists() {
    Submission job = test::submission(1, 1000, 100);
    job.program = LinuxCommand{{"true"}, {}};
    job.network = JobNetwork{{{0x0ad30000}, 16}, 1450};
    world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
    (void)world.complete(world.at(0, {Submitted{{1}, std::move(job)}}));
    std::filesystem::create_directories(spool.directory({1}));
    make_list();
  }
  [[nodiscard]] const CoreState& state() const { return world.scheduler().cluster().state(); }
  // As it is when a VM of the job is made.
  void make_list() { ASSERT_TRUE(provide_task_list(spool, *world.scheduler().cluster().spec({1}), 0)); }
  void evolve(std::int64_t second, std::uint32_t tasks) {
    (void)world.complete(world.at(second, {TasksChanged{{1}, tasks, Instant{} + seconds(second), "u"}}));
  }
  // What the guests read when all that the manager had to write is written.
  std::string look(TaskLists& of_manager) {
    of_manager.look(state());
    std::mutex mutex;
    std::condition_variable wake;
    bool done = false;
    files.run([&]() -> std::function<void()> {
      const std::lock_guard lock(mutex);
      done = true;
      wake.notify_all();
      return {};
    });
    std::unique_lock lock(mutex);
    EXPECT_TRUE(wake.wait_for(lock, std::chrono::seconds(60), [&] { return done; }));
    std::string line;
    std::ifstream file(spool.task_list({1}));
    std::getline(file, line);
    return line;
  }

  test::TemporaryDirectory directory;
  Spool spool{directory.file("spool")};
  ScriptedWorld world{{test::node(0, 4, 4000)}};
  Inbox inbox;
  BackgroundTasks files{inbox};
  std::vector<std::string> warnings;
  TaskLists lists{files, spool, [this](const std::string& text) { warnings.push_back(text); }};
};

TEST_F(task_lists, name_tasks_that_join_and_forget_those_that_have_left) {
  EXPECT_EQ(look(lists), "aliquot-tasks 1 0");
  evolve(10, 3);
  EXPECT_EQ(look(lists), "aliquot-tasks 1 0-2");
  evolve(20, 2);
  EXPECT_EQ(look(lists), "aliquot-tasks 1 0-2") << "task 2 has been told, and has not left";
  (void)world.complete(world.at(30, {TaskEnded{{1}, {2, 1}, 1, 0, {}}}));
  EXPECT_EQ(look(lists), "aliquot-tasks 1 0-1");
  evolve(40, 3);
  EXPECT_EQ(look(lists), "aliquot-tasks 1 0-1,3");
}

TEST_F(task_lists, keep_tasks_that_have_ended_by_themselves) {
  evolve(10, 3);
  (void)world.complete(world.at(20, {TaskEnded{{1}, {1, 1}, 1, 0, {}}}));
  EXPECT_EQ(look(lists), "aliquot-tasks 1 0-2");
}

TEST_F(task_lists, are_written_by_a_new_manager_where_the_one_before_died) {
  evolve(10, 3);
  TaskLists of_new{files, spool, [](const std::string&) {}};
  EXPECT_EQ(look(of_new), "aliquot-tasks 1 0-2");
}

TEST_F(task_lists, that_cannot_be_written_are_warned_of_once_and_tried_again) {
  std::filesystem::remove(spool.task_list({1}));
  std::filesystem::create_directories(spool.task_list({1}));  // no file
  evolve(10, 2);
  for (int second = 0; second < 2; ++second) {
    (void)look(lists);
    for (Message& message : inbox.drain()) std::get<Continuation>(message).run();
  }
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(warnings[0].starts_with("task_list_not_written job=1 why=")) << warnings[0];
  std::filesystem::remove(spool.task_list({1}));
  make_list();
  ASSERT_TRUE(write_task_list(spool, {1}, {0}));
  EXPECT_EQ(look(lists), "aliquot-tasks 1 0-1");
}

TEST_F(task_lists, of_jobs_without_a_network_are_none) {
  Submission job = test::submission(1, 1000, 100);
  job.program = LinuxCommand{{"true"}, {}};
  world.will_decide({{{2}, {{{0}, 1}}, kFullYield}});
  (void)world.complete(world.at(5, {Submitted{{2}, std::move(job)}}));
  (void)world.complete(world.at(10, {TasksChanged{{2}, 2, Instant{} + seconds(10), "u"}}));
  (void)look(lists);
  EXPECT_FALSE(std::filesystem::exists(spool.task_list({2})));
}

}  // namespace
}  // namespace aliquot
