"""English words that show a gender: what the recoding searches for. The recount has a separate list."""

from spark_deid.values.plain import words_of

PRONOUNS = words_of("he him his himself hes she her hers herself shes")
TITLES = words_of("Mr Mrs Ms Miss Mister Madam Madame Sir")
"""Titles as they are written; in lower case some may be other words."""
ADDRESSES = words_of("sir mr mrs mister madam madame maam missus")
"""Titles that are not other words in lower case."""
BEFORE_NAMES = words_of("miss ms")
"""Titles in lower case that are such before a name only: "miss Lee", and neither "miss a dose" nor "40 ms"."""
PERSONS = words_of(
    "man woman boy girl gentleman lady guy male female lad lass dude tomboy schoolboy schoolgirl cowboy"
    " cowgirl playboy transman transwoman macho masculine feminine womanhood manhood girlhood boyhood"
)
KIN = words_of(
    "father mother dad mom mum daddy mommy mummy papa mama momma son daughter brother sister husband hubby"
    " wife widow widower uncle aunt auntie aunty nephew niece grandfather grandmother granddad grandpa"
    " grandpapa grandma grandmama granny nana grandson granddaughter granduncle grandaunt grandnephew"
    " grandniece stepfather stepmother stepdad stepmom stepson stepdaughter stepbrother stepsister godfather"
    " godmother godson goddaughter fiance fiancee boyfriend girlfriend bachelor bachelorette spinster divorcee"
    " bride bridegroom kinsman kinswoman patriarch matriarch motherhood fatherhood motherly fatherly brotherly"
    " sisterly housewife househusband housewives"
)
OCCUPATIONS = words_of(
    "chairman chairwoman policeman policewoman fireman firewoman salesman saleswoman salesgirl businessman"
    " businesswoman actress waitress actor waiter king queen prince princess duke duchess baroness emperor"
    " empress nun monk priest priestess abbot abbess heroine heiress hostess stewardess seamstress governess"
    " headmaster headmistress landlord landlady postman mailman milkman repairman handyman fisherman serviceman"
    " servicewoman congressman congresswoman councilman councilwoman assemblyman assemblywoman spokesman"
    " spokeswoman cameraman camerawoman doorman anchorman anchorwoman alderman clergyman clergywoman horseman"
    " horsewoman nobleman noblewoman gunman workman craftsman craftswoman tradesman foreman forewoman sportsman"
    " sportswoman stuntman stuntwoman seaman airman airwoman longshoreman lineman groomsman barmaid barman"
    " housemaid chambermaid maid milkmaid ballerina masseur masseuse comedienne washerwoman dairyman oarsman"
    " swordsman marksman guardsman rifleman infantryman crewman deliveryman garbageman yachtsman woodsman"
    " watchman washwoman showgirl ballboy ballgirl busboy paperboy choirboy"
)
NOUNS = (*PERSONS, *KIN, *OCCUPATIONS)
"""Nouns in the singular; their plurals show as much."""
