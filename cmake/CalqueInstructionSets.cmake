# The instruction sets that calque is built for. All code is compiled for the first one. The layers with
# vectors (calque_layer(... PER_PROCESSOR)) are shared libraries if there are several: each is built
# once for every set, those for the higher ones in the folder glibc-hwcaps/SET beside it, where the
# loader of glibc 2.33 and later takes the highest one that the processor has. Other loaders, and older
# processors, take the first.
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)
include(CheckCXXSourceRuns)
include(CheckLinkerFlag)

set(default_sets baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(default_sets native)
  check_cxx_source_compiles("#include <features.h>\nstatic_assert(__GLIBC__);int main() {}" CALQUE_GLIBC)
  if(CALQUE_GLIBC AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT CALQUE_DOUBLE AND NOT CALQUE_SANITIZE
     AND NOT CALQUE_COVERAGE AND NOT CALQUE_FUZZ)
    set(default_sets x86-64-v2 x86-64-v3 x86-64-v4)
  endif()
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(default_sets armv8-a)
endif()
set(CALQUE_INSTRUCTION_SETS "${default_sets}" CACHE STRING
    "x86-64-v2;x86-64-v3;x86-64-v4, or some of them, the lowest first; armv8-a; native: that of this machine; baseline: the compiler's default")

list(LENGTH CALQUE_INSTRUCTION_SETS count)
set(CALQUE_BASE_SET "${CALQUE_INSTRUCTION_SETS}")
set(CALQUE_HIGHER_SETS "")
if(count GREATER 1)
  set(CALQUE_HIGHER_SETS ${CALQUE_INSTRUCTION_SETS})
  list(POP_FRONT CALQUE_HIGHER_SETS CALQUE_BASE_SET)
  foreach(set IN LISTS CALQUE_INSTRUCTION_SETS)
    if(NOT set MATCHES "^x86-64-v[234]$")
      message(FATAL_ERROR "CALQUE_INSTRUCTION_SETS: ${set} cannot stand beside others; use x86-64-v2, x86-64-v3 and x86-64-v4")
    endif()
  endforeach()
endif()

# calque_use_instruction_set(TARGET SET): compiles a target, which links to calque_compiler, for the set.
# CALQUE_LEVEL is the x86-64 level whose instructions the code can use.
function(calque_use_instruction_set target set)
  if(set MATCHES "^x86-64-v([234])$")
    set(level ${CMAKE_MATCH_1})
  else()
    if(NOT set STREQUAL "baseline")
      set(CMAKE_REQUIRED_FLAGS -march=${set})
    endif()
    set(level 2)
    string(MAKE_C_IDENTIFIER "CALQUE_AVX2_IN_${set}" avx2)
    string(MAKE_C_IDENTIFIER "CALQUE_AVX512_IN_${set}" avx512)
    check_cxx_source_compiles("static_assert(__AVX2__);int main() {}" ${avx2})
    check_cxx_source_compiles("static_assert(__AVX512BW__);int main() {}" ${avx512})
    if(${avx512})
      set(level 4)
    elseif(${avx2})
      set(level 3)
    endif()
  endif()
  set_target_properties(${target} PROPERTIES CALQUE_INSTRUCTION_SET ${set} CALQUE_LEVEL ${level})
  target_compile_definitions(${target} PRIVATE CALQUE_INSTRUCTION_SET="${set}")
endfunction()

# calque_allow_instructions(TARGET FILES INSTRUCTIONS SET): the files of the target may use instructions,
# named as in -mNAME, beyond its instruction set if that is SET or a higher one.
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

# calque_runs_here(RESULT SET): whether this machine can run code for a set.
function(calque_runs_here result set)
  set(${result} TRUE PARENT_SCOPE)
  if(set MATCHES "^x86-64-v")
    string(MAKE_C_IDENTIFIER CALQUE_RUNS_${set} runs)
    check_cxx_source_runs("int main() { return __builtin_cpu_supports(\"${set}\") ? 0 : 1; }" ${runs})
    set(${result} ${${runs}} PARENT_SCOPE)
  endif()
endfunction()

# Options of every target: a target with the property CALQUE_INSTRUCTION_SET is compiled for that one.
# The loader refuses a processor that lacks the first set.
set(set_of_target "$<TARGET_PROPERTY:CALQUE_INSTRUCTION_SET>")
set(set_of_target "$<IF:$<BOOL:${set_of_target}>,${set_of_target},${CALQUE_BASE_SET}>")
target_compile_options(calque_compiler INTERFACE $<$<NOT:$<STREQUAL:${set_of_target},baseline>>:-march=${set_of_target}>)
if(CALQUE_BASE_SET MATCHES "^x86-64-v")
  check_linker_flag(CXX LINKER:-z,${CALQUE_BASE_SET} CALQUE_LINKER_MARKS_SETS)
  if(CALQUE_LINKER_MARKS_SETS)
    target_link_options(calque_compiler INTERFACE LINKER:-z,${set_of_target})
  endif()
endif()
if(CALQUE_HIGHER_SETS)
  # LD_LIBRARY_PATH comes before a RUNPATH, but after an RPATH.
  target_link_options(calque_compiler INTERFACE LINKER:--enable-new-dtags)
endif()
