"""Where the chapters are, and the surroundings in which they are run: the same on every machine, and empty."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"


def chapters() -> list[Path]:
    """The committed chapters in reading order."""
    return sorted(NOTEBOOKS.glob("*.ipynb"))


def quiet(folder: Path) -> dict[str, str]:
    """Environment variables that give a kernel an empty home in `folder` and hide its owner's settings."""
    places = {
        "TENSORLAB_HOME": folder / "home",
        "IPYTHONDIR": folder / "ipython",
        "JUPYTER_CONFIG_DIR": folder / "jupyter",
        "MPLCONFIGDIR": ROOT / ".pytest_cache" / "matplotlib",  # its list of fonts takes seconds to make: keep it
    }
    for place in places.values():
        place.mkdir(parents=True, exist_ok=True)
    return {name: str(place) for name, place in places.items()}
