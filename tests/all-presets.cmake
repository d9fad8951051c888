# Copied to build/CTestTestfile.cmake: one run of CTest over the tests of every preset.
subdirs(clang fuzz release checked debug threads)
