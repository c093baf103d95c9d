# With CALQUE_BUNDLE, cmake --install also installs the shared libraries that calque needs and that are no
# part of every Linux system, with their licences: for the tarball and the wheel. The C and C++ libraries
# stay those of the system, so a bundle runs on systems as new as the one that built it, or newer. Needs
# patchelf, and dpkg for the licences.
#
# calque_bundle(PROGRAM...): what the programs need.
option(CALQUE_BUNDLE "Install the libraries that calque needs, too (needs patchelf and dpkg)" OFF)

set(CALQUE_BUNDLE_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(calque_bundle)
  find_program(PATCHELF patchelf REQUIRED)
  find_program(DPKG dpkg REQUIRED)
  set(files "")
  foreach(target IN LISTS ARGN)
    list(APPEND files "$<TARGET_FILE:${target}>")
  endforeach()
  install(CODE "
    set(files \"${files}\")
    set(own \"${PROJECT_BINARY_DIR}\")
    set(libraries \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
    set(licences \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/licences\")
    set(patchelf \"${PATCHELF}\")
    set(dpkg \"${DPKG}\")
    include(\"${CALQUE_BUNDLE_SCRIPT}\")
    bundle()" COMPONENT program)
endfunction()

# The rest runs while calque is installed.

# Copies the licence of the Debian package that has the file, and the texts that it refers to.
function(copy_licence file)
  cmake_path(GET file FILENAME name)
  execute_process(COMMAND ${dpkg} -S "*/${name}" OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "^[^:,]+" package "${found}")
  set(copyright /usr/share/doc/${package}/copyright)
  if(NOT EXISTS ${copyright})
    message(FATAL_ERROR "${file}: ${copyright}, the licence, is missing")
  endif()
  configure_file(${copyright} ${licences}/${package} COPYONLY)
  file(READ ${copyright} text)
  string(REGEX MATCHALL "common-licenses/[A-Za-z0-9.+-]+[A-Za-z0-9]" references "${text}")
  foreach(reference IN LISTS references)
    if(EXISTS /usr/share/${reference})
      configure_file(/usr/share/${reference} ${licences}/${reference} COPYONLY)
    endif()
  endforeach()
endfunction()

function(bundle)
  file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${files}
    RESOLVED_DEPENDENCIES_VAR found CONFLICTING_DEPENDENCIES_PREFIX conflicts
    PRE_EXCLUDE_REGEXES "^(ld-linux|libc\\.|libm\\.|libpthread|libdl|librt|libstdc\\+\\+|libgcc_s|libpython)")
  foreach(library IN LISTS found conflicts_FILENAMES)
    cmake_path(IS_PREFIX own ${library} NORMALIZE is_own)
    if(is_own)
      continue()
    endif()
    cmake_path(GET library FILENAME soname)
    if(conflicts_${soname})  # one file by several names
      list(GET conflicts_${soname} 0 library)
    endif()
    file(REAL_PATH ${library} file)
    configure_file(${file} ${libraries}/${soname} COPYONLY)
    execute_process(COMMAND ${patchelf} --set-rpath $ORIGIN ${libraries}/${soname} COMMAND_ERROR_IS_FATAL ANY)
    message(STATUS "Bundled: ${libraries}/${soname}")
    copy_licence(${file})
  endforeach()
endfunction()
