"""Identifiers that are not names: each with what it finds, and with near misses that must remain."""

import pytest

from spark_deid.text.patterns import ALL_KINDS, PatternDetector


def found(kind: str, text: str) -> list[str]:
    return [text[span.start : span.end] for span in PatternDetector(kinds=(kind,)).detect(text)]


FIRES = [
    ("date", "seen on 11/21 and since 3/9", ["11/21", "3/9"]),
    ("date", "dated 10/5; by 11/21 he was well", ["10/5", "11/21"]),
    ("date", "stay 11/21-11/25, from 3/19 to 3/22", ["11/21-11/25", "3/19 to 3/22"]),
    ("date", "\n11/21: fever\n- 11/22 afebrile", ["11/21", "11/22"]),
    ("date", "on 11/21 at 10:30 am", ["11/21"]),
    ("date", "surgery in '09, class of ’94", ["'09", "’94"]),
    ("date", "MRI 8/28 clear, 30/6 (home), RTC 3/9, f/u: 2/11", ["8/28", "30/6", "3/9", "2/11"]),
    (
        "date",
        "MRI 8/16 and 25/12, 28/10, 8/28 was fine, no show 11/21, no fever 9/13, the VA clinic 11/26",
        ["8/16", "25/12", "28/10", "8/28", "11/21", "9/13", "11/26"],
    ),
    (
        "date",
        "LMP 3/9, EDD 12/5, appt 5/9, sent 4/9, vm 6/8, dna'd 12/9, adm 2/9",
        ["3/9", "12/5", "5/9", "4/9", "6/8", "12/9", "2/9"],
    ),
    (
        "date",
        "seen about 11/9, due the 11/9, onset 10/11, next 11/11, f/u: 11/11, clinic 10/11",
        ["11/9", "11/9", "10/11", "11/11", "11/11", "10/11"],
    ),
    ("date", "Dr. Anand 12/5 at, dr. young 9/12 by, d/w Smith 10/2, RN Ito, 2/9 ok", ["12/5", "9/12", "10/2", "2/9"]),
    ("date", "04APR2017 1911, 07Jul22 and 19mar2014", ["04APR2017", "07Jul22", "19mar2014"]),
    (
        "date",
        "04APR2017T10:30, 04APR2017_x, 04apr2017 at 10:30",
        ["04APR2017T10:30", "04APR2017", "04apr2017"],
    ),
    (
        "date",
        "by August, last april, in November and December, June '18",
        ["August", "april", "November", "December", "June '18"],
    ),
    (
        "date",
        "each Jan-Feb, from April to June; May or June, around\nAugust, through  March",
        ["Jan", "Feb", "June", "June", "August", "March"],
    ),
    (
        "date",
        "born in march of nineteen fifty two, may first nineteen fifty two, third of may two thousand and four",
        ["march of nineteen fifty two", "may first nineteen fifty two", "third of may two thousand and four"],
    ),
    (
        "date",
        "February nineteen of two thousand seven, June thirty two thousand and four, September of ninety three",
        ["February nineteen of two thousand seven", "June thirty two thousand and four", "September of ninety three"],
    ),
    (
        "date",
        "June 3, two thousand eighteen; the twenty first of March, '18; july nineteen hundred",
        ["June 3, two thousand eighteen", "the twenty first of March, '18", "july nineteen hundred"],
    ),
    ("date", "IN OCT, until Sept. 4, in May of two thousand one", ["OCT", "Sept. 4", "May of two thousand one"]),
    (
        "date",
        "june third, the twenty first of March, january ninth nineteen fifty two, July O eight",
        ["june third", "the twenty first of March", "january ninth nineteen fifty two", "July O eight"],
    ),
    (
        "date",
        "sexta-feira, 12 de março; venerdì 12 ottobre alle 10:30",
        ["sexta-feira, 12 de março", "venerdì 12 ottobre"],
    ),
    (
        "date",
        "vrijdag 12 maart om 10:30, tirsdag den 3. marts kl. 12:15",
        ["vrijdag 12 maart", "tirsdag den 3. marts"],
    ),
    ("partial_date", "admitted Tuesday, back by Christmas Eve or Fri.", ["Tuesday", "Christmas Eve", "Fri."]),
    ("partial_date", "since 2009, 1998-2001, the 1980s and '87", ["2009", "1998", "2001", "1980s", "'87"]),
    ("partial_date", "11/21 x-ray, lunes, Weihnachten", ["11/21", "lunes", "Weihnachten"]),
    ("age", "58F with chest pain; 71M presenting", ["58F", "71M"]),
    ("age", "58/M, 63 y/o F, 44yoF", ["58/M", "63 y/o", "44yoF"]),
    ("age", "Ann Lee, 63, of Dover; Bob Ray Jr., 71, who", ["63", "71"]),
    (
        "age",
        "Kurt Anton Drexler, 90, identified; ANN LEE 31F by car; 22F G1P0; MR 4 | 52M | ASA 3",
        ["90", "31F", "22F", "52M"],
    ),
    ("age", "Ann Lee (63) of Dover, Hans Maier (41) aus Bonn", ["63", "41"]),
    (
        "phone",
        "İbrahim: five five five o one. eight eight, double four",
        ["five five five o one. eight eight, double four"],
    ),
    (
        "phone",
        "call three one two, four one two, three four one two",
        ["three one two, four one two, three four one two"],
    ),
    ("phone", "Ann Ito, M.D. p4471; Bo Li, NP P4472", ["4471", "4472"]),
    ("phone", "call ext. 4412 or extension 31234", ["4412", "31234"]),
    ("phone", "pager 4432, pager #31234, beeper: 7-4412", ["4432", "31234", "7-4412"]),
    ("phone", "phone five five five oh one two three", ["five five five oh one two three"]),
    ("phone", "Marie x33907, (x4412), x5-4412", ["33907", "4412", "5-4412"]),
    (
        "phone",
        "T. Lee PA-C p4471; ring five one five, five five five, oh one eight eight",
        ["4471", "five one five, five five five, oh one eight eight"],
    ),
    (
        "phone",
        "06-12345678, 08-123 456 78, 347-1234567, (11) 91234-5678",
        ["06-12345678", "08-123 456 78", "347-1234567", "(11) 91234-5678"],
    ),
    ("handle", "ask @ann_lee99 or (@bob.ray), /u/annlee", ["@ann_lee99", "@bob.ray", "/u/annlee"]),
    ("handle", "username: annlee, Skype: ann.lee9, Instagram: @ann_l", ["annlee", "ann.lee9", "@ann_l"]),
    ("code", "hospital number RX1-66402, member no. XQH 118 204 773 02", ["RX1-66402", "XQH 118 204 773 02"]),
    ("code", "Subscriber ID: AB 12345, patient #4821, badge no. 55120", ["AB 12345", "4821", "55120"]),
    ("code", "Versichertennummer 1234 5678, número de utente 12345", ["1234 5678", "12345"]),
    (
        "code",
        "ABCD/4471 is ref ABCD/4471, subj 1001, subject no 1001, call WO-5581",
        ["ABCD/4471", "ABCD/4471", "1001", "1001", "WO-5581"],
    ),
    ("code", "LK.4471-B, 55 QX 193, H/2031-K7 and 0093:TR:5", ["LK.4471-B", "55 QX 193", "H/2031-K7", "0093:TR:5"]),
    ("code", "bag 0007 2633 2330, AK19 HVR, QQ 12 34 56 C", ["0007 2633 2330", "AK19 HVR", "QQ 12 34 56 C"]),
    ("code", "card ending in 6630, ssn xxx-xx-5424, last four 8816", ["6630", "5424", "8816"]),
    (
        "code",
        "PIN reset to 6058, lot 77XK02, exhibit no. 0188, HKID K920417(3)",
        ["6058", "77XK02", "0188", "K920417(3)"],
    ),
    ("code", 'password set "gannet", pw mango77, username drk_7962', ["gannet", "mango77", "drk_7962"]),
    (
        "code",
        "scan KR_0305_hip.pdf, tail N136KP, 7HL33372KT228414D",
        ["KR_0305_hip.pdf", "N136KP", "7HL33372KT228414D"],
    ),
    ("code", "kit K-88-01, ref SL/4471, report #AC-0911, badge 4410", ["K-88-01", "SL/4471", "AC-0911", "4410"]),
    ("code", "B. Lee RN #20418", ["20418"]),
    ("code", "NC 12345678, NM 123456789, CT 004418829", ["12345678", "123456789", "004418829"]),
    ("code", "EN 7755012345, CD 12345678, NG12345678A", ["7755012345", "12345678", "NG12345678A"]),
    ("code", "record number five five oh one two three", ["five five oh one two three"]),
    ("code", "fødselsnummer 01010, codice fiscale: 12345", ["01010", "12345"]),
]

