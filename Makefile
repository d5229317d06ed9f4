# `make lab` opens the course, `make test` checks it; `make help` lists the rest.
.POSIX:
.SUFFIXES:
.PHONY: help lab test notebooks bench clean

help:
	@echo 'make lab        open the course in JupyterLab (PORT=8899, LAB_ARGS="--no-browser" pass through)'
	@echo 'make test       run every test                (TEST_ARGS="tests/test_layout.py -q" passes through)'
	@echo 'make notebooks  run the chapters again and store their outputs'
	@echo 'make bench      print the measured ratios'
	@echo 'make clean      remove .venv, caches and downloads; my-notebooks stays'
	@echo 'All of them keep to .venv in this folder. PYTHON=/path/to/python3 chooses the Python behind it.'

lab:
	@groups=; $(INSTALL)
	@.venv/bin/python -m tensorlab lab $${PORT:+--port "$$PORT"} -- $(LAB_ARGS)

test:
	@groups='--group dev'; $(INSTALL)
	@.venv/bin/python -m tensorlab fetch silero-vad || :
	@.venv/bin/python -m pytest -rs $(TEST_ARGS)

notebooks:
	@groups='--group dev'; $(INSTALL)
	@.venv/bin/python -m tests.pack_figures
	@.venv/bin/python -m tests.pictures
	@.venv/bin/python -m tests.notebooks.rebuild

bench:
	@groups='--group dev'; $(INSTALL)
	@.venv/bin/python -m pytest tests/benchmarks

clean:
	rm -rf .venv .pytest_cache .hypothesis .benchmarks .ruff_cache build dist data/cache

# Sets $$python to the first Python that can make the environment, or says in one line what is missing.
FIND_PYTHON = \
	set -- python3 python3.14 python3.13 python3.12 python3.11 python; \
	[ -z "$(PYTHON)" ] || set -- "$(PYTHON)"; \
	found=; \
	for python do \
		"$$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; \
		found="$$found`"$$python" -V 2>/dev/null | sed "s|.*|, $$python is &|"`"; \
		python=; \
	done; \
	[ -n "$$python" ] || { \
		found="$${found:-, none}"; \
		echo "tensorlab needs Python 3.11 or newer with its venv module (found: $${found\#, }). Install one" \
			"(Debian, Ubuntu: python3-venv), or name it: make lab PYTHON=/path/to/python3" >&2; \
		exit 1; \
	}

# Makes .venv and installs the course into it (with $$groups), unless the stamp says that this has been done for this
# folder and this pyproject.toml. The file `unfinished` is there while pip works: an interrupted .venv is made anew.
INSTALL = \
	stamp=.venv/installed$${groups:+-dev}; \
	key="`pwd` `cksum < pyproject.toml`"; \
	if [ ! -e .venv/unfinished ] && [ "$$key" = "`cat $$stamp 2>/dev/null`" ] && .venv/bin/python -c '' 2>/dev/null; \
	then exit 0; fi; \
	trap 'exit 130' INT TERM; \
	if [ -e .venv/unfinished ] || \
			! .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
		$(FIND_PYTHON); \
		echo "Making .venv with `"$$python" -V` ($$python)"; \
		"$$python" -m venv --clear --without-pip .venv || exit 1; \
	fi; \
	echo 'Installing the course into .venv (about a minute the first time)'; \
	: > .venv/unfinished; \
	pip='.venv/bin/python -m pip install -qq --disable-pip-version-check'; \
	.venv/bin/python -m ensurepip --default-pip > /dev/null && $$pip 'pip>=25.1' && $$pip $$groups -e . || { \
		rm .venv/unfinished; \
		echo 'The installation failed, see above. Is there a network? The same command tries again.' >&2; \
		exit 1; \
	}; \
	rm .venv/unfinished; \
	echo "$$key" > .venv/installed; \
	echo "$$key" > $$stamp
