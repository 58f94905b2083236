from __future__ import annotations

import pytest

from contractlab.github.addresses import api_base, next_link, origin


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://api.github.com/x", "https://API.GitHub.com:443/y"),
        ("http://127.0.0.1:80", "http://127.0.0.1/"),
    ],
)
def test_case_and_the_usual_port_make_no_other_origin(one: str, other: str) -> None:
    assert origin(one) == origin(other)
    assert origin(one) is not None


@pytest.mark.parametrize(
    "other",
    [
        "http://api.github.com/x",
        "https://api.github.com:8443/x",
        "https://api.github.com.evil.test/x",
        "https://api.github.com@evil.test/x",
        "https://evil.test\\@api.github.com/x",
        "https://api.github.com:443@evil.test/",
        "//evil.test/x",
        "ftp://api.github.com/x",
        "https://api.github.com:99999/x",
        "https://[api.github.com/x",
        "https:///x",
        "https://api.github.com /x",
        "https://api.github.com\n/x",
        "",
    ],
)
def test_another_scheme_host_or_port_or_a_doubtful_text_is_another_origin(other: str) -> None:
    assert origin(other) != origin("https://api.github.com")


def test_the_base_of_github_enterprise_keeps_its_path() -> None:
    assert api_base("https://ghe.example.test/api/v3/") == "https://ghe.example.test/api/v3"


@pytest.mark.parametrize("text", ["", "api.github.com", "https://x.test/?a=b", "file:///etc/x"])
def test_what_is_no_plain_http_address_is_no_base(text: str) -> None:
    assert api_base(text) is None


@pytest.mark.parametrize(
    ("header", "url"),
    [
        ('<https://a/?page=2>; rel="next", <https://a/?page=9>; rel="last"', "https://a/?page=2"),
        ('<https://a/?page=1>; rel="prev", <https://a/?q=1,2>; rel="next"', "https://a/?q=1,2"),
        ("<https://a/2>; rel=next", "https://a/2"),
        ('<https://a/2>; title="x, y"; rel="last next"', "https://a/2"),
        ('<https://a/9>; rel="last"', None),
        ('<https://a/9>; rel="nextish"', None),
        ('<https://a/9>; title="next"', None),
        ("", None),
        ("<" * 5_000, None),
        (f"<a>{'; ' * 20_000}", None),
    ],
)
def test_the_next_page_is_the_link_whose_relation_is_next(header: str, url: str | None) -> None:
    assert next_link(header) == url
