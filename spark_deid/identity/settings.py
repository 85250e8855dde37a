"""What a plan says of persons: the keys ``identity`` and ``anonymity``."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import Field, field_validator, model_validator

from spark_deid.anonymity.models import models_of, models_of_texts
from spark_deid.anonymity.recodings import RECODINGS, recodings_of_views
from spark_deid.core.error_wording import NotOneOf
from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import PlanSection
from spark_deid.core.labels import Label
from spark_deid.identity.linkage import columns_of
from spark_deid.identity.modes import FULL, STATISTICAL, rule_for, rules_of
from spark_deid.values.kinds import kind_of
from spark_deid.values.locale import ValueLocale, locale_of

if TYPE_CHECKING:
    from spark_deid.anonymity.model_demand import ModelDemands

FAMILIES = (("age", "date"), ("postcode", "city", "state"))
"""Kinds of attributes that tell of each other: recoded together, or suppressed."""

PLACES = ("city", "state")
"""Kinds of attributes whose values are places."""

OTHER_DATES = re.compile(
    r"(?:.*_)?(?:admission|discharge|death|visit|event|procedure|report|document|note|letter)(?:_.*)?"
)
"""Names of dates that tell no age: of something else than a birth."""

CAUTIONS = {
    "document": "Each document counts as one person. If several documents are about one person, k is overstated",
    "subject": "A document without a subject_id counts as one person. If several such documents are about one person,"
    " or if one person has several subject_id, k is overstated",
    "splink": "People are inferred. If the documents of one person are assigned to two people, k is overstated",
}
"""What each way of linking means for k."""


class LabelAttribute(NamedTuple):
    """What a label's mentions tell: an attribute, and the kind of its values."""

    attribute: str
    kind: str


AttributeName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]


class TableSettings(PlanSection):
    """A table of the same persons: its path (Parquet, CSV, JSON lines or Delta), and the column that names a person.

    ``columns`` are those of attributes whose columns have other names.
    """

    path: str = Field(min_length=1)
    key: str = Field(default="subject_id", min_length=1)
    columns: dict[AttributeName, str] = Field(default_factory=dict)


class RolesSettings(PlanSection):
    """What attributes are to a person: suppressed identifiers, recoded quasi-identifiers, sensitive attributes."""

    identifiers: tuple[AttributeName, ...] = ()
    quasi: tuple[AttributeName, ...] = ()
    sensitive: tuple[AttributeName, ...] = ()

    def of(self, attribute: str) -> str | None:
        """Return the role of an attribute, None where it has none."""
        return next((role for role in type(self).model_fields if attribute in getattr(self, role)), None)


class LinkageSettings(PlanSection):
    """How persons are inferred, where ``link`` is splink.

    Documents are linked whose match probability is at least ``threshold``. Values that more than ``largest_block`` of
    them share propose no pairs. ``attributes`` are compared; silent: identifiers and quasi-identifiers.
    """

    threshold: float = Field(default=0.95, gt=0, lt=1)
    largest_block: int = Field(default=50, ge=2, le=1000)
    attributes: tuple[AttributeName, ...] = ()


