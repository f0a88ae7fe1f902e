"""Why nothing can be measured."""


class RequestError(Exception):
    """What was asked for is wrong; the message says what would be right."""


class BuildError(Exception):
    """A revision cannot be built or run."""
