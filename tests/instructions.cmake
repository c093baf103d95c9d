# Checks that no code has instructions above its instruction set, by the registers that it names:
#   cmake -Dlibraries=FOLDER -Dprogram=CALQUE -Dbase=SET -P instructions.cmake
# x86-64-v2 has no ymm and zmm registers, x86-64-v3 no zmm and mask registers. The search finds the
# registers of x86-64-v4 where they must be, so it cannot pass by finding nothing anywhere.
cmake_minimum_required(VERSION 3.25)
find_program(objdump objdump)
if(NOT objdump)
  message("no objdump")
  return()
endif()

# The number of lines of code that name such registers.
function(count_lines file registers result)
  execute_process(COMMAND ${objdump} --disassemble --no-show-raw-insn ${file}
                  COMMAND grep --count --extended-regexp "${registers}"
                  OUTPUT_VARIABLE count OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT count MATCHES "^[0-9]+$")
    message(FATAL_ERROR "${file}: cannot be disassembled")
  endif()
  set(${result} ${count} PARENT_SCOPE)
endfunction()

set(above_x86-64-v2 "%[yz]mm|%k[0-7]")
set(above_x86-64-v3 "%zmm|%k[0-7]")
file(GLOB base_files ${libraries}/*.so)
file(GLOB sets RELATIVE ${libraries}/glibc-hwcaps ${libraries}/glibc-hwcaps/*)
foreach(set IN LISTS sets)
  file(GLOB files ${libraries}/glibc-hwcaps/${set}/*.so)
  if(set STREQUAL base)
    set(files ${base_files} ${program})
  endif()
  if(NOT files)
    message(FATAL_ERROR "${libraries}/glibc-hwcaps/${set}: has no libraries")
  endif()
  foreach(file IN LISTS files)
    if(DEFINED above_${set})
      count_lines(${file} "${above_${set}}" count)
      if(count GREATER 0)
        message(FATAL_ERROR "${file}: ${count} instructions are above ${set}")
      endif()
    else()
      count_lines(${file} "%zmm" count)
      if(count EQUAL 0)
        message(FATAL_ERROR "${file}: has no instructions of ${set}")
      endif()
    endif()
  endforeach()
endforeach()
