"""Redaction of strings: the text that a run would release of each, in this process."""

import asyncio
import json
import logging
import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from numbers import Real
from typing import TYPE_CHECKING, Any, overload

from spark_deid.api.detect import NAMES, warn_of_compiling
from spark_deid.api.plan import Plan, PlanLike, Terms, methods_of, plain_content, with_terms
from spark_deid.core.document import Document
from spark_deid.core.edit import Edit, LabelledEdit
from spark_deid.core.errors import CorpusError, FormatError, GateRefused, UsageError
from spark_deid.core.numerics.compilation import report_compiling
from spark_deid.corpus.checks import checked_subject, checked_text
from spark_deid.pipeline.one_document import needs_corpus, prepare_document_pipeline
from spark_deid.plan.load import plan_file
from spark_deid.plan.secret import find_secret
from spark_deid.surrogates.restoring import PseudonymizedText, restore
from spark_deid.surrogates.settings import PSEUDONYM
from spark_deid.text.language import checked_language

if TYPE_CHECKING:
    import pandas as pd


_LOG = logging.getLogger(__name__)
Subjects = str | Sequence[str | None] | None
"""The person of texts: one for all, or one per text."""
Languages = str | Sequence[str | None] | None
"""Languages of texts (ISO 639): one for all, or one per text; None is detected from the text."""
Strings = list[str] | list[str | None] | tuple[str | None, ...]


class RedactedText(str):
    """A text as a run would release it.

    It contains no word of the original. Offsets are private nevertheless, because they show the lengths of removed
    text. A text with pseudonyms remembers the originals of these in this process, for ``restore``.

    Attributes:
        edits: The replacements, with offsets of the original.
    """

    edits: tuple[LabelledEdit, ...]
    _known: "tuple[PseudonymizedText, ...]"

    def __new__(cls, text: str, edits: Sequence[LabelledEdit] = (), *, original: str | None = None) -> "RedactedText":
        """Hold a text and the edits that made it; the originals of pseudonyms are remembered from ``original``."""
        self = super().__new__(cls, text)
        self.edits = tuple(edits)
        self._known = ()
        if original is not None and any(edit.technique == PSEUDONYM for edit in self.edits):
            self._known = (PseudonymizedText(original, tuple(Edit(*edit[:4]) for edit in self.edits)),)
        return self

    def restore(self, answer: str, *, lenient: bool = False) -> str:
        """Put the originals back into a text with pseudonyms, such as a language model's answer.

        In this text itself, the places are exact. In other texts, each pseudonym becomes the longest form that it
        replaces. A text that was pickled has forgotten the originals.

        Args:
            answer: A text with pseudonyms.
            lenient: Whether pseudonyms in another case and without brackets also count.

        Returns:
            The text with originals.

        Raises:
            UsageError: The text replaced nothing by pseudonyms.

        >>> plan = {"patterns": {"kinds": ["email"]}, "rules": {"EMAIL": "pseudonym"}}
        >>> done = redact("Write to ann@example.org.", plan)
        >>> done, done.restore("I wrote to [EMAIL 1].")
        ('Write to [EMAIL 1].', 'I wrote to ann@example.org.')
        """
        if not self._known:
            raise UsageError(
                "restore: this text has no pseudonyms. Expected a result of redact, with a rule that has "
                "technique: pseudonym"
            )
        return restore(answer, self._known, lenient=lenient).text

    def __getstate__(self) -> dict[str, object]:
        return {"edits": self.edits, "_known": ()}

    def __getnewargs__(self) -> tuple[str, tuple[LabelledEdit, ...]]:  # type: ignore[override]
        return str(self), self.edits


