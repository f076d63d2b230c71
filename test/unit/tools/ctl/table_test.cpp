// Text for eyes: tables, amounts, YAML.
#include "tools/ctl/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/ctl/amounts.hpp"
#include "tools/ctl/job_table.hpp"
#include "tools/ctl/output.hpp"

namespace aliquot::ctl {
namespace {

using nlohmann::json;

const Table kTable{{{"NAME"}, {"SIZE", Align::right}, {"STATE"}},
                   {{"a", "1", Cell("up", Tint::good)}, {"long name", "1000", "down"}}};

TEST(TableText, AlignsColumnsAndEndsLinesWithTheLastCell) {
  EXPECT_EQ(to_text(kTable, {}),
            "NAME       SIZE  STATE\n"
            "a             1  up\n"
            "long name  1000  down\n");
}

TEST(TableText, WithoutHeadersIsAsWideAsItsRows) {
  EXPECT_EQ(to_text({{{"VERY LONG TITLE"}, {"B"}}, {{"a", "b"}}}, {false, false}), "a  b\n");
}

TEST(TableText, ColoursOnlyWhenToldAndOnlyTheWord) {
  const std::string text = to_text(kTable, {true, true});
  EXPECT_NE(text.find("\033[32mup\033[0m\n"), std::string::npos);
  EXPECT_EQ(to_text(kTable, {}).find('\033'), std::string::npos);
}

// A name that reads backwards on the terminal could pass for another one.
TEST(TableText, EscapesWhatChangesTheDirectionOfText) {
  EXPECT_EQ(to_text({{{"A"}}, {{"a\u202eb"}}}, {}), "A\na\\u202eb\n");
  for (const char* mark : {"\u061c", "\u200e", "\u200f", "\u202a", "\u202e", "\u2066", "\u2069"}) {
    const std::string text = without_direction_changes(std::string("x") + mark + "y");
    EXPECT_EQ(text.size(), 8U) << text;
    EXPECT_EQ(text.substr(0, 3), "x\\u");
  }
  const std::string kept = "n\u00e4me \u05d0 \u2029 \u206a \U0001f600 \xe2\x80";
  EXPECT_EQ(without_direction_changes(kept), kept);
  const json shown = json::parse(without_direction_changes(json("a\u202eb").dump()));
  EXPECT_EQ(shown, "a\u202eb") << "JSON means the same";
}

TEST(TableText, CountsCharactersAndShowsNoControlCharacters) {
  EXPECT_EQ(width("n\xc3\xa4me"), 4U);
  EXPECT_EQ(to_text({{{"A"}}, {{"x\033[31m\n"}}}, {}), "A\nx?[31m?\n");
}

TEST(JobTable, AnArrayIsOneRowThatCountsItsMembers) {
  json jobs = json::parse(R"([{"job":7,"name":"sweep","state":"array","array":{"indices":"0-999",
    "at_once":50,"count":1000,"standing":{"pending":2,"running":48},"ended":{"completed":120},
    "to_come":830}}])");
  std::string text = to_text(job_table(jobs, false), {});
  EXPECT_NE(text.find("7[0-999%50]  sweep  pending 2, running 48, completed 120, to come 830 "),
            std::string::npos)
      << text;
  jobs[0]["state"] = "held";
  text = to_text(job_table(jobs, false), {});
  EXPECT_NE(text.find("sweep  held, pending 2, running 48"), std::string::npos) << text;
  jobs[0]["state"] = "completed";
  jobs[0]["array"]["standing"] = jobs[0]["array"]["ended"] = jobs[0]["array"]["at_once"] = nullptr;
  text = to_text(job_table(jobs, false), {});
  EXPECT_NE(text.find("7[0-999]  sweep  completed "), std::string::npos) << text;
}

TEST(JobTable, AMemberHasItsIndex) {
  const json jobs = json::parse(R"([{"job":12,"state":"running","member":{"array":7,"index":3}}])");
  EXPECT_TRUE(to_text(job_table(jobs, false), {}).starts_with("JOB  INDEX  NAME  STATE"));
  EXPECT_NE(to_text(job_table(jobs, false), {}).find(" 12      3  -     running"), std::string::npos);
}

