"""Where a notebook shows the viewer. The notebook servers are pretended here; tests/jupyter.mjs runs a real one."""

import json
import re
import sys
import types

import pytest

import negato
from negato import _notebook


@pytest.fixture
def plain(monkeypatch):
    for name in ("NEGATO_URL_TEMPLATE", "JUPYTERHUB_SERVICE_PREFIX", "VSCODE_PID", "JPY_PARENT_PID"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def pretend_server(monkeypatch, folder, **fields):
    (folder / "jpserver-77.json").write_text(json.dumps({"base_url": "/user/ana/", "port": 8888, **fields}))
    (folder / "jpserver-78.json").write_text(json.dumps({"base_url": "/other/", "port": 9999}))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(folder))
    monkeypatch.setenv("JPY_PARENT_PID", "77")


def test_without_a_notebook_server_the_address_is_the_port_itself(plain):
    assert _notebook.address("http://127.0.0.1:5000", 5000) == "http://127.0.0.1:5000/"
    assert _notebook.embedders() == ["self"]


def test_the_notebook_server_that_started_the_kernel_is_found_by_its_process(plain, tmp_path):
    pretend_server(plain, tmp_path)
    plain.setattr(_notebook, "_has_proxy", lambda: True)
    assert _notebook.address("http://127.0.0.1:5000", 5000) == "/user/ana/proxy/5000/"
    plain.setattr(_notebook, "_has_proxy", lambda: False)
    assert _notebook.address("http://127.0.0.1:5000", 5000) == "http://127.0.0.1:5000/"
    assert _notebook.embedders() == ["self", "http://127.0.0.1:8888", "http://localhost:8888"]


def test_a_hub_an_editor_and_the_user_have_their_own_addresses(plain, tmp_path):
    pretend_server(plain, tmp_path)
    plain.setattr(_notebook, "_has_proxy", lambda: True)
    plain.setenv("VSCODE_PID", "1")
    assert _notebook.address("http://127.0.0.1:5000", 5000) == "http://127.0.0.1:5000/"
    assert "vscode-webview:" in _notebook.embedders()
    plain.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/bo/")
    assert _notebook.address("http://127.0.0.1:5000", 5000) == "/user/bo/proxy/5000/"
    plain.setenv("NEGATO_URL_TEMPLATE", "https://hub.example/x/{port}/")
    assert _notebook.address("http://127.0.0.1:5000", 5000) == "https://hub.example/x/5000/"


def test_the_output_of_a_cell_has_a_ticket_that_is_good_once_and_never_the_token(plain, folder):
    shown = []
    display = types.ModuleType("IPython.display")
    display.display = lambda bundle, raw: shown.append(bundle)
    plain.setitem(sys.modules, "IPython.display", display)
    with negato.view(folder, inline=True, browser=False) as viewer:
        viewer.show()
        (first, second) = shown
        assert viewer.token not in json.dumps(shown) and viewer.token is not None
        tickets = [re.search(r"#ticket=([\w-]+)", one["text/html"])[1] for one in (first, second)]
        assert len(set(tickets)) == 2
        assert viewer._send_json("POST", "/token", {"ticket": tickets[0]}).json() == {"token": viewer.token}
        with pytest.raises(negato.RequestError) as failure:
            viewer._send_json("POST", "/token", {"ticket": tickets[0]})
        assert failure.value.code == "unauthorized"
        assert "#ticket=" in viewer._repr_html_() and viewer.token not in viewer._repr_html_()
    assert viewer._repr_html_() == "negato: this viewer has ended"


def test_names_cannot_end_the_script_of_a_cell():
    text = _notebook.frame_html("https://x/</script><script>alert(1)</script>", "", 640, '100%" onload="x')
    assert text.count("</script>") == 1 and 'onload="x' not in text


def test_the_tile_of_the_launcher_uses_a_socket_file_and_knows_the_hub(monkeypatch):
    from negato._launcher import setup_negato

    monkeypatch.delenv("JUPYTERHUB_HOST", raising=False)
    monkeypatch.setenv("JUPYTERHUB_PUBLIC_URL", "https://Hub.example:8443/user/ana/")
    tile = setup_negato()
    assert tile["unix_socket"] is True and "{unix_socket}" in tile["command"] and "--port" not in tile["command"]
    assert tile["command"][-3:] == ["--allow-host", "hub.example", "."]
