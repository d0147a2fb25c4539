#!/bin/sh
# Pin the newest versions that pyproject.toml and requirements/*.in allow, with hashes and without index addresses.
set -eu
python=${1:-python3}
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
"$python" -m venv "$tools"
"$tools/bin/python" -m pip install --quiet pip-tools==7.6.2
options="--quiet --upgrade --generate-hashes --strip-extras --allow-unsafe --no-header --no-annotate
    --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options"
# shellcheck disable=SC2086
"$tools/bin/pip-compile" $options -o requirements/pip.txt requirements/pip.in
# shellcheck disable=SC2086
"$tools/bin/pip-compile" $options -o requirements/run.txt pyproject.toml requirements/run.in
# shellcheck disable=SC2086
"$tools/bin/pip-compile" $options -c requirements/run.txt -o requirements/dev.txt requirements/dev.in
# shellcheck disable=SC2086
"$tools/bin/pip-compile" $options -o requirements/bench.txt requirements/bench.in
