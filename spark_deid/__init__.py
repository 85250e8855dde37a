"""Sanitize large text corpora on Spark before they are shared.

What is named here is loaded when it is asked for::

    import spark_deid as sd

    done = sd.sanitize(frame, "conf/patterns.yaml", text="note", doc_id="id")
"""

from types import MappingProxyType
from typing import TYPE_CHECKING

from spark_deid.core.lazy_names import lazy_names
from spark_deid.core.moved_modules import serve_moved_modules
from spark_deid.core.version import VERSION

if TYPE_CHECKING:
    from spark_deid.api.anonymize import AnonymizedTable as AnonymizedTable
    from spark_deid.api.anonymize import anonymize as anonymize
    from spark_deid.api.command_functions import attack as attack
    from spark_deid.api.command_functions import evaluate as evaluate
    from spark_deid.api.command_functions import read_corpus as read_corpus
    from spark_deid.api.command_functions import representation as representation
    from spark_deid.api.command_functions import run as run
    from spark_deid.api.command_functions import train as train
    from spark_deid.api.compare import compare as compare
    from spark_deid.api.detect import detect as detect
    from spark_deid.api.plan import Plan as Plan
    from spark_deid.api.redact import RedactedText as RedactedText
    from spark_deid.api.redact import Redactor as Redactor
    from spark_deid.api.redact import aredact as aredact
    from spark_deid.api.redact import redact as redact
    from spark_deid.api.results import Sanitized as Sanitized
    from spark_deid.api.sanitize import sanitize as sanitize
    from spark_deid.core.document import Document as Document
    from spark_deid.core.edit import Edit as Edit
    from spark_deid.core.errors import CorpusError as CorpusError
    from spark_deid.core.errors import GateRefused as GateRefused
    from spark_deid.core.errors import ModelError as ModelError
    from spark_deid.core.errors import SparkDeidError as SparkDeidError
    from spark_deid.core.errors import UsageError as UsageError
    from spark_deid.core.errors import VerdictRefused as VerdictRefused
    from spark_deid.core.span import Span as Span
    from spark_deid.engine.session import build_session as build_session
    from spark_deid.report.highlight import show as show
    from spark_deid.samples import sample_path as sample_path

__version__ = VERSION

_MODULES = MappingProxyType(
    {
        "AnonymizedTable": "api.anonymize",
        "CorpusError": "core.errors",
        "Document": "core.document",
        "Edit": "core.edit",
        "GateRefused": "core.errors",
        "ModelError": "core.errors",
        "Plan": "api.plan",
        "RedactedText": "api.redact",
        "Redactor": "api.redact",
        "Sanitized": "api.results",
        "Span": "core.span",
        "SparkDeidError": "core.errors",
        "UsageError": "core.errors",
        "VerdictRefused": "core.errors",
        "anonymize": "api.anonymize",
        "aredact": "api.redact",
        "attack": "api.command_functions",
        "build_session": "engine.session",
        "compare": "api.compare",
        "detect": "api.detect",
        "evaluate": "api.command_functions",
        "read_corpus": "api.command_functions",
        "redact": "api.redact",
        "representation": "api.command_functions",
        "run": "api.command_functions",
        "sample_path": "samples",
        "sanitize": "api.sanitize",
        "show": "report.highlight",
        "train": "api.command_functions",
    }
)

if not TYPE_CHECKING:  # so that checkers of types know no other names than those above
    __getattr__, __dir__ = lazy_names(__name__, _MODULES)

serve_moved_modules()
