#!/bin/sh
# The same with shared libraries.
set -eu
KIND=shared exec sh "$(dirname "$0")/test-install.sh"
