# calque_layer(NAME [PER_PROCESSOR] [SOURCES file...] [FOLDERS folder...] LINKS target... [PRIVATE target...])
#
# Defines the library calque_NAME (alias calque::NAME) of the current folder. FOLDERS are those of its
# subfolders that belong to it; each adds its files with calque_sources(file...). The headers of the
# library are reachable as "FOLDER/..." only through symbolic links in the build folder, which it
# exports, so an include of a layer that is not linked fails to compile. A library PER_PROCESSOR is
# built once for each instruction set (cmake/CalqueInstructionSets.cmake); it may include core/simd/.
function(calque_layer name)
  cmake_parse_arguments(arg "PER_PROCESSOR" "" "SOURCES;FOLDERS;LINKS;PRIVATE" ${ARGN})
  set(type STATIC)
  set(CALQUE_LAYER_TARGETS calque_${name})
  if(arg_PER_PROCESSOR AND CALQUE_HIGHER_SETS)
    set(type SHARED)
    foreach(set IN LISTS CALQUE_HIGHER_SETS)
      list(APPEND CALQUE_LAYER_TARGETS calque_${name}_${set})
    endforeach()
  endif()
  foreach(target IN LISTS CALQUE_LAYER_TARGETS)
    add_library(${target} ${type} ${arg_SOURCES})
  endforeach()
  add_library(calque::${name} ALIAS calque_${name})
  set_target_properties(calque_${name} PROPERTIES EXPORT_NAME ${name})
  if(arg_PER_PROCESSOR)
    calque_build_per_processor(${name})
  endif()
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
  foreach(target IN LISTS CALQUE_LAYER_TARGETS)
    target_include_directories(${target} PUBLIC
      $<BUILD_INTERFACE:${view}>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/calque>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${target}
      PUBLIC calque_settings ${arg_LINKS}
      PRIVATE $<BUILD_INTERFACE:calque_compiler> ${arg_PRIVATE})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY CALQUE_LAYERS calque_${name})
endfunction()

# The properties of the targets of a layer PER_PROCESSOR. The library for the first instruction set also
# has a link in the folder of that set, so that LD_LIBRARY_PATH can choose it.
function(calque_build_per_processor name)
  calque_use_instruction_set(calque_${name} ${CALQUE_BASE_SET})
  list(JOIN CALQUE_INSTRUCTION_SETS "\",\"" sets)
  foreach(target IN LISTS CALQUE_LAYER_TARGETS)
    target_compile_definitions(${target} PRIVATE "CALQUE_INSTRUCTION_SETS=\"${sets}\"")
  endforeach()
  if(NOT CALQUE_HIGHER_SETS)
    return()
  endif()
  set_target_properties(${CALQUE_LAYER_TARGETS} PROPERTIES
    OUTPUT_NAME calque_${name} VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set(folder ${PROJECT_BINARY_DIR}/lib)
  set_target_properties(calque_${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${folder} INSTALL_RPATH $ORIGIN)
  set(soname libcalque_${name}.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  add_custom_command(TARGET calque_${name} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}/glibc-hwcaps/${CALQUE_BASE_SET}
    COMMAND ${CMAKE_COMMAND} -E create_symlink ../../${soname} ${folder}/glibc-hwcaps/${CALQUE_BASE_SET}/${soname}
    VERBATIM)
  install(FILES ${folder}/glibc-hwcaps/${CALQUE_BASE_SET}/${soname}
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/glibc-hwcaps/${CALQUE_BASE_SET} COMPONENT program)
  foreach(set IN LISTS CALQUE_HIGHER_SETS)
    set(target calque_${name}_${set})
    calque_use_instruction_set(${target} ${set})
    set_target_properties(${target} PROPERTIES
      LIBRARY_OUTPUT_DIRECTORY ${folder}/glibc-hwcaps/${set} INSTALL_RPATH "$ORIGIN;$ORIGIN/../..")
    add_dependencies(calque_${name} ${target})
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/glibc-hwcaps/${set}
            COMPONENT program NAMELINK_SKIP)
  endforeach()
  # A call within a library does not look for the function elsewhere.
  foreach(target IN LISTS CALQUE_LAYER_TARGETS)
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
    target_link_options(${target} PRIVATE LINKER:-Bsymbolic-functions)
  endforeach()
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
  foreach(target IN LISTS CALQUE_LAYER_TARGETS)
    target_sources(${target} PRIVATE ${files})
  endforeach()
  if(arg_WITH)
    list(GET CALQUE_LAYER_TARGETS 0 target)
    calque_allow_instructions(${target} "${files}" "${arg_WITH}" ${arg_FROM})
  endif()
endfunction()
