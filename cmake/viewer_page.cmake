# The viewer's page: built by Node from viewer/, compressed, and embedded in the program by viewer/page.cpp. Sets
# CARDHOUSE_PAGE_FILES, which are empty files when there is no page; the program then says what is missing.
set(CARDHOUSE_VIEWER AUTO CACHE STRING "Build the viewer's page with Node: AUTO (if it can be), ON (or fail), OFF")
set_property(CACHE CARDHOUSE_VIEWER PROPERTY STRINGS AUTO ON OFF)
set(CARDHOUSE_VIEWER_PAGE "" CACHE FILEPATH "A page that is built already, to be embedded instead of one from viewer/")
mark_as_advanced(CARDHOUSE_VIEWER_PAGE)

find_program(CARDHOUSE_NODE NAMES node nodejs)
find_program(CARDHOUSE_NPM NAMES npm)
mark_as_advanced(CARDHOUSE_NODE CARDHOUSE_NPM)

set(page_folder ${PROJECT_BINARY_DIR}/viewer)
set(CARDHOUSE_PAGE_FILES ${page_folder}/page.gz ${page_folder}/page.hashes)
set(viewer_source ${PROJECT_SOURCE_DIR}/viewer)

# Why there can be no page; empty when there can.
set(obstacle "")
if(NOT CARDHOUSE_NODE OR NOT CARDHOUSE_NPM)
  set(obstacle "Node.js and npm were not found")
else()
  execute_process(COMMAND ${CARDHOUSE_NODE} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX REPLACE "^v" "" node_version "${node_version}")
  if(node_version VERSION_LESS 18)
    set(obstacle "Node.js ${node_version} is older than 18")
  elseif(NOT CARDHOUSE_VIEWER_PAGE AND NOT EXISTS ${viewer_source}/package-lock.json)
    set(obstacle "there is no viewer/package-lock.json")
  endif()
endif()

if(CARDHOUSE_VIEWER AND NOT CARDHOUSE_VIEWER STREQUAL "AUTO" AND obstacle)
  message(FATAL_ERROR "CARDHOUSE_VIEWER=${CARDHOUSE_VIEWER}: ${obstacle}. Install nodejs (18 or newer) and npm, or "
                      "configure with -DCARDHOUSE_VIEWER=OFF.")
elseif(NOT CARDHOUSE_VIEWER OR obstacle)
  if(CARDHOUSE_VIEWER)
    message(STATUS "The program will be without the viewer's page: ${obstacle}")
  endif()
  foreach(file IN LISTS CARDHOUSE_PAGE_FILES)
    file(CONFIGURE OUTPUT ${file} CONTENT "")
  endforeach()
  return()
endif()

file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${viewer_source}/src/*)
foreach(file index.html package.json package-lock.json tsconfig.json vite.config.ts)
  if(EXISTS ${viewer_source}/${file})
    list(APPEND page_sources ${viewer_source}/${file})
  endif()
endforeach()

# The stamp is left out when AUTO had to do without a page, so that the next build tries again.
add_custom_command(
  OUTPUT ${page_folder}/page.stamp
  BYPRODUCTS ${CARDHOUSE_PAGE_FILES}
  COMMAND ${CMAKE_COMMAND} -DNODE=${CARDHOUSE_NODE} -DNPM=${CARDHOUSE_NPM} -DSOURCE=${viewer_source}
          -DOUTPUT=${page_folder} -DREADY_PAGE=${CARDHOUSE_VIEWER_PAGE} -DREQUIRED=${CARDHOUSE_VIEWER}
          -P ${PROJECT_SOURCE_DIR}/cmake/build_page.cmake
  DEPENDS ${page_sources} ${CARDHOUSE_VIEWER_PAGE} ${PROJECT_SOURCE_DIR}/cmake/build_page.cmake
          ${PROJECT_SOURCE_DIR}/cmake/embed_page.mjs
  COMMENT "Building the viewer's page"
  VERBATIM)
add_custom_target(cardhouse_page DEPENDS ${page_folder}/page.stamp)
