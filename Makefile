# Every target makes what it needs; see README.md for what they are for.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
ENVS = .envs
BIN = $(ENVS)/test/bin
ENVIRONMENTS = book grading hub pdf test web pytorch tensorflow jax mxnet
COMPILE = pip-compile --quiet --upgrade --strip-extras --allow-unsafe --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --annotation-style=line

.PHONY: book site d2l live pdf grading hub test test-all test-tooling test-frameworks test-records test-exercises test-exported export-check kernels survey drift gpu bench lint lock lock-next clean

EXERCISES = some
EXPORTED = some
EDITION = $(if $(STUDENT),_build/student/)

book: $(ENVS)/book/installed  ## the book, from the records; STUDENT=1: without solutions
	$(ENVS)/book/bin/d2l-support bundle
	D2L_STUDENT=$(STUDENT) D2L_PDFS=$(PDFS) $(ENVS)/book/bin/jupyter-book build -W -n --keep-going --quiet . --path-output ./$(EDITION)
	@echo "The book is built. Open $(CURDIR)/$(EDITION)_build/html/index.html"

site: pdf  ## the book to be published: notebooks and PDFs on every page
	$(MAKE) book PDFS=1

live: book  ## the book with cells that run in the page, until Ctrl-C
	@$(ENVS)/book/bin/d2l-support live

grading: $(ENVS)/grading/installed  ## the environment that assigns exercises and grades them
	@echo "Ready. Run: $(ENVS)/grading/bin/d2l-support assign --help"

hub: $(ENVS)/hub/installed  ## JupyterLab in front of the kernels, as in the image of binder/
	@echo "Ready. Run: JUPYTER_PATH=$(ENVS)/jupyter $(ENVS)/hub/bin/jupyter lab"

pdf: $(ENVS)/pdf/installed  ## the book printed, a PDF for each framework; SOLUTIONS=1: with solutions
	$(MAKE) book STUDENT=$(if $(SOLUTIONS),,1)
	$(ENVS)/pdf/bin/d2l-support pdf $(if $(SOLUTIONS),--solutions)

test: lint test-tooling test-frameworks test-records test-exercises test-exported  ## kernels included

test-all: EXERCISES = all
test-all: test  ## the same, with every exercise in every framework

test-tooling: $(ENVS)/test/installed kernels
	$(BIN)/pytest -n 2 tests --ignore=tests/frameworks --ignore=tests/exercises --ignore=tests/exported

test-frameworks: kernels d2l
	for f in pytorch tensorflow jax mxnet; do $(ENVS)/$$f/bin/python -m pytest tests/frameworks --framework $$f || exit 1; done

test-records: $(ENVS)/test/installed kernels
	$(BIN)/pytest -p d2l_support.build.regression --records -n 2 --dist loadfile chapters

test-exercises: $(ENVS)/test/installed kernels
	$(BIN)/pytest tests/exercises --exercises $(EXERCISES)

test-exported: $(ENVS)/test/installed kernels
	$(BIN)/pytest -n 2 tests/exported --exported $(EXPORTED)

export-check: EXPORTED = all
export-check: test-exported  ## every exported notebook, run in an empty folder; nightly

d2l: kernels $(ENVS)/d2l-tensorflow/installed $(ENVS)/d2l-mxnet/installed  ## the package d2l, beside the kernels where it imports

kernels: $(ENVS)/test/installed  ## the four kernels, where they are missing
	$(BIN)/d2l-support kernels --create

lint: $(ENVS)/test/installed
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/lint-imports

survey: $(ENVS)/test/installed kernels  ## how the outputs fare under other settings
	$(BIN)/d2l-support survey

drift:  ## the book with the newest releases, held against the records
	.ci/drift

gpu:  ## the book on this machine's GPU, with this machine's Python and frameworks
	$(PYTHON) -m venv --system-site-packages $(ENVS)/gpu
	$(ENVS)/gpu/bin/pip install --disable-pip-version-check --quiet $(if $(WHEELS),--no-index --find-links $(WHEELS)) -r requirements/gpu.in
	PYTHONPATH=. $(ENVS)/gpu/bin/python -m d2l_support.build.cli gpu

bench: $(ENVS)/test/installed kernels  ## times, side by side in one run
	$(BIN)/python -m benchmarks.pipeline
	$(BIN)/python -m benchmarks.grading
	for f in pytorch tensorflow jax mxnet; do $(ENVS)/$$f/bin/python -m benchmarks.inspection $$f || exit 1; done

lock:  ## the pinned requirements, resolved anew from the .in files
	$(PYTHON) -m venv $(ENVS)/lock && $(ENVS)/lock/bin/pip install --quiet pip-tools==7.6.2
	cd requirements && for e in $(ENVIRONMENTS); do ../$(ENVS)/lock/bin/$(COMPILE) --output-file $$e.txt $$e.in && sed -i 's/+cpu//' $$e.txt || exit 1; done

lock-next:  ## the pins of the later release of JAX, which needs Python 3.12
	python3.12 -m venv $(ENVS)/lock-next && $(ENVS)/lock-next/bin/pip install --quiet pip-tools==7.6.2
	cd requirements && ../$(ENVS)/lock-next/bin/$(COMPILE) --output-file jax-next.txt jax-next.in

clean:  ## what the build wrote; environments stay
	rm -rf _build .cache

$(ENVS)/d2l-%/installed: requirements/d2l.txt
	$(ENVS)/$*/bin/pip install --disable-pip-version-check --quiet --upgrade --no-deps --target $(ENVS)/d2l-$* -r requirements/d2l.txt
	touch $@

$(ENVS)/%/installed: requirements/%.txt pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(v != (3, 11) and "found Python %d.%d, expected 3.11: the pins are for it. Run: make PYTHON=python3.11 ..." % v)'
	$(PYTHON) -m venv $(ENVS)/$*
	$(ENVS)/$*/bin/pip install --disable-pip-version-check --quiet -r requirements/$*.txt
	$(ENVS)/$*/bin/pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation -e .
	touch $@
