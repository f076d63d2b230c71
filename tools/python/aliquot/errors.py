"""What the manager refuses, and what goes wrong on the way to it: a class for each code of the protocol."""


class AliquotError(Exception):
    """`code` is a code of the protocol, `message` says what is wrong, with which object, and what to do."""

    code = "internal"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class InvalidArgument(AliquotError):
    """The request itself is wrong."""

    code = "invalid_argument"


class NotFound(AliquotError):
    """There is no such job, task or node."""

    code = "not_found"


class Refused(AliquotError):
    """Understood and permitted, but impossible on this cluster."""

    code = "refused"


class TooLarge(AliquotError):
    """Beyond a limit of the protocol or of the settings."""

    code = "too_large"


class NoSpace(AliquotError):
    """The spool has too little free space."""

    code = "no_space"


class Unsupported(AliquotError):
    """This manager does not know that method or version."""

    code = "unsupported"


class Conflict(AliquotError):
    """It contradicts the present state or an earlier request."""

    code = "conflict"


class NotLeader(AliquotError):
    """This manager is a standby, and has done nothing: ask the leader."""

    code = "not_leader"


class Unavailable(AliquotError):
    """The manager cannot be reached, or cannot do its work."""

    code = "unavailable"


class Forbidden(AliquotError):
    """This user may not make this request."""

    code = "forbidden"


class NoAnswer(AliquotError):
    """No answer in time. Whether the manager has carried the request out is not known."""

    code = "timeout"


class Internal(AliquotError):
    """A bug of the manager: see its log."""

    code = "internal"


_BY_CODE = {kind.code: kind for kind in AliquotError.__subclasses__()}


def error_of(code: str, message: str) -> AliquotError:
    """The error that a reply says; a code of a later version is Internal, with the code in the message."""
    kind = _BY_CODE.get(code)
    return kind(message) if kind else Internal(f"{code}: {message}")
