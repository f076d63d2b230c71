#include "monitor/start_text.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

TEST(start_text, names_the_jobs_and_what_is_awaited_of_them) {
  const auto after = parse_dependencies("ok:7,any:8:9,start:7,notok:10,ok:7");
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(*after, (std::vector<Dependency>{{{7}, Awaited::success},
                                             {{8}, Awaited::end},
                                             {{9}, Awaited::end},
                                             {{7}, Awaited::start},
                                             {{10}, Awaited::failure}}));
  const std::string printed = print_dependencies(*after);
  EXPECT_EQ(printed, "ok:7,any:8,any:9,start:7,notok:10");
  EXPECT_EQ(*parse_dependencies(printed), *after);
}

TEST(start_text, may_name_members_of_arrays) {
  const auto after = parse_dependencies("ok:7[3]:7,any:8[0]");
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(*after, (std::vector<Dependency>{
                        {{7}, Awaited::success, 3}, {{7}, Awaited::success}, {{8}, Awaited::end, 0}}));
  EXPECT_EQ(print_dependencies(*after), "ok:7[3],ok:7,any:8[0]");
}

TEST(start_text, that_is_wrong_is_refused_with_the_reason) {
  const auto why = [](const std::string& text) {
    const auto after = parse_dependencies(text);
    return after ? "" : after.error().message;
  };
  EXPECT_TRUE(why("7").starts_with("'7' names '7', which is no kind of dependency; write KIND:JOB"));
  EXPECT_TRUE(why("ok").starts_with("'ok' names no job"));
  for (const char* wrong : {"ok:", "ok:0", "ok:x", "ok:-1", "ok:1.5", "ok:7[", "ok:7[]", "ok:7[x]",
                            "ok:7[3", "ok:7[3]4", "ok:7[-1]", "ok:7[2147483648]", "ok:[3]"})
    EXPECT_NE(why(wrong).find("which is no number of a job"), std::string::npos) << wrong;
  EXPECT_NE(why("ok:1,"), "");
  EXPECT_NE(why(""), "");
  std::string many = "any";
  for (int k = 1; k <= 101; ++k) many += ":" + std::to_string(k);
  EXPECT_NE(why(many).find("more than 100 dependencies"), std::string::npos);
  EXPECT_NE(why(std::string(5000, 'x')).find("is too long"), std::string::npos);
}

}  // namespace
}  // namespace aliquot
