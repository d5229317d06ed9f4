"""What the project promises around its code: one set of bounds, commands that exist, one version, nothing stray."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ENVIRONMENT = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

# conda-forge packs these under another name.
CONDA_NAMES = {"matplotlib": "matplotlib-base", "playwright": "playwright-python"}


def lower_bound(requirement):
    """The one lower bound of a requirement, and nothing beside it.

    >>> lower_bound(Requirement("numpy>=2"))
    <Version('2')>
    """
    (specifier,) = requirement.specifier
    assert specifier.operator == ">=", f"{requirement} is no plain lower bound"
    return Version(specifier.version)


def tracked_files():
    """Every file that git tracks, as (name, text or None)."""
    command = ["git", "-c", f"safe.directory={ROOT.as_posix()}", "ls-files", "-z"]
    try:
        listing = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is no git checkout, so there are no tracked files to look at")
    for name in listing.decode().split("\0"):
        path = ROOT / name
        if name and path.is_file():
            raw = path.read_bytes()
            yield name, None if b"\0" in raw else raw.decode("utf-8")


def blocks(text):
    """The command lines in the shell blocks of a Markdown page, without their comments."""
    for block in re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL):
        for line in block.splitlines():
            if line.partition("#")[0].strip():
                yield line.partition("#")[0].strip()


def test_conda_gets_the_same_names_and_lower_bounds_as_pip():
    names = [Requirement(line) for line in PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["dev"]]
    ours = {CONDA_NAMES.get(each.name, each.name): lower_bound(each) for each in names}
    ours["python"] = Version(PROJECT["project"]["requires-python"].removeprefix(">="))
    listed = [Requirement(line) for line in ENVIRONMENT["dependencies"] if isinstance(line, str) and line != "pip"]
    assert {each.name: lower_bound(each) for each in listed} == ours
    assert len(listed) == len(ours)


def test_conda_uses_one_channel_and_adds_only_the_project_itself_through_pip():
    assert ENVIRONMENT["channels"] == ["conda-forge"]
    assert [line for line in ENVIRONMENT["dependencies"] if not isinstance(line, str)] == [{"pip": ["-e ."]}]
    assert "pip" in ENVIRONMENT["dependencies"]


def test_every_dependency_says_why_it_is_there():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["dev"]
    without = [line for line in listed if not re.search(rf'"{re.escape(line)}",\s+# \w+', text)]
    assert without == []


def test_pages_only_name_make_targets_that_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^(\w+):", makefile, flags=re.MULTILINE))
    named = {line.split()[1] for page in (README, CONTRIBUTING) for line in blocks(page) if line.startswith("make ")}
    assert {"lab", "test"} <= named
    assert named <= targets
    assert targets == set(re.search(r"^\.PHONY: (.*)", makefile, flags=re.MULTILINE)[1].split())


def test_the_readme_gives_the_ways_without_make():
    assert {"uv run tensorlab lab", "uv run pytest", "conda env create -f environment.yml"} <= set(blocks(README))


def test_pages_only_link_to_files_that_exist():
    links = [link for page in (README, CONTRIBUTING) for link in re.findall(r"\]\((?!https?:)([^)#]+)", page)]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_chapter_map_gives_every_chapter_with_its_own_title_and_minutes():
    rows = re.findall(r"^\| (\d\d) \| \[(.+)\]\(notebooks/(\S+)\) \| (\d+) \|$", README, flags=re.MULTILINE)
    assert [name for _, _, name, _ in rows] == sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
    for number, title, name, minutes in rows:
        first = "".join(json.loads((ROOT / "notebooks" / name).read_text(encoding="utf-8"))["cells"][0]["source"])
        assert first.startswith(f"# {number} · {title.replace(chr(92), '')}\n")
        assert f"**Time** {minutes} minutes" in first


def test_the_readme_example_says_what_it_computes():
    import numpy as np

    import tensorlab as tl

    code, questions = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names = {"np": np, "tl": tl}
    compared = 0
    for line in code.splitlines():
        expression, _, comment = line.partition("#")
        if comment:
            assert repr(eval(expression, names)) == comment.split(":")[0].strip()
            compared += 1
        else:
            exec(line, names)
    assert compared == 3
    exec(questions, names)
    assert "contiguous  no" in repr(tl.explain(names["a"][:, ::2]))
    assert "is a copy" in repr(tl.explain_reshape(names["a"].T, 12))


def test_one_version_everywhere():
    version = PROJECT["project"]["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert citation["version"] == version
    assert re.search(r"^## (\S+)", changelog, flags=re.MULTILINE)[1] == version


def test_the_licence_is_apache_2_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert PROJECT["project"]["license"] == citation["license"] == "Apache-2.0"
    assert text.split()[:4] == ["Apache", "License", "Version", "2.0,"]
    assert "END OF TERMS AND CONDITIONS" in text


def test_the_chapters_travel_with_an_installed_package():
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["only-include"] == ["tensorlab", "notebooks"]
    assert wheel["sources"] == {"notebooks": "tensorlab/notebooks"}
    assert (ROOT / "tensorlab" / "py.typed").is_file()


def test_the_workflow_runs_the_oldest_supported_python_on_every_system():
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
    matrices = [job["strategy"]["matrix"] for job in WORKFLOW["jobs"].values() if "strategy" in job]
    assert all(oldest in matrix["python"] for matrix in matrices)
    assert {"macos-latest", "windows-latest"} <= {name for matrix in matrices for name in matrix.get("os", [])}


def test_ci_calls_the_test_command_of_the_readme():
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert script.startswith("#!/usr/bin/env bash\n")
    assert "set -euo pipefail" in script
    assert script.splitlines()[-1] in blocks(README)


def test_nothing_machine_made_is_tracked():
    names = {name for name, _ in tracked_files()}
    stray = r"(^|/)(uv\.lock|my-notebooks|__pycache__|\.venv|\.ipynb_checkpoints|\.DS_Store|\.tensorlab\.json)(/|$)"
    assert [name for name in names if re.search(stray, name)] == []
    assert [name for name in names if name.startswith("data/cache/")] == []


def test_no_tracked_file_names_a_package_host_or_a_machine_path():
    hosts = r"\b(?:py" + r"pi|python.?hosted|npm.?js|deb" + r"ian)\.[a-z]{3}\b"
    paths = r"(?<![\w.])/(?:wo" + r"rk|ro" + r"ot)/"
    found = [
        f"{name}: {match[0]}"
        for name, text in tracked_files()
        for match in re.finditer(f"{hosts}|{paths}", text or "", flags=re.IGNORECASE)
    ]
    assert found == []


def test_tracked_text_has_unix_line_ends():
    assert [name for name, text in tracked_files() if "\r\n" in (text or "")] == []