class Redactor:
    """A plan for many strings: its models are read once, threads can share it, and no Spark is started.

    The detectors, techniques and guarantees of the plan must need only one document at a time.

    Args:
        plan: The name of a shipped plan, a file, a mapping with the keys of a plan, or a ``Plan``.
        allow: Further terms to keep: a word, words, or lists as in a plan.
        deny: Further terms to hide.

    Raises:
        UsageError: A method of the plan needs more than one document. The message names it.
        GateRefused: The plan cannot satisfy its demands.

    >>> Redactor({"patterns": {"kinds": ["email"]}}).redact("Write to ann@example.org.")
    'Write to [EMAIL].'
    """

    def __init__(self, plan: PlanLike = NAMES, *, allow: Terms | None = None, deny: Terms | None = None) -> None:
        chosen = with_terms(plan, allow, deny)
        self._prepare(chosen, find_secret(chosen.settings.key_file).key)

    @classmethod
    def _with_key(cls, plan: Plan, key: bytes) -> "Redactor":
        self = cls.__new__(cls)
        self._prepare(plan, key)
        return self

    def _prepare(self, plan: Plan, key: bytes) -> None:
        self._plan, self._key, self._is_warm = plan, key, False
        self._said: set[str] = set()
        self._pipeline = prepare_document_pipeline(plan.settings, key=key)

    @overload
    def redact(self, texts: str, *, subject_id: Subjects = None, lang: Languages = None) -> RedactedText: ...
    @overload
    def redact(self, texts: None, *, subject_id: Subjects = None, lang: Languages = None) -> None: ...
    @overload
    def redact(
        self, texts: "pd.Series[Any]", *, subject_id: Subjects = None, lang: Languages = None
    ) -> "pd.Series[Any]": ...
    @overload
    def redact(
        self, texts: Strings, *, subject_id: Subjects = None, lang: Languages = None
    ) -> list[RedactedText | None]: ...
    def redact(self, texts: Any, *, subject_id: Subjects = None, lang: Languages = None) -> Any:
        """Redact a string, or the strings of a list or a Series.

        Each text is a separate document. None, and values that pandas treats as missing, become None. An empty string
        remains empty. The first texts in a language without a model cause a warning.

        Args:
            texts: A string, a list, a Series or None.
            subject_id: The person of the texts: one for all, or one per text.
            lang: The language of the texts, such as ``es``, if the plan has a model per language: one for all, or one
                per text. A language of None is detected from the text.

        Returns:
            The same kind as ``texts``. Strings are ``RedactedText``.

        Raises:
            GateRefused: A guarantee is not satisfied for a text.
            CorpusError: A text contains NUL or half a surrogate pair.
            UsageError: A value is not a string. For a list, each error names the number of the text, from 0.
        """
        if isinstance(texts, str):
            return self._redact(texts, _only("subject_id", subject_id), self._languages(lang, None)[0])
        if _is_series(texts):
            given = [None if _is_missing(text) else text for text in texts]
            return series_like(texts, self._redact_all(given, subject_id, lang))
        if isinstance(texts, list | tuple):
            return self._redact_all([None if _is_missing(text) else text for text in texts], subject_id, lang)
        if _is_missing(texts):
            return None
        raise UsageError(f"redact: expected a string, a list of strings or a Series, got {type(texts).__name__}")

    async def aredact(self, texts: Any, *, subject_id: Subjects = None, lang: Languages = None) -> Any:
        """Redact as ``redact`` does, in a thread, so that an event loop is not blocked.

        Args:
            texts: A string, a list or a Series.
            subject_id: The person of the texts: one for all, or one per text.
            lang: The language of the texts: one for all, or one per text.

        Returns:
            The same kind as ``texts``.
        """
        return await asyncio.to_thread(self.redact, texts, subject_id=subject_id, lang=lang)

    def udf(self) -> Callable[..., Any]:
        """Return a function for columns of strings of Spark: ``frame.withColumn("note", redactor.udf()("note"))``.

        Each row is a separate document, and null remains null. Workers make the plan again, so they must find its model
        folders and the package. A refused text fails the query.

        Returns:
            A function of columns.
        """
        # Start-up: ``detect`` and ``redact`` need no Spark.
        from spark_deid.api.redacted_column import column_function

        return column_function(partial(_redact_strings, *self._recipe()))

    def __reduce__(self) -> tuple[Callable[..., "Redactor"], tuple[str, bytes]]:
        return redactor_of, self._recipe()

    def __repr__(self) -> str:
        return f"Redactor({self._plan!r})"

    def _recipe(self) -> tuple[str, bytes]:
        """Return the parts to make it from elsewhere: the plan's content as JSON, and the key.

        Only given keys of the plan, since some exclude each other.
        """
        content = plain_content(self._plan.settings.model_dump(exclude_unset=True))
        content.pop("key_file", None)
        return json.dumps(content, sort_keys=True), self._key

    def _redact_all(self, texts: Sequence[object], subject_id: Subjects, lang: Languages) -> list[RedactedText | None]:
        subjects, languages = _each("subject_id", subject_id, len(texts)), self._languages(lang, len(texts))
        done = []
        for number, (text, subject, language) in enumerate(zip(texts, subjects, languages, strict=True)):
            try:
                done.append(None if text is None else self._redact(text, subject, language))
            except (UsageError, CorpusError, GateRefused) as error:
                raise type(error)(f"text {number}: {error}") from None
        return done

    def _languages(self, given: Languages, count: int | None) -> list[str | None]:
        """Return the language of each text, or of one string; where one is new, log how many no model knows."""
        stated = [_only("lang", given)] if count is None else _each("lang", given, count)
        numbered = count is not None and not isinstance(given, str)
        languages = [
            None if _is_missing(each) else checked_language(f"text {number}: lang" if numbered else "lang", each)
            for number, each in enumerate(stated)
        ]
        new = {*filter(None, languages)} - self._said
        if new:
            self._said |= new
            for warning in self._pipeline.warnings_of_said(Counter(filter(None, languages))):
                _LOG.warning("%s", warning)
        return languages

    def _redact(self, text: object, subject: str | None, language: str | None) -> RedactedText:
        if not isinstance(text, str):
            raise UsageError(f"redact: expected a string, got {type(text).__name__}")
        if not text:
            return RedactedText("")
        try:
            document = Document("", checked_text(str(text)), checked_subject(subject))
        except FormatError as error:
            raise CorpusError(f"redact: {error}") from None
        if self._is_warm:
            return RedactedText(*self._pipeline(document, language), original=document.text)
        with report_compiling(warn_of_compiling):
            first = RedactedText(*self._pipeline(document, language), original=document.text)
        self._is_warm = True
        return first


