"""German: days stand in tables, so months are figures."""

DATE_FORMAT = SHORT_DATE_FORMAT = "d.m.Y"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = "d.m.Y H:i"
