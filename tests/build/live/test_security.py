"""Who may come in, from where, and what is not there for anybody."""

import http.client
import json
import socket
import time
from urllib.parse import urlsplit

import pytest
import requests
import websocket

TEXT = "The secret of the book"
FOREIGN = "http://evil.example"
NEIGHBOUR = "http://127.0.0.1:1"
"""Another server of this machine: the same site to a browser, another origin."""

FORBIDDEN = [
    "/api/contents",
    "/api/contents/_toc.yml",
    "/api/contents/_toc.yml/checkpoints",
    "/files/_toc.yml",
    "/nbconvert/html/_toc.yml",
    "/api/nbconvert",
    "/api/terminals",
    "/terminals/websocket/1",
    "/view/_toc.yml",
    "/edit/_toc.yml",
    "/tree",
    "/lab",
    "/notebooks/_toc.yml",
    "/api/config/notebook",
    "/api/shutdown",
    "/api/events/subscribe",
    "/api/security/csp-report",
    "/api/spec.yaml",
    "/kernelspecs/d2l-jax/kernel.json",
    "/metrics",
    "/static/style/style.min.css",
    "/custom/custom.css",
]
ESCAPES = [
    "../index.html",
    "../../_toc.yml",
    "..%2f..%2f_toc.yml",
    "%2e%2e/%2e%2e/_toc.yml",
    "_static/../../../_toc.yml",
    "..%5c..%5c_toc.yml",
    "%252e%252e/%252e%252e/_toc.yml",
    "/etc/hostname",
    "%2fetc%2fhostname",
    ".hidden",
    "_static/%2e%2e/.hidden",
    "outside.html",
    "outside.txt",
    "outside/_toc.yml",
    "nul%00.html",
]


def ask_raw(server, path: str, method: str = "GET", **headers) -> tuple[int, bytes]:
    """The status and body of a request that no library has tidied up."""
    host = urlsplit(server.home)
    connection = http.client.HTTPConnection(host.hostname, host.port, timeout=30)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


def cookies_of(visitor: requests.Session) -> str:
    """The cookies as a header."""
    return "; ".join(f"{c.name}={c.value}" for c in visitor.cookies)


@pytest.mark.parametrize("query", ["", "?token=", "?token=wrong"])
@pytest.mark.parametrize("path", ["/", "/book/", "/book/chapters/part/section.html"])
def test_a_page_without_the_token_leads_to_the_login(server, path, query):
    answer = requests.get(f"{server.home}{path}{query}", timeout=30)
    assert urlsplit(answer.url).path == "/login"
    assert TEXT not in answer.text
    assert "Set-Cookie: username" not in str(answer.headers)


@pytest.mark.parametrize("header", [{}, {"Authorization": "token wrong"}])
@pytest.mark.parametrize(
    "path", ["/api/kernels", "/api/sessions", "/book-live/environments"]
)
def test_an_interface_without_the_token_is_refused(server, path, header):
    answer = requests.get(f"{server.home}{path}", headers=header, timeout=30)
    assert answer.status_code == 403
    answer = requests.post(f"{server.home}{path}", headers=header, timeout=30)
    assert answer.status_code in (403, 405)


def test_files_of_the_book_need_the_token_too(server):
    answer = requests.get(f"{server.home}/book/_static/page.js", timeout=30)
    assert "a script" not in answer.text


def test_the_login_takes_the_token_and_nothing_else(server):
    visitor = requests.Session()
    form = visitor.get(f"{server.home}/login?next=%2Fbook%2F", timeout=30)
    assert "token" in form.text.lower()
    sent = {"_xsrf": visitor.cookies["_xsrf"], "password": "wrong"}
    answer = visitor.post(form.url, data=sent, timeout=30)
    assert answer.status_code == 401
    assert "Invalid credentials" in answer.text
    answer = visitor.post(form.url, data={**sent, "password": server.token}, timeout=30)
    assert answer.url == f"{server.home}/book/"
    assert TEXT in answer.text


def test_the_login_does_not_lead_elsewhere(server, visitor):
    away = f"{server.home}/login?next=http%3A%2F%2Fevil.example%2F"
    answer = visitor.get(away, allow_redirects=False)
    assert answer.headers["Location"] == "/"


def test_the_token_does_not_stay_in_the_address(server):
    visitor = requests.Session()
    address = f"{server.home}/book/chapters/part/section.html"
    query = f"?framework=jax&token={server.token}&x=a%20b"
    answer = visitor.get(address + query, allow_redirects=False)
    assert answer.status_code == 302
    assert answer.headers["Location"] == (
        "/book/chapters/part/section.html?framework=jax&x=a+b"
    )
    page = visitor.get(address + query)
    assert TEXT in page.text
    assert server.token not in page.url + page.text + str(page.headers)


