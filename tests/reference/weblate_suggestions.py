#!/usr/bin/env python3
"""Asks a running `calque serve` for suggestions with Weblate's own LibreTranslate module.

  venv/bin/pip install weblate     # needs the packages listed in Weblate's documentation
  calque serve runs/eu --port 8080 &
  venv/bin/python tests/reference/weblate_suggestions.py http://127.0.0.1:8080 eu

Exits with 1 if the language is not offered, or if a suggestion loses a placeholder.
"""
import os
import sys

os.environ |= {"CI_DATABASE": "postgresql", "DJANGO_SETTINGS_MODULE": "weblate.settings_test"}
import django  # noqa: E402
from django.conf import settings  # noqa: E402

settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
settings.DATABASES["default"] = {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
django.setup()

from weblate.checks.tests.test_checks import MockUnit  # noqa: E402
from weblate.lang.models import Language  # noqa: E402
from weblate.machinery.libretranslate import LibreTranslateTranslation  # noqa: E402

MESSAGES = {"Save the document": [], "Open %s in a new window": ["%s"], "Delete %(count)d files?": ["%(count)d"],
            "Hello <b>%(name)s</b>!": ["<b>", "%(name)s", "</b>"]}


def unit_of(message, language):
    unit = MockUnit(code=language, source=message, flags="python-format")
    unit.translated = False
    unit.translation.component.source_language = Language(code="en")
    unit.translation.language = Language(code=language)
    unit.plural_map = [message]
    return unit


def main():
    url, language = sys.argv[1:]
    service = LibreTranslateTranslation({"url": url, "key": ""})
    if not service.is_supported("en", language):
        sys.exit(f"weblate_suggestions.py: en to {language} is not offered, but {sorted(service.supported_languages)}")
    lost = False
    for message, kept in MESSAGES.items():
        unit = unit_of(message, language)
        service.batch_translate([unit])
        suggestion = unit.machinery["translation"][0]
        missing = [each for each in kept if suggestion.count(each) != 1]
        lost = lost or bool(missing)
        print(f"{message} -> {suggestion}" + (f"   lost: {missing}" if missing else ""))
    sys.exit(lost)


if __name__ == "__main__":
    main()
