# What libpalpate-io needs: read by the build and, once installed, by palpateConfig.cmake.
pkg_check_modules(FYAML REQUIRED IMPORTED_TARGET libfyaml)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
