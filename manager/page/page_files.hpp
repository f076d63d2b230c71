// The files of the status page from manager/page, embedded in the program by embed.cmake.
#pragma once

namespace aliquot {

extern const char* const kPage_html;
extern const char* const kPage_css;
extern const char* const kPage_js;

}  // namespace aliquot
