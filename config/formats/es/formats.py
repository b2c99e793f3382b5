"""Spanish: days stand in tables, so months are figures; thousands are grouped as browsers do it."""

DATE_FORMAT = SHORT_DATE_FORMAT = "d/m/Y"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = "d/m/Y H:i"
THOUSAND_SEPARATOR = "."
