import errno
import os

import pytest

from mi.kernel import errors


@pytest.mark.parametrize(
    ("kind", "code"),
    [(errors.MiError, 1), (errors.UsageError, 2), (errors.Blocked, 3), (errors.NotFound, 1), (errors.StorageError, 1)],
)
def test_each_class_has_its_exit_code(kind, code):
    assert kind.exit_code == code
    assert issubclass(kind, errors.MiError)


def test_an_error_is_one_line_in_both_languages():
    error = errors.NotFound("unknown-template", name="x", known="codex, claude")
    assert str(error) == "no template 'x'; there are: codex, claude"
    assert error.line("zh") == "没有模板 'x'；现有：codex, claude"
    assert (error.code, error.details) == ("unknown-template", {"name": "x", "known": "codex, claude"})


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "disk-full"),
        (errno.EDQUOT, "disk-full"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "no-permission"),
        (errno.EPERM, "no-permission"),
        (errno.EIO, "os-error"),
        (errno.ENOTDIR, "os-error"),
    ],
)
def test_a_failed_file_operation_says_what_to_do(number, code):
    error = errors.from_os_error(OSError(number, os.strerror(number), "/home/log"))
    assert isinstance(error, errors.StorageError)
    assert error.code == code
    assert error.line().startswith("/home/log: ")
    assert "\n" not in error.line()


def test_an_os_error_without_number_or_file_still_has_a_line():
    assert errors.from_os_error(OSError("odd")).line() == "?: odd"
