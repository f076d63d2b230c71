// The status page's files as they stand in manager/page, put into the program by embed.cmake.
#pragma once

namespace aliquot {

extern const char* const kPage_html;
extern const char* const kPage_css;
extern const char* const kPage_js;

}  // namespace aliquot