def test_the_token_leaves_the_address_for_a_browser_that_comes_from_elsewhere(server):
    answer = requests.get(
        f"{server.home}/book/?token={server.token}",
        headers={"Sec-Fetch-Site": "cross-site"},
        allow_redirects=False,
        timeout=30,
    )
    assert answer.status_code == 200
    assert 'http-equiv="refresh" content="0; url=/book/"' in answer.text
    assert server.token not in answer.text


def test_the_login_cookie_is_out_of_the_reach_of_scripts_and_sites(server):
    answer = requests.get(
        f"{server.home}/book/?token={server.token}", allow_redirects=False, timeout=30
    )
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("username-")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "expires" not in cookie.lower()
    assert server.token not in cookie


@pytest.mark.parametrize("origin", [FOREIGN, NEIGHBOUR, "null"])
def test_another_origin_cannot_ask_the_interface(server, visitor, origin):
    headers = {"Origin": origin}
    for path in ("/api/kernels", "/api/sessions", "/book-live/environments"):
        answer = visitor.get(f"{server.home}{path}", headers=headers)
        assert answer.status_code == 404
        assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.parametrize("origin", [FOREIGN, NEIGHBOUR, "null"])
def test_another_origin_cannot_start_a_kernel(server, visitor, origin):
    # Even if it had got hold of the value that guards against forged requests.
    headers = {"Origin": origin, "X-XSRFToken": visitor.cookies["_xsrf"]}
    for path in ("/api/kernels", "/api/sessions", "/book-live/environments/jax"):
        answer = visitor.post(f"{server.home}{path}", headers=headers, json={})
        assert answer.status_code in (403, 404)
    assert visitor.get(f"{server.home}/api/kernels").json() == []
    states = visitor.get(f"{server.home}/book-live/environments").json()
    assert states["jax"]["state"] == "absent"


def test_another_origin_is_not_allowed_to_try(server, visitor):
    headers = {"Origin": FOREIGN, "Access-Control-Request-Method": "POST"}
    answer = visitor.options(f"{server.home}/api/sessions", headers=headers)
    assert answer.headers.get("Access-Control-Allow-Origin", "") != FOREIGN


@pytest.mark.parametrize("origin", [FOREIGN, NEIGHBOUR, "null"])
def test_another_origin_cannot_reach_a_kernel(lend_kernels, start_server, origin):
    live = start_server(lend_kernels("jax"))
    visitor = live.visit()
    kernel = live.open_session(visitor)["kernel"]["id"]
    address = f"ws{live.home.removeprefix('http')}/api/kernels/{kernel}/channels"
    given = {"cookie": cookies_of(visitor), "timeout": 30}
    with pytest.raises(websocket.WebSocketBadStatusException) as caught:
        websocket.create_connection(address, origin=origin, **given)
    assert caught.value.status_code in (403, 404)
    with pytest.raises(websocket.WebSocketBadStatusException) as caught:
        websocket.create_connection(address, origin=live.home, timeout=30)
    assert caught.value.status_code == 403
    host = {"host": "evil.example", "origin": FOREIGN}
    with pytest.raises(websocket.WebSocketBadStatusException) as caught:
        websocket.create_connection(address, **host, **given)
    assert caught.value.status_code == 403
    websocket.create_connection(address, origin=live.home, **given).close()


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "192.0.2.1", ""])
@pytest.mark.parametrize("path", ["/book/", "/login", "/api/kernels", "/favicon.ico"])
def test_a_foreign_host_is_refused(server, visitor, host, path):
    # What the address of a page elsewhere leads to once its name means loopback.
    given = {"Host": host, "Cookie": cookies_of(visitor)}
    status, body = ask_raw(server, path, **given)
    assert status in (400, 403)
    assert TEXT.encode() not in body


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]"])
def test_this_machine_is_no_foreign_host(server, name):
    given = {"Host": f"{name}:1", "Authorization": f"token {server.token}"}
    assert ask_raw(server, "/api/kernels", **given)[0] == 200


def test_a_request_that_may_be_forged_is_refused(server, visitor):
    for headers in ({}, {"X-XSRFToken": "made up"}, {"Origin": server.home}):
        for path in ("/api/kernels", "/api/sessions", "/book-live/environments/jax"):
            answer = visitor.post(f"{server.home}{path}", json={}, headers=headers)
            assert answer.status_code == 403, path


@pytest.mark.parametrize("method", ["GET", "PUT", "POST", "PATCH", "DELETE"])
def test_what_the_book_does_not_need_is_not_there(server, visitor, method):
    headers = {"X-XSRFToken": visitor.cookies["_xsrf"], "Origin": server.home}
    for path in FORBIDDEN:
        answer = visitor.request(
            method, f"{server.home}{path}", headers=headers, json={}
        )
        assert answer.status_code == 404, path
        assert answer.text == "", path
    assert [path.name for path in server.book.root.glob("*.ipynb")] == []


