"""Whether functions of an engine share this process with other threads: settings of the process are theirs as well."""

from threading import Event, current_thread, main_thread

_SHARED = Event()


def share_process() -> None:
    """Record that an engine runs in this process, whose threads call functions."""
    _SHARED.set()


def is_shared() -> bool:
    """Return whether this code may set nothing for the process: in a thread, or next to an engine.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(1) as threads:
    ...     threads.submit(is_shared).result()
    True
    """
    return _SHARED.is_set() or current_thread() is not main_thread()
