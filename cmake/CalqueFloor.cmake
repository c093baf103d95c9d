# calque_floor(NAME SOURCES file... LINKS target... [PRIVATE target...])
#
# Defines the library calque_NAME (alias calque::NAME). The headers of a floor are reachable as
# "NAME/..." only through a link in the build folder that this library alone exports, so including
# the header of a floor that one does not link to fails to compile.
function(calque_floor name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS;PRIVATE" ${ARGN})
  add_library(calque_${name} STATIC ${arg_SOURCES})
  add_library(calque::${name} ALIAS calque_${name})
  set_target_properties(calque_${name} PROPERTIES EXPORT_NAME ${name})

  set(view ${PROJECT_BINARY_DIR}/floors/${name})
  file(MAKE_DIRECTORY ${view})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${view}/${name} SYMBOLIC)
  target_include_directories(calque_${name} PUBLIC
    $<BUILD_INTERFACE:${view}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/calque>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(calque_${name}
    PUBLIC calque_settings ${arg_LINKS}
    PRIVATE $<BUILD_INTERFACE:calque_compiler> ${arg_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY CALQUE_FLOORS calque_${name})
endfunction()
