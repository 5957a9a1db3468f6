# Builds the page from SOURCE with NODE and NPM, or takes READY_PAGE, and leaves page.gz and page.hashes in OUTPUT. When
# that fails and REQUIRED is AUTO, both files are empty and the program is without a page.
# A copy of the lock file that node_modules was installed from: contents tell more than dates, which every checkout renews.
set(installed_lock ${SOURCE}/node_modules/.installed-package-lock.json)

function(give_up what log)
  if(NOT REQUIRED STREQUAL "AUTO")
    message(FATAL_ERROR "${what}\n${log}")
  endif()
  message(WARNING "${what}; the program will be without the viewer's page.\n${log}")
  file(WRITE ${OUTPUT}/page.gz "")
  file(WRITE ${OUTPUT}/page.hashes "")
  file(REMOVE ${OUTPUT}/page.stamp)
endfunction()

function(build_page result)
  set(${result} FALSE PARENT_SCOPE)
  execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${SOURCE}/package-lock.json ${installed_lock} RESULT_VARIABLE differs
                  OUTPUT_QUIET ERROR_QUIET)
  if(differs)
    execute_process(COMMAND ${NPM} ci --no-audit --no-fund WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE code
                    OUTPUT_VARIABLE log ERROR_VARIABLE log)
    if(NOT code EQUAL 0)
      give_up("npm could not install what the page is built with" "${log}")
      return()
    endif()
    configure_file(${SOURCE}/package-lock.json ${installed_lock} COPYONLY)
  endif()
  execute_process(COMMAND ${NODE} ${SOURCE}/node_modules/vite/bin/vite.js build --logLevel warn --emptyOutDir
                          --outDir ${OUTPUT}/dist
                  WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE code OUTPUT_VARIABLE log ERROR_VARIABLE log)
  if(NOT code EQUAL 0)
    give_up("The page could not be built" "${log}")
    return()
  endif()
  set(${result} TRUE PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY ${OUTPUT})
set(page ${READY_PAGE})
if(NOT READY_PAGE)
  build_page(built)
  if(NOT built)
    return()
  endif()
  set(page ${OUTPUT}/dist/index.html)
endif()
execute_process(COMMAND ${NODE} ${CMAKE_CURRENT_LIST_DIR}/embed_page.mjs ${page} ${OUTPUT}/page.gz ${OUTPUT}/page.hashes
                RESULT_VARIABLE code OUTPUT_VARIABLE log ERROR_VARIABLE log)
if(NOT code EQUAL 0)
  give_up("${page} could not be embedded" "${log}")
  return()
endif()
file(TOUCH ${OUTPUT}/page.stamp)
