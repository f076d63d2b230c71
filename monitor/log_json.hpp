// A line of the text log as JSON: {"event":"job_ended","job":7,"result":"completed"}.
//
// The text is a word and then key=value, values bare, in "double quotes" (with \" \\ \xNN in them) or in
// 'single quotes'; bare numbers stay numbers. What is not written like that is {"message":"..."}. Pure.
#pragma once

#include <string>
#include <string_view>

namespace aliquot {

// Without the outer braces, so that time and level can be put before it.
[[nodiscard]] std::string json_members(std::string_view text);

}  // namespace aliquot
