#include "manager/hypervisor/status_channel.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace aliquot {
namespace {

TEST(StatusChannel, tells_the_last_complete_exit_line) {
  EXPECT_EQ(exit_status("aliquot-status 1 start\naliquot-status 1 exit 0\n"), 0);
  EXPECT_EQ(exit_status("aliquot-status 1 exit 3\naliquot-status 1 exit 255\n"), 255);
  EXPECT_EQ(exit_status("aliquot-status 1 exit 7\r\n"), 7) << "as a terminal line ends";
  EXPECT_EQ(exit_status("aliquot-status 1 exit 7\naliquot-status 1 exit 9"), 7)
      << "the last is not complete";
}

TEST(StatusChannel, tells_nothing_where_there_is_no_exit_line) {
  for (const char* text :
       {"", "\n", "aliquot-status 1 start\n", "aliquot-status 1 exit 0", "aliquot-status 1 exit \n",
        "aliquot-status 1 exit -1\n", "aliquot-status 1 exit 256\n", "aliquot-status 1 exit 0 \n",
        "aliquot-status 1 exit 00000000000\n", "aliquot-status 1 exit 1e1\n", "aliquot-status 2 exit 0\n",
        " aliquot-status 1 exit 0\n", "xaliquot-status 1 exit 0\n", "aliquot-status 1 exit +1\n",
        "aliquot-status 1 exit 99999999999999999999\n"}) {
    EXPECT_FALSE(exit_status(text)) << text;
  }
  EXPECT_FALSE(exit_status(std::string("aliquot-status 1 exit 0\0\n", 25)));
}

TEST(StatusChannel, tells_how_many_processes_were_ended_as_memory_ran_out) {
  EXPECT_EQ(
      guest_end("aliquot-status 1 start\naliquot-status 1 out_of_memory 2\naliquot-status 1 exit 137\n"),
      (GuestEnd{137, 2}));
  EXPECT_EQ(guest_end("aliquot-status 1 exit 0\n"), (GuestEnd{0, 0}));
  EXPECT_EQ(guest_end("aliquot-status 1 out_of_memory 3\r\n"), (GuestEnd{std::nullopt, 3}));
  for (const char* text : {"aliquot-status 1 out_of_memory\n", "aliquot-status 1 out_of_memory -1\n",
                           "aliquot-status 1 out_of_memory 1", "aliquot-status 1 out_of_memory 99999999\n",
                           " aliquot-status 1 out_of_memory 1\n", "aliquot-status 1 out_of_memory 1 x\n"})
    EXPECT_EQ(guest_end(text), GuestEnd{}) << text;
}

TEST(StatusChannel, tells_the_announced_numbers_of_tasks_in_their_order) {
  EXPECT_EQ(announced_sizes("aliquot-status 1 start\naliquot-status 1 tasks 4 in 60\r\nx\n"
                            "aliquot-status 1 tasks 1 in 0\naliquot-status 1 tasks 9 in 1"),
            (std::vector<AnnouncedSize>{{4, seconds(60)}, {1, Duration{}}}));
  for (const char* text : {"", "aliquot-status 1 tasks 4\n", "aliquot-status 1 tasks 0 in 1\n",
                           "aliquot-status 1 tasks 4 in \n", "aliquot-status 1 tasks -1 in 1\n",
                           "aliquot-status 1 tasks 4 in 1s\n", "aliquot-status 1 tasks 99999999 in 1\n",
                           "aliquot-status 1 tasks 4  in 1\n", "aliquot-status 1 tasks 4 in 1 in 1\n",
                           " aliquot-status 1 tasks 4 in 1\n"})
    EXPECT_TRUE(announced_sizes(text).empty()) << text;
}

TEST(StatusChannel, reads_no_more_than_its_last_4_kib) {
  const std::string exit_line = "aliquot-status 1 exit 5\n";
  EXPECT_EQ(exit_status(std::string(100'000, 'x') + "\n" + exit_line), 5);
  EXPECT_FALSE(exit_status(exit_line + std::string(4096, '\n')));
  EXPECT_EQ(exit_status(exit_line + std::string(4096 - exit_line.size(), '\n')), 5);
}

// A line whose beginning lies before the window may be the end of anything.
TEST(StatusChannel, takes_no_line_that_is_cut_off_in_front) {
  const std::string exit_line = "aliquot-status 1 exit 5\n";
  const std::string rest(4096 - exit_line.size(), '\n');
  EXPECT_FALSE(exit_status("guest says: " + exit_line + rest));
  EXPECT_EQ(exit_status("guest says:\n" + exit_line + rest), 5);
}

TEST(StatusChannel, survives_every_cut_of_a_hostile_file) {
  std::string noise;
  for (int i = 0; i < 3000; ++i) noise.push_back(static_cast<char>(i * 7919 % 256));
  noise += "aliquot-status 1 exit 12\n";
  for (std::size_t cut = 0; cut < noise.size(); ++cut) EXPECT_FALSE(exit_status(noise.substr(0, cut)));
}

TEST(StatusChannel, is_empty_where_there_is_no_file_and_refused_where_it_is_none) {
  const auto none = read_exit_status("/nonexistent/status");
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->has_value());
  EXPECT_FALSE(read_exit_status("/dev/zero")) << "would never end";
  EXPECT_FALSE(read_exit_status("/"));
}

TEST(StatusChannel, is_read_from_a_file) {
  const auto path =
      std::filesystem::temp_directory_path() / ("aliquot-status-" + std::to_string(::getpid()));
  std::ofstream(path) << std::string(10'000, 'y') << "\naliquot-status 1 exit 42\n";
  const auto read = read_exit_status(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, 42);
}

}  // namespace
}  // namespace aliquot
