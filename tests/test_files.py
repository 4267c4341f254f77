"""Files are written whole or not at all, and nothing but a file is replaced."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from paohuzi_env.files import write_whole


def test_a_file_is_replaced_and_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    for content in (b"one", b"two"):
        write_whole(tmp_path / "link", content)
        assert (tmp_path / "file").read_bytes() == content
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "link"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_pipes_devices_and_folders_are_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for place in (tmp_path / "pipe", tmp_path / "folder", Path(os.devnull)):
        with pytest.raises(OSError, match="no regular file, and not replaced") as caught:
            write_whole(place, b"content")
        assert caught.value.filename == str(place)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["folder", "pipe"]


def test_an_error_names_the_file_that_was_to_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("paohuzi_env.files.os.fsync", full)
    for place in (tmp_path / "file", tmp_path / "nowhere" / "file"):
        with pytest.raises(OSError, match=r"No space left|No such file") as caught:
            write_whole(place, b"content")
        assert caught.value.filename == str(place)
    assert list(tmp_path.iterdir()) == []
