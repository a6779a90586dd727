from mi import __version__


def test_version(mi):
    assert mi("--version").stdout == f"mi {__version__}\n"
