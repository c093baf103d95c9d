# calque_embed_text(TARGET SYMBOL FILE): puts a text file into a library at build time.
#
# The library gains `extern const std::string_view SYMBOL;` in namespace calque: the bytes of FILE,
# which may be binary. Declare it where it is used.
#
# calque_embed_texts(TARGET SYMBOL TYPE HEADER FILE...) embeds several in one source: the library gains
# `const std::span<const TYPE> SYMBOL;`, which HEADER declares. TYPE is a struct of two string views: the
# name of a file without its extension, and its bytes.
#
# This file, run with cmake -P, writes the source.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  # A string view of the bytes of a file, as C++.
  function(view_of file result)
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(................................................................)" "\\1\n"
           bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${bytes}")
    string(REPLACE "\n" "\"\n    \"" bytes "${bytes}")
    file(SIZE ${file} size)
    set(${result} "{\n    \"${bytes}\",\n    ${size}}" PARENT_SCOPE)
  endfunction()

  if(type)
    set(entries "")
    foreach(input IN LISTS inputs)
      cmake_path(GET input STEM LAST_ONLY name)
      view_of(${input} view)
      string(APPEND entries "    {\"${name}\", ${view}},\n")
    endforeach()
    file(WRITE ${output}
"#include \"${header}\"
namespace calque {
static constexpr ${type} ${symbol}_embedded[] = {
${entries}};
constinit const std::span<const ${type}> ${symbol}(${symbol}_embedded);
}  // namespace calque
")
    return()
  endif()
  view_of(${inputs} view)
  file(WRITE ${output}
"#include <string_view>
namespace calque {
extern const std::string_view ${symbol};
constinit const std::string_view ${symbol}${view};
}  // namespace calque
")
  return()
endif()

set(CALQUE_EMBED_TEXT_SCRIPT ${CMAKE_CURRENT_LIST_FILE} CACHE INTERNAL "")

function(calque_embed_text target symbol file)
  calque_embed_texts(${target} ${symbol} "" "" ${file})
endfunction()

function(calque_embed_texts target symbol type header)
  set(inputs "")
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE input)
    list(APPEND inputs ${input})
  endforeach()
  list(JOIN ARGN " " names)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.cpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-Dinputs=${inputs}" -Doutput=${output} -Dsymbol=${symbol} -Dtype=${type}
            -Dheader=${header} -P ${CALQUE_EMBED_TEXT_SCRIPT}
    DEPENDS ${inputs} ${CALQUE_EMBED_TEXT_SCRIPT}
    COMMENT "Embedding ${names}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
