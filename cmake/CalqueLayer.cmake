# calque_layer(NAME [SOURCES file...] [FOLDERS folder...] LINKS target... [PRIVATE target...])
#
# Defines the library calque_NAME (alias calque::NAME) of the current folder. FOLDERS are those of its
# subfolders that belong to it; each adds its files with calque_sources(file...). The headers of the
# library are reachable as "FOLDER/..." only through symbolic links in the build folder, which it
# exports, so an include of a layer that is not linked fails to compile.
function(calque_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;FOLDERS;LINKS;PRIVATE" ${ARGN})
  add_library(calque_${name} STATIC ${arg_SOURCES})
  add_library(calque::${name} ALIAS calque_${name})
  set_target_properties(calque_${name} PROPERTIES EXPORT_NAME ${name})
  set(CALQUE_LAYER ${name})
  foreach(folder IN LISTS arg_FOLDERS)
    add_subdirectory(${folder})
  endforeach()

  set(view ${PROJECT_BINARY_DIR}/layers/${name})
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
  list(TRANSFORM arg_FOLDERS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  foreach(header IN LISTS headers arg_FOLDERS)
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

# calque_subfolders(RESULT): the subfolders that have a CMakeLists.txt, for a folder whose subfolders are
# alike, such as one for each task.
function(calque_subfolders result)
  file(GLOB lists CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}
       ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  list(TRANSFORM lists REPLACE "/CMakeLists.txt" "")
  set(${result} ${lists} PARENT_SCOPE)
endfunction()

# calque_sources(file...): adds files of the current folder to the library that contains the folder.
function(calque_sources)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  target_sources(calque_${CALQUE_LAYER} PRIVATE ${ARGN})
endfunction()
