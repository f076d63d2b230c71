#include "tools/experiments/campaign/campaign_array.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace aliquot {
namespace {

ShardedCommand sweep_of(const std::string& grid, const std::string& out) {
  return {"/usr/bin/aliquot-sim", {"sweep", grid}, {grid, "log.swf"}, out, 8, 2};
}

TEST(CampaignArray, is_one_command_of_slurm) {
  EXPECT_EQ(
      "sbatch --job-name sweep --array 1-8 --cpus-per-task 2 --output out/shard-%a.log --wrap "
      "'/usr/bin/aliquot-sim sweep g.yaml --out out --workers 2 --shard array/8'",
      as_typed(slurm_array(sweep_of("g.yaml", "out"))));
}

TEST(CampaignArray, takes_its_files_along_into_virtual_machines) {
  const auto words = aliquot_array(sweep_of("dir/g.yaml", "/scratch/out/"));
  ASSERT_TRUE(words);
  EXPECT_EQ(
      "aliquot submit --parsable --name sweep --array 1-8 --cpus 2 --mem 1024MiB --stage-in dir/g.yaml "
      "--stage-in log.swf --stage-out out -- /usr/bin/aliquot-sim sweep g.yaml --out out --workers 2 "
      "--shard array/8",
      as_typed(*words));
}

TEST(CampaignArray, refuses_files_of_a_grid_that_lie_elsewhere) {
  ShardedCommand campaign = sweep_of("g.yaml", "out");
  campaign.inputs.emplace_back("traces/other.swf");
  const auto words = aliquot_array(campaign);
  ASSERT_FALSE(words);
  EXPECT_NE(std::string::npos, words.error().message.find("traces/other.swf")) << words.error().message;
}

TEST(CampaignArray, is_named_after_its_evaluation) {
  const ShardedCommand campaign = {"sim", {"evaluate", "dfrs2010", "--also", "it's"}, {}, "o", 2};
  const std::vector<std::string> words = slurm_array(campaign);
  EXPECT_EQ("dfrs2010", words.at(2));
  EXPECT_EQ(R"(sim evaluate dfrs2010 --also 'it'\''s' --out o --workers 1 --shard array/2)", words.back());
  EXPECT_EQ(R"('a b' '' 'it'\''s' plain)", as_typed({"a b", "", "it's", "plain"}));
}

TEST(CampaignArray, members_take_the_number_of_their_shard_from_their_index) {
  EXPECT_EQ((Shard{3, 8}), *shard_of("array/8", "3"));
  EXPECT_EQ((Shard{2, 8}), *shard_of("2/8", "3"));
  for (const char* index : {static_cast<const char*>(nullptr), "", "0", "9", "x"})
    EXPECT_FALSE(shard_of("array/8", index)) << (index ? index : "none");
  for (const char* text : {"", "1", "0/3", "4/3", "x/3", "1/x", "/"})
    EXPECT_FALSE(shard_of(text, "1")) << text;
}

TEST(CampaignArray, finds_the_shards_that_have_begun_by_number) {
  std::string folder = (std::filesystem::temp_directory_path() / "aliquot-array-XXXXXX").string();
  ASSERT_NE(nullptr, ::mkdtemp(folder.data()));
  for (const char* name : {"shard-10", "shard-2", "shard-x", "else"}) {
    std::filesystem::create_directories(folder + "/" + name);
    std::ofstream(folder + "/" + name + "/campaign.json") << "{}";
  }
  std::filesystem::create_directories(folder + "/shard-3");  // has not begun
  EXPECT_EQ((std::vector<std::string>{folder + "/shard-2", folder + "/shard-10"}), shard_folders(folder));
  EXPECT_TRUE(shard_folders(folder + "/none").empty());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace aliquot
