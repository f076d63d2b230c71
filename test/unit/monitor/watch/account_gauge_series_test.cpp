// The metrics of what accounts are entitled to: which series there are, and when they go.
#include "monitor/account_gauge_series.hpp"

#include <gtest/gtest.h>

#include "test/unit/monitor/watch/series_text.hpp"

namespace aliquot::test {
namespace {

TEST(AccountGaugeSeries, OfAnAccountSayWhatIsKnownOfIt) {
  Metrics metrics(MetricsOptions{"1", "a", "9", {}, {}});
  metrics.show_accounts({{"", std::nullopt, std::nullopt, 1.0, 2}, {"lab", 0.5, 1.5, 0.25, 0}});
  EXPECT_EQ(value(metrics, "aliquot_account_entitled_ratio{account=\"lab\"}"), "0.5");
  EXPECT_EQ(value(metrics, "aliquot_account_used_of_entitled_ratio{account=\"lab\"}"), "1.5");
  EXPECT_EQ(value(metrics, "aliquot_account_weight_ratio{account=\"lab\"}"), "0.25");
  EXPECT_EQ(value(metrics, "aliquot_account_limited_jobs{account=\"lab\"}"), "0");
  EXPECT_EQ(value(metrics, "aliquot_account_limited_jobs{account=\"(none)\"}"), "2");
  EXPECT_EQ(value(metrics, "aliquot_account_entitled_ratio{account=\"(none)\"}"), "none");
}

TEST(AccountGaugeSeries, GoWithTheAccountOrWithWhatIsKnownOfIt) {
  Metrics metrics(MetricsOptions{"1", "a", "9", {}, {}});
  metrics.show_accounts({{"guests", 0.5, 1.0, 1.0, 0}, {"lab", 0.5, 1.5, 0.25, 1}});
  metrics.show_accounts({{"lab", 1.0, std::nullopt, 0.25, 1}});
  const std::string text = metrics.text();
  EXPECT_EQ(count(text, "account=\"guests\""), 0u);
  EXPECT_EQ(count(text, "account=\"lab\""), 3u) << text;
  EXPECT_EQ(value(metrics, "aliquot_account_entitled_ratio{account=\"lab\"}"), "1");
  metrics.show_accounts({});
  EXPECT_EQ(count(metrics.text(), "account=\"lab\""), 0u);
}

TEST(AccountGaugeSeries, AreOfABoundedNumberOfAccounts) {
  Metrics metrics(MetricsOptions{"1", "a", "9", {}, {}});
  std::vector<AccountGauges> many;
  for (int k = 0; k < 1000; ++k) many.push_back({"a" + std::to_string(k), 0.001, 1.0, 1.0, 0});
  metrics.show_accounts(many);
  EXPECT_EQ(count(metrics.text(), "aliquot_account_limited_jobs{"), AccountGaugeSeries::kMost);
}

}  // namespace
}  // namespace aliquot::test
