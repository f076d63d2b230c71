#include "manager/api/answers/share_admission.hpp"

#include <algorithm>

#include "manager/api/wire/message_text.hpp"

namespace aliquot {
namespace {

std::string names_of(const std::vector<NfsShare>& shares) {
  std::string names;
  for (const NfsShare& share : shares) names += (names.empty() ? "" : ", ") + share.name;
  return names;
}

}  // namespace

Result<std::vector<NfsShare>> shares_to_give(const Submit& asked, const std::vector<NfsShare>& of_site) {
  std::vector<NfsShare> given;
  for (const std::string& name : asked.shares) {
    const auto share = std::ranges::find(of_site, name, &NfsShare::name);
    if (share == of_site.end())
      return fail(ErrorKind::refused,
                  "this site has no share " + wire::in_quotes(name) +
                      (of_site.empty() ? " (`shares` in the configuration is empty); leave --share out, "
                                         "or ask an operator"
                                       : "; it has " + names_of(of_site)));
    if (std::ranges::find(given, name, &NfsShare::name) == given.end()) given.push_back(*share);
  }
  return given;
}

Result<void> check_shares(const Submission& job) {
  if (job.shares.empty()) return {};
  const auto* image = std::get_if<ImageBoot>(&job.program);
  if (!std::holds_alternative<LinuxCommand>(job.program) && (image == nullptr || image->argv.empty()))
    return fail(ErrorKind::refused,
                "shares are for a command; the guest of a kernel or a hash chain, and an image without a "
                "command, do not know them: leave --share out");
  // A guest that went back to an earlier moment would go on in a session in which the server has seen later
  // requests: at best the server refuses them, at worst it takes a new one for one that it has carried out.
  if (job.checkpoint && job.checkpoint->raw > 0)
    return fail(ErrorKind::refused,
                "no checkpoint can be made of a job with shares, because their servers do not go back with "
                "it; leave --checkpoint out");
  if (job.data.stage_in.empty()) return {};
  for (const NfsShare& share : job.shares)
    if ((job.data.workdir + "/").starts_with(share.path + "/"))
      return fail(ErrorKind::refused,
                  "the working directory " + wire::in_quotes(job.data.workdir) + " is in the share " +
                      share.name +
                      ", which would hide the input files; give --workdir elsewhere, or "
                      "put the files into the share");
  return {};
}

}  // namespace aliquot