TEST(JobTable, TellsTheDevicesAskedForWhereItIsWideAlsoOfJobsThatHaveEnded) {
  const json jobs = json::parse(R"([
    {"job":1,"state":"completed","asks":{"gpus":2,"gpu_model":"V100"}},
    {"job":2,"state":"running","asks":{"gpus":1,"gpu_parts":250}},
    {"job":3,"state":"running","asks":{}}])");
  const Table wide = job_table(jobs, true);
  const auto gpus = std::ranges::find(wide.columns, "GPUS", &Column::title);
  ASSERT_NE(gpus, wide.columns.end());
  const auto at = static_cast<std::size_t>(gpus - wide.columns.begin());
  EXPECT_EQ(wide.rows[0][at].text, "2 V100");
  EXPECT_EQ(wide.rows[1][at].text, "250/1000 any");
  EXPECT_EQ(wide.rows[2][at].text, "-");
  const Table narrow = job_table(jobs, false);
  EXPECT_EQ(std::ranges::find(narrow.columns, "GPUS", &Column::title), narrow.columns.end());
}

TEST(NodeTable, TellsTheHypervisorsWhereTheyAreNotAllLibvirt) {
  const json libvirt = {{"node", "a"}, {"hypervisor", "libvirt"}},
             xen = {{"node", "b"}, {"hypervisor", "xen"}};
  EXPECT_EQ(to_text(node_table(json::array({libvirt}), false), {}).find("HYPERVISOR"), std::string::npos);
  const std::string mixed = to_text(node_table(json::array({libvirt, xen}), false), {});
  EXPECT_NE(mixed.find("  HYPERVISOR\n"), std::string::npos) << mixed;
  EXPECT_NE(mixed.find("  libvirt\n"), std::string::npos) << mixed;
  EXPECT_NE(mixed.find("  xen\n"), std::string::npos) << mixed;
}

TEST(Amounts, AreShort) {
  EXPECT_EQ(short_bytes(128 << 20), "128M");
  EXPECT_EQ(short_bytes(1536LL << 20), "1.5G");
  EXPECT_EQ(short_bytes(nullptr), "-");
  EXPECT_EQ(short_bytes(0), "0B");
  EXPECT_EQ(short_seconds(0.44), "0.4s");
  EXPECT_EQ(short_seconds(59.4), "59s");
  EXPECT_EQ(short_seconds(59.6), "1m00s");
  EXPECT_EQ(short_seconds(7265), "2h01m");
  EXPECT_EQ(short_seconds(200'000), "2d07h");
  EXPECT_EQ(short_ratio(0.5), "0.50");
  EXPECT_EQ(short_number(1.50), "1.5");
  EXPECT_EQ(short_placement(json::parse(R"([{"node":"a","tasks":1},{"node":"b","tasks":3}])")), "a,b:3");
}

TEST(Yaml, QuotesWhatCouldBeReadOtherwise) {
  const json value = json::parse(
      R"({"name":"primes","off":"no","n":1,"ratio":0.5,"none":null,"list":[1,"a b"],"empty":[]})");
  EXPECT_EQ(to_yaml(value),
            "empty: []\nlist:\n  - 1\n  - \"a b\"\n\"n\": 1\nname: primes\nnone: null\n\"off\": \"no\"\n"
            "ratio: 0.5\n");
  EXPECT_EQ(to_yaml(json::parse(R"({"a":[{"b":1}]})")), "a:\n  -\n    b: 1\n");
}

TEST(InForm, NamesOnlyWhereThereAreSome) {
  const Looks looks{[](bool wide) { return std::string(wide ? "wide\n" : "narrow\n"); }, {}};
  EXPECT_EQ(*in_form(Form::wide, {}, looks), "wide\n");
  EXPECT_EQ(*in_form(Form::table, {}, looks), "narrow\n");
  EXPECT_EQ(*in_form(Form::json, {{"a", 1}}, looks), "{\n  \"a\": 1\n}\n");
  EXPECT_FALSE(in_form(Form::name, {}, looks));
}

}  // namespace
}  // namespace aliquot::ctl
