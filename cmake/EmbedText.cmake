# calque_embed_text(TARGET SYMBOL FILE): puts a text file into a library at build time.
#
# The library gains `extern const std::string_view SYMBOL;` in namespace calque: the bytes of FILE,
# which may be binary. Declare it where it is used. This file, run with cmake -P, writes the source.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  file(READ ${input} bytes HEX)
  string(REGEX REPLACE "(................................................................)" "\\1\n"
         bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${bytes}")
  string(REPLACE "\n" "\"\n    \"" bytes "${bytes}")
  file(SIZE ${input} size)
  file(WRITE ${output}
"#include <string_view>
namespace calque {
extern const std::string_view ${symbol};
constinit const std::string_view ${symbol}{
    \"${bytes}\",
    ${size}};
}  // namespace calque
")
  return()
endif()

set(CALQUE_EMBED_TEXT_SCRIPT ${CMAKE_CURRENT_LIST_FILE} CACHE INTERNAL "")

function(calque_embed_text target symbol file)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE input)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.cpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -Dinput=${input} -Doutput=${output} -Dsymbol=${symbol}
            -P ${CALQUE_EMBED_TEXT_SCRIPT}
    DEPENDS ${input} ${CALQUE_EMBED_TEXT_SCRIPT}
    COMMENT "Embedding ${file}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