class IdentitySettings(PlanSection):
    """How mentions become persons.

    ``attributes`` says what the mentions of a label tell; ``kinds`` how values are read, for attributes whose name does
    not say it. ``link`` says whose documents are one person's: each its own, those of one subject, or those that splink
    finds alike (``linkage``). Two digits of a year mean the latest year that is not
    after ``last_year``. In ``rounds`` values of a person are looked for in all documents of this person. ``mode`` is
    statistical (quasi-identifiers are generalized so that persons share them), full (HIPAA's Safe Harbor) or partial (a
    limited data set); ``sparse_prefixes`` replaces the prefixes of ZIP codes that full does not show.
    """

    attributes: dict[Label, AttributeName] = Field(min_length=1)
    roles: RolesSettings
    link: Literal["document", "subject", "splink"] = "subject"
    linkage: LinkageSettings = LinkageSettings()
    locale: str = "en_US"
    last_year: int = Field(default=2030, ge=1900, le=2200)
    kinds: dict[
        AttributeName, Literal["age", "date", "postcode", "gender", "code", "name", "state", "city", "term"]
    ] = Field(default_factory=dict)
    table: TableSettings | None = None
    mode: Literal["full", "partial", "statistical"] = "statistical"
    sparse_prefixes: tuple[Annotated[str, Field(pattern=r"^\d{3}$")], ...] | None = None
    rounds: int = Field(default=3, ge=0, le=10)

    @property
    def place(self) -> ValueLocale:
        """Return the locale that values are read in."""
        return locale_of(self.locale, self.last_year)

    @property
    def labels(self) -> Mapping[str, LabelAttribute]:
        """Return what each label's mentions tell."""
        return MappingProxyType({label: LabelAttribute(a, self.kind(a)) for label, a in self.attributes.items()})

    def kind(self, attribute: str) -> str:
        """Return the kind of an attribute's values."""
        return self.kinds.get(attribute) or kind_of(attribute)

    @property
    def linked(self) -> tuple[str, ...]:
        """Return the attributes by which documents are linked to persons."""
        return self.linkage.attributes or (*self.roles.identifiers, *self.roles.quasi)

    @property
    def hidden(self) -> frozenset[str]:
        """Return the labels whose mentions are recoded or hidden: of identifiers and quasi-identifiers."""
        names = {*self.roles.identifiers, *self.roles.quasi}
        return frozenset(label for label, name in self.attributes.items() if name in names)

    @property
    def families(self) -> tuple[tuple[str, ...], ...]:
        """Return the attributes that tell of each other, by kind; dates are those of birth, unless a name says else."""
        named = [name for name in dict.fromkeys(self.attributes.values()) if not self._is_other_date(name)]
        return tuple(tuple(name for name in named if self.kind(name) in kinds) for kinds in FAMILIES)

    def attributes_of_column(self, column: str) -> tuple[str, ...]:
        """Return the attributes of which a column of this name tells: its own, and those of the family of its kind."""
        own, kind = column.lower(), kind_of(column.lower())
        columns = {} if self.table is None else self.table.columns
        names = dict.fromkeys(self.attributes.values())
        family = {name for kinds in FAMILIES if kind in kinds for name in names if self.kind(name) in kinds}
        if kind == "date" and (own == "date" or OTHER_DATES.fullmatch(own)):
            family = set()
        family -= {name for name in family if self._is_other_date(name)}
        return tuple(name for name in names if name in family or own in (name, columns.get(name, name).lower()))

    def _is_other_date(self, name: str) -> bool:
        return self.kind(name) == "date" and (name == "date" or OTHER_DATES.fullmatch(name) is not None)

    @property
    def gender(self) -> str | None:
        """Return the attribute of whose values words of the text must not tell: a gender that is hidden, in English."""
        if self.mode != STATISTICAL or self.place.language != "en":
            return None
        hidden = (*self.roles.identifiers, *self.roles.quasi)
        return next((name for name in hidden if self.kind(name) == "gender"), None)

    @property
    def sparse(self) -> tuple[str, ...]:
        """Return the prefixes of ZIP codes that mode full does not show."""
        if self.sparse_prefixes is not None:
            return self.sparse_prefixes
        return rules_of(FULL)["postcode"].sparse

    @field_validator("locale")
    @classmethod
    def _is_read(cls, name: str) -> str:
        locale_of(name)
        return name

    @model_validator(mode="after")
    def _roles_fit(self) -> "IdentitySettings":
        if wrong := [*self._roles_wrong(), *self._linkage_wrong(), *self._families_wrong(), *self._gender_wrong()]:
            raise ValueError("\n".join(wrong))
        return self

    def _roles_wrong(self) -> Iterator[str]:
        roles = self.roles
        named = [*roles.identifiers, *roles.quasi, *roles.sensitive]
        known = {*self.attributes.values()}
        for name in dict.fromkeys(named):
            if named.count(name) > 1:
                yield f"roles: {name}: has more than one role"
            if name not in known:
                yield f"roles: {name}: expected one of the attributes {', '.join(sorted(known))}"
        for name in sorted(known - {*named}):
            yield f"roles: {name}: expected to be among identifiers, quasi or sensitive"
        if not roles.quasi:
            yield "roles: quasi: expected at least one attribute to recode"
        for name in sorted({*self.kinds} - known):
            yield f"kinds: {name}: expected one of the attributes {', '.join(sorted(known))}"

    def _linkage_wrong(self) -> Iterator[str]:
        known = {*self.attributes.values()}
        if self.link != "splink" and "linkage" in self.model_fields_set:
            yield "linkage: has no effect without link: splink"
        for name in self.linkage.attributes:
            if name not in known:
                yield f"linkage.attributes: {name}: expected one of the attributes {', '.join(sorted(known))}"
        if self.link == "splink" and len(columns_of({name: self.kind(name) for name in self.linked})) < 2:
            yield "link: splink compares at least two attributes (a name has two parts): expected more of them"

    def _families_wrong(self) -> Iterator[str]:
        for family in self.families:
            recoded = " and ".join(name for name in family if name in self.roles.quasi)
            for name in family if recoded else ():
                if name in self.roles.sensitive:
                    yield f"roles: {name}: reveals {recoded}. Expected it among quasi or identifiers"

    def _gender_wrong(self) -> Iterator[str]:
        hidden = [name for name in (*self.roles.quasi, *self.roles.identifiers) if self.kind(name) == "gender"]
        if self.mode == STATISTICAL and hidden and self.place.language != "en":
            yield (
                f"roles: {hidden[0]}: only English texts can hide gender, because words of other languages "
                f"have endings that reveal it. The locale is {self.locale}. Remove the attribute, and its "
                "mentions are suppressed"
            )


