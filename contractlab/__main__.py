"""`python -m contractlab`. In a checkout that others write to, `python -I -m contractlab`."""

from contractlab.front import main

main()
