"""A page to annotate and correct a corpus: its project folder, its log of actions, its local server.

Each name is loaded at its first use, so that help needs neither models nor the packages of the server.
"""

from types import MappingProxyType
from typing import TYPE_CHECKING

from spark_deid.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spark_deid.review.commands import ProjectRequest as ProjectRequest
    from spark_deid.review.commands import back_up as back_up
    from spark_deid.review.commands import check_log as check_log
    from spark_deid.review.commands import delete_project as delete_project
    from spark_deid.review.commands import export as export
    from spark_deid.review.commands import list_files as list_files
    from spark_deid.review.serving import new_link as new_link
    from spark_deid.review.serving import serve as serve

_MODULES = MappingProxyType(
    {
        "ProjectRequest": "review.commands",
        "back_up": "review.commands",
        "check_log": "review.commands",
        "delete_project": "review.commands",
        "export": "review.commands",
        "list_files": "review.commands",
        "new_link": "review.serving",
        "serve": "review.serving",
    }
)

if not TYPE_CHECKING:  # type checkers know only the names above
    __getattr__, __dir__ = lazy_names(__name__, _MODULES)
