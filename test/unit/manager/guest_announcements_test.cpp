// What guests write to their status channels becomes events, each announcement once, whether the job may
// have it or not.
#include "manager/guest_announcements.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>
#include <fstream>

#include "test/support/scripted_world.hpp"
#include "test/unit/manager/store/fixture.hpp"

namespace aliquot {
namespace {

using test::ScriptedWorld;

class guest_announcements : public testing::Test {
 protected:
  guest_announcements() {
    std::filesystem::create_directories(settings.spool_dir + "/1");
    world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
    (void)world.complete(world.at(0, {Submitted{{1}, test::submission(1, 1000, 100)}}));
  }
  void write(const std::string& text) {
    std::ofstream(Spool(settings.spool_dir).status({1}, 0, 1), std::ios::app) << text;
  }
  // Once, and what is found is taken.
  void look() {
    announcements.look({{{1}, 0, 1, {}}});
    pollfd ready{inbox.fd(), POLLIN, 0};
    ASSERT_EQ(poll(&ready, 1, 60'000), 1);
    for (Message& message : inbox.drain()) std::get<Continuation>(message).run();
  }
  std::vector<Event> events() { return std::exchange(input.events, {}); }

  static Settings settings_in(const std::string& spool) {
    Settings settings;
    settings.spool_dir = spool;
    settings.limits.max_tasks = 8;
    return settings;
  }

  test::TemporaryDirectory directory;
  Settings settings = settings_in(directory.file("spool"));
  ScriptedWorld world{{test::node(0, 4, 4000)}};
  Inbox inbox;
  BackgroundTasks files{inbox};
  StepInput input;
  GuestAnnouncements announcements{{world.scheduler(), files, settings, input}};
};

TEST_F(guest_announcements, become_events_with_their_numbers) {
  look();
  EXPECT_TRUE(input.events.empty()) << "it has written nothing";
  write("aliquot-status 1 start\naliquot-status 1 tasks 3 in 60\naliquot-status 1 tasks 1 i");
  look();
  auto found = events();
  ASSERT_EQ(found.size(), 1U);
  const auto& changed = std::get<TasksChanged>(found[0]);
  EXPECT_EQ(changed.tasks, 3U);
  EXPECT_EQ(changed.at, Instant{} + seconds(60));
  EXPECT_EQ(changed.guest, (GuestAnnouncement{0, 1, 1}));
  EXPECT_EQ(changed.why, "task 0 of it has announced it");
  (void)world.round(std::move(found));
  look();
  EXPECT_TRUE(input.events.empty()) << "the file is as it was";
  write("n 0\n");
  look();
  ASSERT_EQ(input.events.size(), 1U) << "only what the core has not heard";
  EXPECT_EQ(std::get<TasksChanged>(input.events[0]).guest, (GuestAnnouncement{0, 1, 2}));
}

TEST_F(guest_announcements, of_what_its_user_could_not_have_are_refused_and_do_not_stop_the_next) {
  write("aliquot-status 1 tasks 9 in 60\naliquot-status 1 tasks 2 in 0\n");
  look();
  const auto found = events();
  ASSERT_EQ(found.size(), 2U);
  const auto& refused = std::get<AnnouncementRefused>(found[0]);
  EXPECT_EQ(refused.job, JobId{1});
  EXPECT_EQ(refused.guest, (GuestAnnouncement{0, 1, 1}));
  EXPECT_EQ(refused.tasks, 9U);
  EXPECT_EQ(refused.at, Instant{} + seconds(60));
  EXPECT_EQ(refused.why, "job 1 is to have 9 tasks; at most 8 are taken (limits.max_tasks)");
  EXPECT_EQ(std::get<TasksChanged>(found[1]).guest, (GuestAnnouncement{0, 1, 2}));
}

TEST_F(guest_announcements, that_were_refused_are_not_refused_again_by_a_new_manager) {
  write("aliquot-status 1 tasks 9 in 0\n");
  look();
  (void)world.round(events());
  Inbox inbox_of_new;
  BackgroundTasks files_of_new{inbox_of_new};
  GuestAnnouncements of_new{{world.scheduler(), files_of_new, settings, input}};
  of_new.take({{1}, 0, 1, {}}, {{9, {}}});
  EXPECT_TRUE(input.events.empty());
  of_new.take({{1}, 0, 1, {}}, {{9, {}}, {10, {}}});
  ASSERT_EQ(input.events.size(), 1U) << "only the new one";
  EXPECT_EQ(std::get<AnnouncementRefused>(input.events[0]).tasks, 10U);
}

TEST_F(guest_announcements, are_heard_later_while_the_store_is_blocked) {
  write("aliquot-status 1 tasks 2 in 0\n");
  input.blocked = Error{ErrorKind::unavailable, "the disk is full"};
  look();
  EXPECT_TRUE(input.events.empty());
  input.blocked.reset();
  look();
  EXPECT_EQ(input.events.size(), 1U);
}

TEST_F(guest_announcements, of_a_job_that_has_ended_mean_nothing) {
  announcements.take({{7}, 0, 1, {}}, {{2, {}}});
  EXPECT_TRUE(input.events.empty());
}

}  // namespace
}  // namespace aliquot
