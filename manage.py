#!/usr/bin/env python
"""The command line of Commonplace; `python manage.py help` lists what it can do."""

import json
import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        if "--json" in sys.argv:
            refusal = {"code": "settings.invalid", "message": str(error), "data": {}}
            sys.stdout.write(json.dumps({"error": refusal}, ensure_ascii=False) + "\n")
        else:
            sys.stderr.write(f"{error}\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
