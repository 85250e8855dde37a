"""Words of organizations, streets and addresses that tell of no one: they stay where names around them are replaced."""

from spark_deid.values.plain import words_of

GENERIC = frozenset(
    words_of(
        "hospital hospitals clinic clinics center centre medical health healthcare care general memorial"
        " university college school institute department dept unit ward practice surgery pharmacy laboratory"
        " laboratories lab community regional county city national children childrens women womens mens"
        " veterans st saint saints mount emergency cancer cardiology oncology pediatrics radiology neurology"
        " psychiatry rehabilitation nursing home house hospice group associates partners services service"
        " systems system foundation trust company co corp corporation inc incorporated ltd limited llc llp plc"
        " gmbh ag sa sl bv nv spa srl sarl holding holdings bank the of and for in at on to a an y e de del la"
        " las los el den der die das und des du les le et d l di dei della delle van het en do da dos street"
        " road rd avenue ave av boulevard blvd drive dr lane ln court ct place pl square sq terrace way"
        " highway hwy route apt apartment suite ste floor fl room rm building bldg box po p o north south east"
        " west n s ne nw se sw calle crta ctra pz ed esc c avenida avda plaza paseo carretera camino ronda"
        " piso puerta num numero no nr strasse str platz allee weg gasse ring rue chemin quai impasse via"
        " viale piazza corso vicolo largo rua travessa praca alameda straat laan plein gracht kade centro"
        " medico salud clinica universitario universitaria provincial servicio facultad instituto klinik"
        " klinikum krankenhaus universitatsklinikum praxis zentrum hopital clinique universitaire ospedale"
        " policlinico azienda ospedaliera universita hospitalar ziekenhuis medisch centrum http https www html"
        " htm php asp index com org net edu gov io info eu uk es fr it pt nl us biz"
    )
)
"""In plain form."""
