# The report's page, bundled from viewer/ into a C source, so that the program needs no files.
find_program(NODE node DOC "Node.js, which bundles the report's page")
if(NOT NODE)
  message(FATAL_ERROR "Node.js is needed to bundle the report's page (Debian: nodejs npm)")
endif()
set(PAL_REPORT_PAGE ${PROJECT_BINARY_DIR}/report_page.c)
file(GLOB REPORT_SOURCES CONFIGURE_DEPENDS viewer/src/[!t]*)
add_custom_command(OUTPUT ${PAL_REPORT_PAGE}
  COMMAND ${NODE} ${PROJECT_SOURCE_DIR}/viewer/build.mjs ${PAL_REPORT_PAGE}
  DEPENDS ${REPORT_SOURCES} viewer/build.mjs viewer/bundle.mjs viewer/package.json viewer/package-lock.json
  COMMENT "Bundling the report's page" VERBATIM)