MISSES = [
    ("date", "BP 120/80, on 1/2 tablet, took 1/2 of it, vision 20/20"),
    ("date", "pain 8/10, from 8/10 to 3/10, strength 5/5, GCS 15/15"),
    ("date", "ratio 11/21, 11/21 patients, on 11/21 patients, on 3/14%"),
    ("date", "era de 13/11 mmHg, of 13/11 mm Hg, of 21/11mm, a 13/11 cm cyst, a 3/14 kPa step"),
    ("date", "BiPAP 16/8, CPAP 18/8, for 14/7, x 21/7, 28/7 supply, R 6/18 L 6/24, tooth 11/21, teeth: 11/21"),
    (
        "date",
        "Vytorin 10/20, Lotrel 5/20 daily, 8/17 BID, SLUMS 12/30, mini-mental 12/27, ESS was 11/24, GCS now 11/13",
    ),
    (
        "date",
        "with 7/15 lymph nodes, 12/17 LNs positive, 3/14 women, 1/26 dilution, 3/16 and 9/16",
    ),
    ("date", "grade 2/13, page 3/17, 5/14-inch"),
    (
        "date",
        "pain today 8/10, strength today 4/9, onset 10/10, previous 6/10, rv 3/12, f/u 3/12",
    ),
    ("date", "BP 12/8, vision 20/13, VA 6/18"),
    ("date", "proportion 9/14, CK 7/20, section 11/21, no. 11/21, item 4/17, 3/19 (16%), 3/19 16%, power is 4/13"),
    ("date", "eyes 20/11 again, pain today 8/14, in march order, in dismay first of all, no 04APR2017B or 12mar19x"),
    ("date", "open 24/7, MMSE was 11/28, 53% (10/19) of them, 12/25 (48%), 5/16 inch, murmur 2/6, 3/4 cup"),
    ("date", "after 9/11, section 11/21, N.11/21"),
    ("date", "frozen in OCT compound, they may march, in mayonnaise, second degree, first of all, April said"),
    ("date", "5'09, it's '12 apostles', rock 'n' roll '09"),
    ("date", "Monday, Christmas, in 2009 and (Smith 2015)"),
    ("partial_date", "2000 mg, $2015, page 1999, 20015, 2015.5, 1950 kcal"),
    ("partial_date", "Smith et al., 2015; [2015] UKSC 12; room 2010"),
    ("partial_date", "Christmas tree, Easter Island, 8/10, '12 monkeys', mon ami, sunny"),
    ("age", "temp 98F, 101F with chills, 58F at night, 16F Foley, 14F with a balloon catheter"),
    ("age", "a $58M deal, 58M users, 36F, 70F, sunny, 6F"),
    (
        "age",
        "New York City, 63, and Boston; Study Visit, 14, showed; Table Two, 63, shows",
    ),
    ("age", "Foley 16F by urology, placed 14F by IR, sheath 12F from the left, 14F, 12F | 16F, drain 12F back"),
    ("age", "Section, 63, of the Act; pages 12, 63, of it; March, 63, of"),
    ("age", "Table (63) of it; Smith (63) showed; World War (39)"),
    ("phone", "extension 120 degrees, ext. 5, x 1000, x10 days, 2x1000, 1024x7680"),
    ("phone", "see p4471, GUNP p4471, DO P1234, p 12, five of seven, nine or ten"),
    ("phone", "someone two three four five six seven, stone one two three four five six"),
    ("phone", "x-ray 4412, next 4412, text 4412, pager off at 12, x1000 mg"),
    ("handle", "ann at example, metoprolol @50mg @10am, rests @home, @ 4412, a@b, ann@example.org"),
    ("handle", "Skype: with care, login required, username: none, Instagram: We are fine, @param(x)"),
    ("code", "section number 12345, page no. 12345, hospital 12345 beds, hospital number 12"),
    (
        "code",
        "#ASCO2024, #ICU2020, logged 12345 miles, hosp 12345 beds, cost rand 25000, subj 12, ABCDE/4471",
    ),
    ("code", "kit 881, ref 4471, COVID-2019, #COVID-19, badge 12, five of six"),
    ("code", "PMID 31978945, rs63750781, SNOMED 73211009, NCT04368728, C50.911, J45.909-J45.998"),
    (
        "code",
        "Chrome/126.0.0.0, firmware 4.2.1.10, 412 ms, ISO 13485, NM_000059.4, 212 LDL 131, 0600 1200 1800",
    ),
    ("code", "password-protected, the password reset failed, PIN 3, HLA-DRB1-0401, MK-3475, 500MG/5ML, 12-OCT-2019"),
    ("code", "figure no. 12.3, platelet number 250000, FDA 118 204"),
]


@pytest.mark.parametrize(("kind", "text", "expected"), FIRES)
def test_it_fires(kind: str, text: str, expected: list[str]) -> None:
    assert sorted(found(kind, text)) == sorted(expected)


@pytest.mark.parametrize(("kind", "text"), MISSES)
def test_it_does_not_fire_on_a_near_miss(kind: str, text: str) -> None:
    assert found(kind, text) == []


def test_weekdays_and_years_are_found_where_asked_for_only() -> None:
    assert "partial_date" not in ALL_KINDS
    assert PatternDetector().detect("On Monday, in 2009, at Easter.") == ()
    assert {"handle", "national"} < set(ALL_KINDS)
