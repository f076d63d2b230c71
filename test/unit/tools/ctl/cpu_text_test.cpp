// What `show` prints of a job's CPU.
#include "tools/ctl/cpu_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace aliquot::ctl {
namespace {

using nlohmann::json;

json amounts(double granted, double used, const json& stolen, const json& throttled) {
  return {{"granted_s", granted}, {"used_s", used}, {"stolen_s", stolen}, {"throttled_s", throttled}};
}

json whole() {
  json cpu = amounts(40, 33.123, 1, 3);
  cpu["promised_s"] = 50.0;
  cpu["energy_joules"] = 9'500.0;
  cpu["accuracy"] = 0.999;
  cpu["busy"] = {{"for_s", 20.0}, {"granted_s", 10.0}, {"used_s", 9.99}, {"stolen_s", 0.5}};
  cpu["unknown"] = json::object();
  json run = amounts(40, 33.123, 1, 3);
  run.update({{"task", 0}, {"incarnation", 1}, {"node", "n1"}});
  cpu["runs"] = json::array({run});
  cpu["earlier"] = nullptr;
  return cpu;
}

TEST(CpuText, SaysWhatWasPromisedGrantedAndUsed) {
  EXPECT_EQ(cpu_text(whole(), {}),
            "cpu           50.00s promised, 40.00s granted, 33.12s used; 1.00s stolen, 3.00s throttled\n"
            "energy        9.5 kJ\n"
            "cap accuracy  99.9% of the cap used, in 20.00s in which it would have taken more (stolen "
            "meanwhile: 0.50s)\n");
  EXPECT_EQ(cpu_text(nullptr, {}), "cpu           not kept of this job\n");
}

TEST(CpuText, SaysWhyItDoesNotKnow) {
  json cpu = whole();
  cpu["throttled_s"] = nullptr;
  cpu["accuracy"] = nullptr;
  cpu["unknown"] = {{"throttled_s", "node n1 does not tell"}, {"accuracy", "it was never busy"}};
  const std::string text = cpu_text(cpu, {});
  EXPECT_NE(text.find("1.00s stolen, - throttled\n"), std::string::npos) << text;
  EXPECT_NE(text.find("throttled     not known: node n1 does not tell\n"), std::string::npos) << text;
  EXPECT_NE(text.find("cap accuracy  - (it was never busy)\n"), std::string::npos) << text;
}

TEST(CpuText, TellsRunsApart) {
  json cpu = whole();
  cpu["runs"].push_back(cpu["runs"][0]);
  cpu["runs"][1]["node"] = "n2";
  cpu["earlier"] = amounts(1, 1, 0, nullptr);
  cpu["earlier"]["runs"] = 7;
  const std::string text = cpu_text(cpu, {});
  EXPECT_NE(text.find("   0  n2          1   40.00s  33.12s   1.00s      3.00s\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("   -  7 earlier   -    1.00s   1.00s   0.00s          -\n"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace aliquot::ctl
