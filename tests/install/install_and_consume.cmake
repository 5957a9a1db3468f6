# Installs the build tree BUILD under WORK and builds and runs the project CONSUMER against it.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed: ${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=address,undefined")
endif()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
# A plain C++ project, as a user would have: no C, no option of ours.
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX_COMPILER}
    -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_FLAGS=${flags})
run(${CMAKE_COMMAND} --build ${WORK}/build)

run(${WORK}/build/consumer)
if(NOT output MATCHES "certified: 1")
  message(FATAL_ERROR "the consumer's step is not certified: ${output}")
endif()
run(${WORK}/prefix/bin/cardhouse --version)
if(NOT output MATCHES "cardhouse ${VERSION}")
  message(FATAL_ERROR "the installed program says: ${output}")
endif()
