# The compiler settings of the whole project, carried by the interface target calque_compiler.
#
# No -ffast-math: it drops checks for NaN and changes the floating-point mode at load time.
# -fno-math-errno and -fno-trapping-math only state that nothing reads errno or floating-point
# exception flags.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET default)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O3")

# The setting that the libraries and their users must share: the type of `real`.
add_library(calque_settings INTERFACE)
target_compile_features(calque_settings INTERFACE cxx_std_20)
if(CALQUE_DOUBLE)
  target_compile_definitions(calque_settings INTERFACE CALQUE_DOUBLE)
endif()

add_library(calque_compiler INTERFACE)
target_compile_options(calque_compiler INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
  -Wno-sign-conversion -Wno-psabi  # signed sizes index std::vector; vector types never cross an ABI
  # False positives of GCC 12: an overflow inside fmt, overlaps in "text" + std::string.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow> $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>
  # In a unity build GCC takes every file but the first for a header, and a local name may hide one of
  # another file.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>
  $<$<BOOL:${CMAKE_UNITY_BUILD}>:-Wno-shadow>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wshadow=local>
  # False positive of Clang: it misses that a lambda changes the loop variable.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-for-loop-analysis>
  $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>  # lets ccache cache what uses precompiled headers
  -fno-math-errno -fno-trapping-math)
if(NOT OpenMP_CXX_FOUND)
  target_compile_options(calque_compiler INTERFACE -Wno-unknown-pragmas)
endif()
include(CalqueInstructionSets)
if(CALQUE_SANITIZE)
  target_compile_options(calque_compiler INTERFACE
    -fsanitize=${CALQUE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(CALQUE_SANITIZE MATCHES undefined)
    # Slow to compile. AddressSanitizer reports the use of a null pointer, and objects that end too early.
    target_compile_options(calque_compiler INTERFACE
      -fno-sanitize=null,vptr,object-size,nonnull-attribute,returns-nonnull-attribute)
  endif()
  target_link_options(calque_compiler INTERFACE -fsanitize=${CALQUE_SANITIZE})
endif()
if(CALQUE_COVERAGE)
  target_compile_options(calque_compiler INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(calque_compiler INTERFACE --coverage)
endif()

# A unity build compiles few large units.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 25)

# calque_precompile(TARGET HEADER...): precompiles the named headers and those that most files use.
function(calque_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN}
    <algorithm> <filesystem> <functional> <map> <memory> <optional> <span> <string> <vector>
    <fmt/format.h>)
endfunction()

# calque_optimise_little(TARGET...): for code without long computations of its own, -O1 in optimised and
# unity builds, and -O0 with sanitizers, where -O1 would double the compile time, as would the check of
# every pointer's alignment.
function(calque_optimise_little)
  set(level $<$<OR:$<CONFIG:Release>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-O1>)
  if(CALQUE_SANITIZE)
    set(level -O0)
    if(CALQUE_SANITIZE MATCHES undefined AND NOT CALQUE_FUZZ)
      list(APPEND level -fno-sanitize=alignment)
    endif()
  endif()
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE ${level})
  endforeach()
endfunction()

# calque_compile_quickly(TARGET HEADER...): little optimisation and precompiled headers, which the
# libraries of a unity build share. For fuzzing their options differ, and headers cannot be shared.
function(calque_compile_quickly target)
  if(CMAKE_UNITY_BUILD AND NOT CALQUE_FUZZ)
    if(NOT TARGET calque_headers)
      file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/headers.cpp CONTENT "")
      add_library(calque_headers OBJECT ${PROJECT_BINARY_DIR}/headers.cpp)
      target_link_libraries(calque_headers PRIVATE calque_compiler calque_core nlohmann_json::nlohmann_json)
      calque_precompile(calque_headers <nlohmann/json.hpp>)
      calque_optimise_little(calque_headers)
    endif()
    target_precompile_headers(${target} REUSE_FROM calque_headers)
  else()
    calque_precompile(${target} ${ARGN})
  endif()
  calque_optimise_little(${target})
endfunction()
