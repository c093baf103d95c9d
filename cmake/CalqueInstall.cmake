# cmake --install: headers, libraries, the program, and the package for find_package(calque); with
# --component program only what the program needs.
include(CMakePackageConfigHelpers)
# The program finds its shared libraries relative to itself.
file(RELATIVE_PATH libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(calque PROPERTIES INSTALL_RPATH $ORIGIN/${libraries})
get_property(layers GLOBAL PROPERTY CALQUE_LAYERS)
install(TARGETS ${layers} calque_settings EXPORT calqueTargets
        LIBRARY COMPONENT program NAMELINK_COMPONENT development)
install(EXPORT calqueTargets NAMESPACE calque:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/calque)
foreach(layer IN ITEMS core nn optim ranks data decode train interop serve)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${layer} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/calque
          FILES_MATCHING PATTERN "*.h")
endforeach()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/calqueConfig.cmake.in
  ${PROJECT_BINARY_DIR}/calqueConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/calque)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/calqueConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/calqueConfig.cmake
              ${PROJECT_BINARY_DIR}/calqueConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindOpenBLAS.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindSentencePiece.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/calque)
include(CalqueBundle)
if(CALQUE_BUNDLE)
  calque_bundle(calque)
endif()
if(PROJECT_IS_TOP_LEVEL)
  include(CalquePackage)
endif()
