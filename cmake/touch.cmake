# The page of `palpate vademecum serve`: the part of libpalpate that answers contact, as WebAssembly,
# and the page around it. In share/palpate/touch, where the program finds it.
find_program(EMCC emcc DOC "Emscripten's compiler, which makes the page's WebAssembly")
option(PAL_TOUCH_PAGE "Build the page of `palpate vademecum serve` (needs emscripten)" ON)
if(NOT PAL_TOUCH_PAGE)
  return()
endif()
if(NOT EMCC)
  message(STATUS "No emcc (Debian: emscripten): without the page of `palpate vademecum serve`")
  return()
endif()

file(GLOB WASM_SOURCES CONFIGURE_DEPENDS src/material/*.c src/reduced/haptic*.c viewer/wasm/*.c)
list(APPEND WASM_SOURCES
  src/base/choice.c src/base/counted.c src/base/error.c src/base/hash.c src/base/memory.c
  src/base/parallel.c src/base/timer.c src/math/mat3.c src/math/quaternion.c
  src/geometry/closest.c src/geometry/field.c src/geometry/nearest.c src/element/geometry.c
  src/mesh/cells.c src/mesh/check.c src/mesh/improve.c src/mesh/lattice.c src/mesh/mesh.c
  src/mesh/quadratic.c src/mesh/quality.c src/mesh/round.c src/mesh/shape.c src/mesh/shape_ball.c
  src/mesh/shape_box.c src/mesh/shape_cylinder.c src/mesh/shape_thin.c src/mesh/topology.c
  src/reduced/distances.c src/reduced/subspace.c src/reduced/vademecum.c src/reduced/validate.c src/reduced/web.c)

set(EMCC_RUN ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs EM_FROZEN_CACHE=1 ${EMCC})
set(WASM_OBJECTS)
foreach(source ${WASM_SOURCES})
  cmake_path(ABSOLUTE_PATH source)
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
  set(object ${PROJECT_BINARY_DIR}/wasm/${name}.o)
  cmake_path(GET object PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${object}
    COMMAND ${EMCC_RUN} -c -std=c17 -O3 -msimd128 -DNDEBUG -ffp-contract=off -fno-math-errno
      -D_POSIX_C_SOURCE=200809L -DPAL_VERSION="${PROJECT_VERSION}"
      -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src
      -MMD -MF ${object}.d -MT ${object} ${source} -o ${object}
    DEPENDS ${source} DEPFILE ${object}.d
    COMMENT "Compiling ${name} for the page" VERBATIM)
  list(APPEND WASM_OBJECTS ${object})
endforeach()

# What touch.c shows is what its worker calls.
file(STRINGS viewer/wasm/touch.c declared REGEX "^[A-Za-z].* \\**touch_[a-z]+\\(.*\\);$")
set(WASM_CALLS _malloc,_free)
foreach(line ${declared})
  string(REGEX MATCH "touch_[a-z]+" name "${line}")
  string(APPEND WASM_CALLS ,_${name})
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS viewer/wasm/touch.c)

set(WASM_SCRIPT ${PROJECT_BINARY_DIR}/wasm/touch.js)
add_custom_command(OUTPUT ${WASM_SCRIPT}
  COMMAND ${EMCC_RUN} -O3 -msimd128 -s SINGLE_FILE=1 -s MODULARIZE=1 -s EXPORT_NAME=palpateTouch
    -s ENVIRONMENT=worker -s ALLOW_MEMORY_GROWTH=1 -s FILESYSTEM=0
    -s EXPORTED_FUNCTIONS=${WASM_CALLS} -s EXPORTED_RUNTIME_METHODS=UTF8ToString
    ${WASM_OBJECTS} -o ${WASM_SCRIPT}
  DEPENDS ${WASM_OBJECTS}
  COMMENT "Linking the page's WebAssembly" VERBATIM)

set(TOUCH_FOLDER ${PROJECT_BINARY_DIR}/share/palpate/touch)
file(MAKE_DIRECTORY ${TOUCH_FOLDER})
file(GLOB TOUCH_SOURCES CONFIGURE_DEPENDS viewer/src/touch*)
add_custom_command(OUTPUT ${TOUCH_FOLDER}/index.html ${TOUCH_FOLDER}/touch-worker.js
  COMMAND ${NODE} ${PROJECT_SOURCE_DIR}/viewer/build-touch.mjs ${WASM_SCRIPT} ${TOUCH_FOLDER}
  DEPENDS ${WASM_SCRIPT} ${TOUCH_SOURCES} viewer/src/data.js viewer/build-touch.mjs viewer/bundle.mjs
    viewer/package.json viewer/package-lock.json ${PAL_REPORT_PAGE}
  COMMENT "Bundling the page of `palpate vademecum serve`" VERBATIM)
add_custom_target(touch-page ALL DEPENDS ${TOUCH_FOLDER}/index.html ${TOUCH_FOLDER}/touch-worker.js)
install(DIRECTORY ${TOUCH_FOLDER} DESTINATION ${CMAKE_INSTALL_DATADIR}/palpate)
