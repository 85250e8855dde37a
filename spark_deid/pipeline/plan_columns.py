"""The columns that a plan publishes next to texts, and the finders of their values. No engine is needed."""

from spark_deid.core.kinds import MethodContext
from spark_deid.core.span import Finder
from spark_deid.plan.config import MethodSettings
from spark_deid.plan.detectors import finders_of
from spark_deid.rewriting.metadata import KEYED
from spark_deid.rewriting.published_columns import PublishedColumns
from spark_deid.surrogates.partial_dates import date_finders


def columns_of(settings: MethodSettings) -> PublishedColumns:
    """Return which columns a plan publishes, and how."""
    return PublishedColumns(settings.metadata, ids_are_keyed=settings.ids == KEYED)


def kept_columns(settings: MethodSettings) -> tuple[str, ...]:
    """Return the metadata that is published unchanged."""
    return columns_of(settings).kept


def shifted_columns(settings: MethodSettings) -> tuple[str, ...]:
    """Return the metadata whose dates move with those of texts."""
    return columns_of(settings).shifted


def column_finders(settings: MethodSettings, run: MethodContext) -> tuple[Finder, ...]:
    """Make the finders of metadata: those of the texts, and of dates if dates move."""
    return (*finders_of(settings, run, settings.edited), *date_finders(settings)) if settings.metadata else ()
