"""The page of transforms says what is so."""

from transforms_table import PAGE, page, rows


def test_the_page_is_as_a_run_finds_it():
    assert PAGE.read_text() == page(rows()), "write it anew: python tests/transforms_table.py"