def redact(
    texts: Any,
    plan: PlanLike = NAMES,
    *,
    subject_id: Subjects = None,
    subject: Subjects = None,
    lang: Languages = None,
    allow: Terms | None = None,
    deny: Terms | None = None,
) -> Any:
    """Redact a string, the strings of a list, or those of a Series.

    The plan is read once for all calls with the same plan and terms, and again if its file changed. After you train a
    model again, create a new ``Redactor``.

    Args:
        texts: A string, a list, a Series or None.
        plan: The name of a shipped plan, a file, a mapping or a ``Plan``.
        subject_id: The person of the texts: one for all, or one per text.
        subject: The same, for plans with surrogates or pseudonyms per person: the texts of a person have the same
            ones. Such a plan runs as in ``sanitize``, on Spark, and returns plain strings. It refuses all texts if a
            check fails, or if a text cannot be read.
        lang: The language of the texts, such as ``es``: one for all, or one per text.
        allow: Terms to keep: a word, words, or lists as in a plan.
        deny: Terms to hide.

    Returns:
        The same kind as ``texts``. Strings are ``RedactedText``, and None remains None.

    Raises:
        GateRefused: A guarantee is not satisfied for a text.
        CorpusError: A text contains NUL or half a surrogate pair.
        UsageError: The plan is wrong or needs a whole corpus, or a value is not a string.

    >>> redact("Write to ann@example.org.", {"patterns": {"kinds": ["email"]}})
    'Write to [EMAIL].'
    >>> redact("Write to help@example.org.", {"patterns": {"kinds": ["email"]}}, allow="help@example.org")
    'Write to help@example.org.'
    """
    if subject is not None:
        if subject_id is not None:
            raise UsageError("subject: expected either subject or subject_id, got both")
        chosen = with_terms(plan, allow, deny)
        if needs_corpus(chosen.settings):
            return _redact_people(texts, chosen, subject)
        subject_id = subject
    has_terms = allow is not None or deny is not None
    redactor = _prepared(with_terms(plan, allow, deny)) if has_terms else _redactor(plan)
    return redactor.redact(texts, subject_id=subject_id, lang=lang)