@pytest.fixture
def linked(server):
    """The server of a book whose folder holds links that lead out of it."""
    build = server.book.root / "_build"
    links = {"outside.html": build / "beside.html", "outside": server.book.root}
    links["outside.txt"] = server.book.root / "_toc.yml"
    links["outside.html"].write_text(TEXT)
    for name, target in links.items():
        (build / "html" / name).symlink_to(target)
    yield server
    for name in links:
        (build / "html" / name).unlink()


@pytest.mark.parametrize("path", ESCAPES)
def test_only_files_of_the_built_book_are_served(linked, server, visitor, path):
    status, body = ask_raw(server, f"/book/{path}", Cookie=cookies_of(visitor))
    assert status in (301, 302, 400, 403, 404)
    for text in (b"jb-book", b"hidden", TEXT.encode(), socket.gethostname().encode()):
        assert text not in body


def test_folders_are_not_listed(server, visitor):
    for path in ("_static", "_static/", "chapters/"):
        assert visitor.get(f"{server.home}/book/{path}").status_code in (403, 404)


@pytest.mark.parametrize("path", ["/book/", "/login", "/api/kernels", "/book/none"])
def test_every_answer_carries_the_policy(server, visitor, path):
    visitor = requests.Session() if path == "/login" else visitor
    headers = visitor.get(f"{server.home}{path}").headers
    directives = dict(
        part.strip().split(" ", 1)
        for part in reversed(headers["Content-Security-Policy"].split(";"))
    )
    assert directives["default-src"] in ("'self'", "'none'")
    assert directives["connect-src"] == "'self'"
    for name in ("frame-ancestors", "object-src", "base-uri"):
        assert directives[name] == "'none'"
    words = directives["script-src"].split()
    assert all(word == "'self'" or word.startswith("'sha256-") for word in words)
    assert "http" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_configuration_of_this_machine_is_not_loaded(tiny_book, start_server, tmp_path):
    folder = tmp_path / "configured"
    folder.mkdir()
    wish = {
        "ServerApp": {"allow_origin": "*", "disable_check_xsrf": True, "token": ""},
        "IdentityProvider": {"token": "known"},
    }
    for name in ("jupyter_config", "jupyter_server_config", "jupyter_d2l_live_config"):
        (folder / f"{name}.json").write_text(json.dumps(wish))
        code = "open('" + str(tmp_path / "loaded") + "', 'w').close()\n"
        (folder / f"{name}.py").write_text(code)
    live = start_server(
        tiny_book,
        JUPYTER_CONFIG_DIR=str(folder),
        JUPYTER_CONFIG_PATH=str(folder),
        JUPYTER_TOKEN="known",  # noqa: S106 - nobody's
        JUPYTER_GATEWAY_URL="http://127.0.0.1:9",
        JUPYTER_SERVER_ALLOW_UNAUTHENTICATED_ACCESS="1",
    )
    answer = requests.get(f"{live.home}/api/kernels?token=known", timeout=30)
    assert answer.status_code == 403
    assert requests.get(f"{live.home}/api/kernels", timeout=30).status_code == 403
    assert not (tmp_path / "loaded").exists()


def test_the_home_of_the_user_stays_as_it_is(tiny_book, start_server, tmp_path):
    home = tmp_path / "own-home"
    home.mkdir()
    live = start_server(tiny_book, HOME=str(home))
    live.visit()
    assert live.end() == 0
    assert [*home.iterdir()] == []


def test_runtime_files_are_private_and_go_at_the_end(tiny_book, start_server, tmp_path):
    live = start_server(tiny_book, TMPDIR=str(tmp_path))
    (folder,) = tmp_path.glob("d2l-live-*")
    assert folder.stat().st_mode & 0o777 == 0o700
    token = live.token.encode()
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert not [path for path in files if token in path.read_bytes()]
    assert live.end() == 0
    assert not folder.exists()


def test_the_server_listens_on_loopback_alone(server):
    port = urlsplit(server.home).port
    assert urlsplit(server.home).hostname == "127.0.0.1"
    # 127.0.0.2 is loopback too, so whoever listens everywhere answers there.
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", port), timeout=10).close()


def test_a_slow_request_does_not_hold_up_the_others(server, visitor):
    place = urlsplit(server.home)
    with socket.create_connection((place.hostname, place.port)) as slow:
        slow.sendall(b"POST /book-live/compare HTTP/1.1\r\nContent-Length: 9\r\n")
        started = time.monotonic()
        assert visitor.get(f"{server.home}/book/").status_code == 200
        assert time.monotonic() - started < 30
