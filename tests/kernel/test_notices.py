import pytest

from mi.kernel.notices import Notices, PrintingNotices


def test_each_notice_is_kept_once_and_in_order(notices, capsys):
    notices.add("torn-line", "/log", size=3)
    notices.add("unreadable-lines", "/log", count=2)
    notices.add("torn-line", "/log", size=3)
    notices.add("torn-line", "/other", size=3)
    assert [(notice.key, notice.path) for notice in notices] == [
        ("torn-line", "/log"),
        ("unreadable-lines", "/log"),
        ("torn-line", "/other"),
    ]
    assert capsys.readouterr().err == ""


def test_a_notice_speaks_both_languages(notices):
    notices.add("unreadable-lines", "/log", count=2)
    (notice,) = notices
    assert notice.line() == "/log: 2 unreadable lines passed over"
    assert notice.line("zh") == "/log：跳过了 2 行无法读取的内容"


@pytest.mark.req("v1.state.stderr-default", "mi.env.state-warnings")
def test_by_default_only_those_without_a_collector_print(capsys):
    Notices().add("unreadable-lines", "/log", count=2)
    assert capsys.readouterr().err == ""
    PrintingNotices().add("unreadable-lines", "/log", count=2)
    assert capsys.readouterr().err == "mi: /log: 2 unreadable lines passed over\n"


@pytest.mark.req("v1.state.env-warnings-on", "mi.env.state-warnings")
@pytest.mark.parametrize("collector", [Notices, PrintingNotices])
def test_the_environment_forces_printing(monkeypatch, capsys, collector):
    monkeypatch.setenv("MI_STATE_WARNINGS_STDERR", "1")
    collector().add("unreadable-lines", "/log", count=2)
    assert capsys.readouterr().err == "mi: /log: 2 unreadable lines passed over\n"


@pytest.mark.req("v1.state.env-warnings-off", "mi.env.state-warnings")
@pytest.mark.parametrize("collector", [Notices, PrintingNotices])
def test_the_environment_forces_silence(monkeypatch, capsys, collector):
    monkeypatch.setenv("MI_STATE_WARNINGS_STDERR", "0")
    collector().add("unreadable-lines", "/log", count=2)
    assert capsys.readouterr().err == ""
