// What becomes of a request to submit before it is a job: what the site gives by name, whether it is
// admitted, and what its tasks are charged.
#pragma once

#include <cstddef>

#include "config/settings.hpp"
#include "manager/api/wire/auth.hpp"
#include "manager/api/wire/request.hpp"
#include "manager/learning.hpp"
#include "policies/model/error.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

// What a request is judged by.
struct SubmissionTerms {
  const ClusterView& view;
  const Settings& settings;
  const Roles& roles;
  Learning& learning;    // what its knowledge base is asked for counts as a use
  std::size_t jobs = 0;  // that have been accepted and have not ended
};

// The submission with the number of its tasks (chosen, if the job offers a range), account, device model,
// network and shares, the limits of the site, the memory that its tasks are charged, and the run time that
// is predicted; without the contents of its files. Takes it from the request. An error says which option or
// setting stands against it.
[[nodiscard]] Result<Submission> admitted_submission(Submit& request, const Peer& peer,
                                                     const SubmissionTerms& terms);

}  // namespace aliquot
