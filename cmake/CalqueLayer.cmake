# calque_layer(NAME [SOURCES file...] [FOLDERS folder...] LINKS target... [PRIVATE target...])
#
# Defines the library calque_NAME (alias calque::NAME) of the current folder. FOLDERS are those of its
# subfolders that belong to it; each adds its files with calque_sources(file...). The headers of the
# library are reachable as "FOLDER/..." only through symbolic links in the build folder, which it
# exports, so an include of a layer that is not linked fails to compile.
include(CheckCXXCompilerFlag)

function(calque_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;FOLDERS;LINKS;PRIVATE" ${ARGN})
  add_library(calque_${name} STATIC ${arg_SOURCES})
  add_library(calque::${name} ALIAS calque_${name})
  set_target_properties(calque_${name} PROPERTIES EXPORT_NAME ${name} CALQUE_LEVEL ${CALQUE_LEVEL})
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

# calque_sources(file... [WITH instructions... FROM set]): adds files of the current folder to the library
# that contains the folder. WITH names instructions beyond the instruction set of a library, as -mNAME:
# the files may use them in the libraries for the named set (such as x86-64-v4) and for higher ones, if
# they ask the processor first (core/processor.h). The compiler defines a macro for each there.
function(calque_sources)
  cmake_parse_arguments(arg "" "FROM" "WITH" ${ARGN})
  set(files ${arg_UNPARSED_ARGUMENTS})
  list(TRANSFORM files PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  target_sources(calque_${CALQUE_LAYER} PRIVATE ${files})
  calque_allow_instructions(calque_${CALQUE_LAYER} "${files}" "${arg_WITH}" "${arg_FROM}")
endfunction()

# calque_allow_instructions(TARGET FILES INSTRUCTIONS SET): what calque_sources(... WITH ...) does for files
# of any target.
function(calque_allow_instructions target files instructions set)
  string(REGEX MATCH "[0-9]$" level "${set}")
  foreach(name IN LISTS instructions)
    string(MAKE_C_IDENTIFIER CALQUE_COMPILES_${name} compiles)
    check_cxx_compiler_flag(-m${name} ${compiles})
    if(${compiles})
      set_property(SOURCE ${files} TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS
        $<$<VERSION_GREATER_EQUAL:$<TARGET_PROPERTY:CALQUE_LEVEL>,${level}>:-m${name}>)
    endif()
  endforeach()
endfunction()
