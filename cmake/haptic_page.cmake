# The page of the haptic loop: the same C as WebAssembly by emscripten, and what draws it. It lies in
# share/palpate/touch, in the build as when installed. Without emscripten there is none, and
# `palpate vademecum serve` says so.
find_program(EMCC emcc DOC "Emscripten, which compiles the haptic loop for web pages")
if(NOT EMCC)
  message(STATUS "emcc was not found: palpate vademecum serve will have no page")
  return()
endif()
set(PAL_TOUCH_PAGE ${PROJECT_BINARY_DIR}/share/palpate/touch)
file(MAKE_DIRECTORY ${PAL_TOUCH_PAGE})
file(GLOB LOOP_SOURCES CONFIGURE_DEPENDS viewer/haptic/loop.c src/reduced/haptic*.c src/material/*.c)
foreach(name reduced/web reduced/vademecum reduced/validate reduced/subspace reduced/places
        geometry/field geometry/nearest geometry/closest base/error base/hash base/memory base/choice
        base/timer base/parallel math/mat3 math/quaternion element/geometry)
  list(APPEND LOOP_SOURCES ${PROJECT_SOURCE_DIR}/src/${name}.c)
endforeach()
file(GLOB LOOP_HEADERS CONFIGURE_DEPENDS include/palpate/*.h src/reduced/*.h src/geometry/field.h)
add_custom_command(OUTPUT ${PAL_TOUCH_PAGE}/loop.js
  COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs ${EMCC} -O3 -msimd128 -std=c17
    -D_POSIX_C_SOURCE=200809L -DNDEBUG -DPAL_NO_CLONES "-DPAL_VERSION=\"${PROJECT_VERSION}\""
    -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include ${LOOP_SOURCES}
    -s SINGLE_FILE=1 -s MODULARIZE=1 -s EXPORT_NAME=palpateLoop -s ALLOW_MEMORY_GROWTH=1
    -s ENVIRONMENT=worker,node -s FILESYSTEM=0 -s EXPORTED_FUNCTIONS=_malloc,_free
    -s EXPORTED_RUNTIME_METHODS=UTF8ToString -o ${PAL_TOUCH_PAGE}/loop.js
  DEPENDS ${LOOP_SOURCES} ${LOOP_HEADERS}
  COMMENT "Compiling the haptic loop for web pages" VERBATIM)
file(GLOB PAGE_SOURCES CONFIGURE_DEPENDS viewer/haptic/*.js viewer/haptic/*.html viewer/haptic/*.css)
add_custom_command(OUTPUT ${PAL_TOUCH_PAGE}/page.js
  COMMAND ${NODE} ${PROJECT_SOURCE_DIR}/viewer/build-page.mjs ${PAL_TOUCH_PAGE}
  DEPENDS ${PAGE_SOURCES} viewer/build-page.mjs ${PAL_REPORT_PAGE}
  COMMENT "Bundling the page of the haptic loop" VERBATIM)
add_custom_target(touch-page ALL DEPENDS ${PAL_TOUCH_PAGE}/loop.js ${PAL_TOUCH_PAGE}/page.js)
install(DIRECTORY ${PAL_TOUCH_PAGE} DESTINATION ${CMAKE_INSTALL_DATADIR}/palpate)
