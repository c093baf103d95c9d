# calque_layer(NAME SOURCES file... LINKS target... [PRIVATE target...] [HEADERS_APART])
#
# Defines the library calque_NAME (alias calque::NAME) of the current folder. Its headers are
# reachable as "FOLDER/..." only through symbolic links in the build folder, which this library
# exports, so an include of a layer that is not linked fails to compile. HEADERS_APART: subfolders
# are separate layers, and only the headers directly in this folder belong to this one.
function(calque_layer name)
  cmake_parse_arguments(arg "HEADERS_APART" "" "SOURCES;LINKS;PRIVATE" ${ARGN})
  add_library(calque_${name} STATIC ${arg_SOURCES})
  add_library(calque::${name} ALIAS calque_${name})
  set_target_properties(calque_${name} PROPERTIES EXPORT_NAME ${name})

  set(view ${PROJECT_BINARY_DIR}/layers/${name})
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  if(arg_HEADERS_APART)
    file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
  else()
    set(headers ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  foreach(header IN LISTS headers)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${header})
    get_filename_component(parent ${view}/${path} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    file(CREATE_LINK ${header} ${view}/${path} SYMBOLIC)
  endforeach()
  target_include_directories(calque_${name} PUBLIC
    $<BUILD_INTERFACE:${view}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/calque>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(calque_${name}
    PUBLIC calque_settings ${arg_LINKS}
    PRIVATE $<BUILD_INTERFACE:calque_compiler> ${arg_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY CALQUE_LAYERS calque_${name})
endfunction()
