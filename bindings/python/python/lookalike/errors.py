"""What can go wrong, sorted by who has to act on it."""


class LookalikeError(Exception):
    """Every error of this package."""


class ConfigError(LookalikeError, ValueError):
    """A setting, a recipe or an argument is wrong."""


class InputError(LookalikeError, ValueError):
    """A document, a table or a corpus cannot be used."""


class FileError(LookalikeError, OSError):
    """A file cannot be read or written."""


class IncompatibleError(LookalikeError):
    """An index, a model or a run is of another version, made from something else, or in use."""


class InternalError(LookalikeError, RuntimeError):
    """A defect of this package; please report it."""