class AnonymitySettings(PlanSection):
    """What classes of persons must satisfy, and how values are generalized.

    ``model`` has the names and numbers of privacy models; ``hierarchies`` is a folder of ``<attribute>.csv``;
    ``places`` are the cities and states that become their region, country or continent as the places that come with the
    package have it: silent, all that have no hierarchy of the folder. ``algorithm`` is one of the registry of recodings
    that recodes identifier views. By Mondrian ``recoding`` says of an attribute
    what a class shows: a range from border to border of a grid that no data made (bands; silent), its own least range
    (tight), or its region; the ends of these two are somebody's values.
    By Incognito at most the share ``suppression`` of the persons may show nothing. Where ``release_table`` is true the
    persons of the view are released as a table beside the texts.
    """

    model: dict[str, Any] = Field(min_length=1)
    algorithm: str = "mondrian"
    suppression: float = Field(default=0.0, ge=0, lt=1)
    hierarchies: Path | None = None
    places: tuple[AttributeName, ...] | None = None
    recoding: dict[AttributeName, Literal["bands", "region", "tight"]] = Field(default_factory=dict)
    release_table: bool = False

    @property
    def heeds(self) -> frozenset[str]:
        """Return the options that mean something to the algorithm."""
        return RECODINGS.find(self.algorithm).heeds

    @property
    def models(self) -> "ModelDemands":
        """Return the models; raises UsageError with all that is wrong."""
        return models_of(self.model)

    @property
    def k(self) -> int:
        """Return the fewest persons of a class."""
        return int(self.models.numbers("k")[0])

    @field_validator("algorithm")
    @classmethod
    def _recodes_views(cls, algorithm: str) -> str:
        known = recodings_of_views()
        if algorithm not in known:
            raise ValueError(str(NotOneOf(algorithm, known)))
        return algorithm

    @field_validator("model")
    @classmethod
    def _can_be_satisfied(cls, model: dict[str, Any]) -> dict[str, Any]:
        try:
            models_of(model)
        except UsageError as error:
            raise ValueError(str(error)) from None
        k, *further = models_of_texts()
        if k not in model or {*model} - {k, *further}:
            raise ValueError(f"expected {k}, and some of {', '.join(further)}, got {', '.join(model)}")
        return model


class IdentityKeys(PlanSection):
    """Keys of a plan about people, at its top level."""

    identity: IdentitySettings
    anonymity: AnonymitySettings | None = None

    @property
    def classes(self) -> AnonymitySettings:
        """Return what classes must satisfy."""
        if self.anonymity is None:
            raise UsageError("anonymity: expected model: {k: 5} or the like")
        return self.anonymity

    @property
    def places(self) -> tuple[str, ...]:
        """Return the quasi-identifiers that are generalized as places, unless a hierarchy of the plan has them."""
        identity, chosen = self.identity, self.classes.places
        return tuple(
            name
            for name in identity.roles.quasi
            if identity.kind(name) in PLACES and (chosen is None or name in chosen)
        )

    @model_validator(mode="after")
    def _fit(self) -> "IdentityKeys":
        if wrong := [*self._wrong()]:
            raise ValueError("\n".join(wrong))
        return self

    def _wrong(self) -> Iterator[str]:
        quasi, sensitive = self.identity.roles.quasi, self.identity.roles.sensitive
        mode = self.identity.mode
        if mode != STATISTICAL:
            if self.anonymity is not None:
                yield f"anonymity: mode {mode} shows values by its own rules: leave it out"
            for name in quasi:
                if rule_for(mode, name, self.identity.kind(name)) is None:
                    yield (
                        f"identity.roles.quasi: {name}: mode {mode} does not publish it. Expected it among identifiers"
                    )
            return
        if self.anonymity is None:
            yield "identity.mode: statistical needs anonymity as well, as in anonymity: {model: {k: 5}}"
            return
        algorithm, heeds = self.anonymity.algorithm, self.anonymity.heeds
        if self.anonymity.recoding and "recoding" not in heeds:
            yield f"anonymity.recoding: {algorithm} shows levels of hierarchies: leave it out, or algorithm: mondrian"
        if self.anonymity.suppression and "suppression" not in heeds:
            yield f"anonymity.suppression: {algorithm} suppresses no one. Remove it, or set algorithm: incognito"
        for name in self.anonymity.places or ():
            if name not in quasi or self.identity.kind(name) not in PLACES:
                yield f"anonymity.places: {name}: expected quasi-identifiers that are cities or states"
        for name in sorted({*self.anonymity.recoding} - {*quasi}):
            yield f"anonymity.recoding: {name}: expected one of the quasi-identifiers {', '.join(quasi)}"
        if {*self.anonymity.model} - {"k"} and not sensitive:
            yield "anonymity.model: needs identity.roles.sensitive: only k speaks of no sensitive attribute"