async def aredact(
    texts: Any,
    plan: PlanLike = NAMES,
    *,
    subject_id: Subjects = None,
    lang: Languages = None,
    allow: Terms | None = None,
    deny: Terms | None = None,
) -> Any:
    """Redact as ``redact`` does, in a thread, so that an event loop is not blocked.

    Args:
        texts: A string, a list, a Series or None.
        plan: The name of a shipped plan, a file, a mapping or a ``Plan``.
        subject_id: The person of the texts: one for all, or one per text.
        lang: The language of the texts: one for all, or one per text.
        allow: Terms to keep.
        deny: Terms to hide.

    Returns:
        The same kind as ``texts``.
    """
    return await asyncio.to_thread(redact, texts, plan, subject_id=subject_id, lang=lang, allow=allow, deny=deny)


def _redact_people(texts: Any, plan: Plan, subject: Subjects) -> Any:
    """Redact texts by a plan that reads all texts of a person; what is missing or empty remains."""
    import pandas as pd

    # Start-up: ``detect`` and ``redact`` need no Spark.
    from spark_deid.api.sanitize import sanitize

    given = [texts] if isinstance(texts, str) else list(texts)
    people = _each("subject", subject, len(given))
    if wrong := [n for n, text in enumerate(given) if not (_is_missing(text) or isinstance(text, str))]:
        raise UsageError(f"text {wrong[0]}: redact: expected a string, got {type(given[wrong[0]]).__name__}")
    done: list[str | None] = [None if _is_missing(text) else text for text in given]
    rows = [number for number, text in enumerate(done) if text]
    if rows:
        frame = pd.DataFrame({"doc_id": rows, "text": [done[n] for n in rows], "subject_id": [people[n] for n in rows]})
        made = sanitize(frame, plan, subject_id="subject_id")
        if rejects := dict(made.counts.rejects):
            reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(rejects.items()))
            raise CorpusError(f"redact: {sum(rejects.values())} texts cannot be read: {reasons}")
        for number, text in zip(made.documents["doc_id"], made.documents["text"], strict=True):
            done[int(number)] = text
    if isinstance(texts, str):
        return done[0]
    return series_like(texts, done) if _is_series(texts) else done


@lru_cache(maxsize=4)
def redactor_of(content: str, key: bytes) -> Redactor:
    """Make a redactor from a plan's content as JSON and a key, once per process."""
    return Redactor._with_key(methods_of(json.loads(content)), key)


def _redact_strings(content: str, key: bytes, texts: list[str | None]) -> list[str | None]:
    """Redact the strings of a batch, on a worker."""
    return [None if text is None else str(text) for text in redactor_of(content, key).redact(texts)]


def series_like(texts: "pd.Series[Any]", done: Sequence[object]) -> "pd.Series[Any]":
    """Return a Series with the index and name of another: of its type where that is one of strings."""
    import pandas as pd

    dtype = texts.dtype if isinstance(texts.dtype, pd.StringDtype) else object
    return pd.Series(done, index=texts.index, name=texts.name, dtype=dtype)


def _redactor(plan: PlanLike) -> Redactor:
    if isinstance(plan, Plan):
        return _prepared(plan)
    if isinstance(plan, Mapping):
        return _prepared(methods_of(plan))
    file = plan_file(plan)
    try:
        status = os.stat(file)
    except OSError:
        return Redactor(plan)  # raises the error
    return _read_from(str(plan), os.path.abspath(file), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _prepared(plan: Plan) -> Redactor:
    return Redactor(plan)


@lru_cache(maxsize=4)
def _read_from(plan: str, _: str, __: int, ___: int) -> Redactor:
    return Redactor(plan)


def _only(name: str, given: str | Sequence[str | None] | None) -> str | None:
    if given is not None and not isinstance(given, str):
        raise UsageError(f"{name}: expected one value for a string, or None")
    return given


def _each(name: str, given: str | Sequence[str | None] | None, count: int) -> Sequence[str | None]:
    """Return the given value of each text, also of a Series in its order."""
    if given is None or isinstance(given, str):
        return [given] * count
    if len(given) != count:
        raise UsageError(f"{name}: expected one value per text ({count}), got {len(given)}")
    return list(given)


def _is_series(texts: object) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(texts, pandas.Series)


def _is_missing(text: object) -> bool:
    """Return whether pandas treats a value as missing: None, NaN, NA and NaT."""
    pandas = sys.modules.get("pandas")
    if isinstance(text, Real):
        return bool(text != text)
    return text is None or (pandas is not None and (text is pandas.NA or text is pandas.NaT))
