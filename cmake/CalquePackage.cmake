# CPack: the Debian package and the tarball of the component `program`. scripts/package makes both.
#
# CALQUE_DEBIAN_RELEASE, such as 12, installs as Debian's rules want it: compressed manual pages, the
# changelog and the copyright.
set(CALQUE_DEBIAN_RELEASE "" CACHE STRING "The release of Debian that cpack -G DEB makes a package for")
set(CALQUE_MAINTAINER "The calque authors <calque@invalid.invalid>" CACHE STRING "The maintainer of the Debian package")

set(CPACK_PACKAGE_NAME calque)
set(CPACK_PACKAGE_VENDOR "The calque authors")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)

set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
if(NOT CALQUE_DEBIAN_RELEASE)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
set(CPACK_ARCHIVE_PROGRAM_FILE_NAME calque-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_FILE_NAME ${CPACK_ARCHIVE_PROGRAM_FILE_NAME})

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME calque)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1~deb${CALQUE_DEBIAN_RELEASE})
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${CALQUE_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
# Its threads are those of OpenMP, as calque's own.
set(CPACK_DEBIAN_PACKAGE_DEPENDS libopenblas0-openmp)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS OFF)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "trainer of Transformers on ordinary CPUs")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
"calque trains translators, language models, classifiers and taggers from a
config file, and translates, generates, serves and exports with them. It has
its own reverse-mode automatic differentiation and needs no GPU.")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)

set(documents ${CMAKE_INSTALL_DATADIR}/doc/calque)
if(NOT CALQUE_DEBIAN_RELEASE)
  install(FILES LICENSE DESTINATION ${documents} COMPONENT program)
  return()
endif()
find_program(GZIP gzip REQUIRED)
file(READ LICENSE licence)
string(REGEX REPLACE "^[^\n]*\n\nCopyright \\(c\\) ([^\n]*)\n\n" "" licence "${licence}")
set(years_and_holder ${CMAKE_MATCH_1})
string(REGEX REPLACE "\n\n" "\n.\n" licence "${licence}")
string(STRIP "${licence}" licence)
string(REPLACE "\n" "\n " licence "${licence}")
file(CONFIGURE OUTPUT package/copyright @ONLY CONTENT
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: calque

Files: *
Copyright: @years_and_holder@
License: Expat
 @licence@
")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(CONFIGURE OUTPUT package/changelog.Debian @ONLY CONTENT
"calque (@PROJECT_VERSION@-@CPACK_DEBIAN_PACKAGE_RELEASE@) stable; urgency=medium

  * Version @PROJECT_VERSION@ for Debian @CALQUE_DEBIAN_RELEASE@.

 -- @CALQUE_MAINTAINER@  @date@
")
install(FILES ${PROJECT_BINARY_DIR}/package/copyright ${PROJECT_BINARY_DIR}/package/changelog.Debian
        DESTINATION ${documents} COMPONENT program)
install(CODE "
  set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
  file(GLOB texts \"\${share}/man/man1/*.1\" \"\${share}/doc/calque/changelog.Debian\")
  execute_process(COMMAND ${GZIP} -9nf \${texts} COMMAND_ERROR_IS_FATAL ANY)
  file(RENAME \"\${share}/zsh/site-functions\" \"\${share}/zsh/vendor-completions\")" COMPONENT program)
