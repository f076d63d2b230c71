# Puts the page's files into a source file: cmake -DFROM=folder -DTO=page_files.cpp -P embed.cmake
set(out "// Made from the files of manager/page; not to be edited.\n#include \"manager/page/page_files.hpp\"\n\nnamespace aliquot {\n\n")
foreach(file html css js)
  file(READ ${FROM}/page.${file} text)
  string(APPEND out "const char* const kPage_${file} = R\"page~(${text})page~\";\n")
endforeach()
string(APPEND out "\n}  // namespace aliquot\n")
file(WRITE ${TO} "${out}")
