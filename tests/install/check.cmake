# Installs a build into a separate folder, builds the consumer against it, and runs the consumer and
# the installed calque:
#   cmake -Dbuild=BUILD -Dconsumer=SOURCE -Dwork=FOLDER -P check.cmake
file(REMOVE_RECURSE ${work})
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -S ${consumer} -B ${work}/build -DCMAKE_PREFIX_PATH=${work}/prefix
    -DCMAKE_BUILD_TYPE=Debug)
run(${CMAKE_COMMAND} --build ${work}/build)
execute_process(COMMAND ${work}/build/consumer OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "8 1 8")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()
run(${work}/prefix/bin/calque --version)
