"""What can go wrong."""


class LookalikeError(Exception):
    """Anything that Lookalike refuses or fails to do."""


class ConfigError(LookalikeError, ValueError):
    """A setting is wrong."""


class InputError(LookalikeError, ValueError):
    """A document or a corpus is wrong."""


class FileError(LookalikeError, OSError):
    """A file cannot be read or written."""


class IncompatibleError(LookalikeError):
    """An index, model or run is of another version, or busy."""


class InternalError(LookalikeError, RuntimeError):
    """Something failed that should not."""
