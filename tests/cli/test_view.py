"""Looking at recordings and scenes: view, report and render. The page itself is tested in viewer/tests."""

import base64
import gzip
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import time
import unittest
import unittest.mock
import urllib.parse

import h5py

from program import PROGRAM, ProgramTest


def has_page():
    result = subprocess.run([PROGRAM, "report", "missing.h5"], capture_output=True, text=True, check=False)
    return "without the viewer's page" not in result.stderr


HAS_PAGE = has_page()


def messages(data):
    """The headers of a report's messages."""
    at = 0
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        (header,) = struct.unpack_from("<I", data, at + 8)
        yield json.loads(data[at + 12 : at + 12 + header])
        at += 8 + (length + 7) // 8 * 8


class Socket:
    """The page's side of a WebSocket; just enough of the protocol."""

    def __init__(self, address):
        url = urllib.parse.urlsplit(address)
        self.stream = socket.create_connection((url.hostname, url.port), timeout=30)
        self.stream.sendall(
            f"GET /socket?{url.query} HTTP/1.1\r\nHost: {url.netloc}\r\nOrigin: http://{url.netloc}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        self.file = self.stream.makefile("rb")
        self.status = self.file.readline().decode().strip()
        while self.file.readline() not in (b"\r\n", b""):
            pass

    def read(self):
        """The header of the next message."""
        first, length = self.file.read(2)
        if length == 126:
            (length,) = struct.unpack(">H", self.file.read(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", self.file.read(8))
        payload = self.file.read(length)
        if first & 15 != 2:
            raise ConnectionError(payload)
        (header,) = struct.unpack_from("<I", payload)
        return json.loads(payload[4 : 4 + header])

    def send(self, message):
        text = json.dumps(message).encode()
        length = bytes([0x80 | len(text)]) if len(text) < 126 else bytes([0x80 | 126]) + struct.pack(">H", len(text))
        self.stream.sendall(b"\x81" + length + bytes(4) + text)

    def wait(self, kind):
        while True:
            message = self.read()
            if message["type"] == kind:
                return message

    def close(self):
        self.file.close()
        self.stream.close()


class ViewerTest(ProgramTest):
    def setUp(self):
        super().setUp()
        state = unittest.mock.patch.dict(os.environ, {"XDG_STATE_HOME": str(self.folder / "state")})
        state.start()
        self.addCleanup(state.stop)

    def start(self, *words, browser=False, environment=None, preexec_fn=None):
        """Starts `view`; returns the process and the address that it prints."""
        process = subprocess.Popen(
            [PROGRAM, "view", *map(str, words), *(() if browser else ("--no-browser",))],
            cwd=self.folder,
            env=os.environ | (environment or {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=preexec_fn,
        )
        self.addCleanup(self.end, process)
        return process, process.stdout.readline().strip()

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def connect(self, address):
        page = Socket(address)
        self.addCleanup(page.close)
        self.assertIn("101", page.status)
        return page

    def record(self):
        self.run_scene("box_stack", "count=2", "--duration", 0.1)
        return "result/recording.h5"


class ViewerHelp(ProgramTest):
    def test_every_command_is_explained_with_examples(self):
        for command in ("view", "report", "render"):
            code, output, errors = self.call(command, "--help")
            self.assertEqual((code, errors), (0, ""))
            self.assertIn("Examples:", output)


@unittest.skipUnless(HAS_PAGE, "built without the page")
class View(ViewerTest):
    def test_a_recording_is_served_and_ctrl_c_ends_it_with_code_0(self):
        process, address = self.start(self.record(), "--port", 0)
        self.assertRegex(address, r"^http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{32}$")
        page = self.connect(address)
        scene = page.wait("scene")
        self.assertEqual((scene["mode"], scene["title"]), ("recording", "box_stack"))
        page.send({"type": "get_frames", "run": 0, "first": 0, "count": 600, "contacts": True})
        self.assertEqual(page.wait("frames")["count"], scene["runs"][0]["frames"])
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 0)

    def test_a_scene_is_simulated_live(self):
        process, address = self.start("box_stack", "count=2", "--port", 0, "--step", 0.002)
        page = self.connect(address)
        self.assertEqual(page.wait("scene")["mode"], "live")
        self.assertEqual(page.wait("state")["step"], 0.002)
        page.send({"type": "control", "action": "pause"})
        while not page.wait("state")["paused"]:
            pass
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=30), 0)

    def test_the_page_is_served_without_network_addresses(self):
        _, address = self.start("box_stack", "--port", 0)
        url = urllib.parse.urlsplit(address)
        connection = http.client.HTTPConnection(url.hostname, url.port, timeout=30)
        connection.request("GET", "/", headers={"Accept-Encoding": "gzip"})
        response = connection.getresponse()
        text = gzip.decompress(response.read()).decode()
        self.assertIn("<!-- cardhouse-report -->", text)
        self.assertNotRegex(text, r'(src|href)="https?://')
        self.assertIn("default-src 'none'", response.headers["Content-Security-Policy"])
        connection.close()

    def test_the_token_stays_until_a_new_one_is_asked_for(self):
        tokens = []
        for option in ((), (), ("--new-token",)):
            process, address = self.start("box_stack", "--port", 0, *option)
            tokens.append(address.split("token=")[1])
            self.end(process)
        self.assertEqual(tokens[0], tokens[1])
        self.assertNotEqual(tokens[1], tokens[2])
        self.assertEqual((self.folder / "state/cardhouse/token").stat().st_mode & 0o777, 0o600)

    def start_beside_browser(self, opener="xdg-open", display=":7", **options):
        """Starts `view` where the only program on the path is an opener that notes what it was given."""
        path = self.folder / "bin"
        path.mkdir(exist_ok=True)
        if opener:
            (path / opener).write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{self.folder}/opened.new"\n'
                                       f'/bin/mv "{self.folder}/opened.new" "{self.folder}/opened"\n')
            (path / opener).chmod(0o755)
        environment = {"PATH": str(path), "DISPLAY": display, "WAYLAND_DISPLAY": ""}
        return self.start("box_stack", "--port", 0, environment=environment, **options)

    def check_nothing_is_opened(self, process, address):
        """The page is served by then, and an opener would have been started before it was."""
        self.connect(address).wait("scene")
        time.sleep(0.3)
        self.assertFalse((self.folder / "opened").exists())
        self.assertIsNone(process.poll())

    def test_the_default_browser_is_opened_with_the_address_in_a_private_file(self):
        for opener in ("xdg-open", "x-www-browser"):
            with self.subTest(opener=opener):
                process, address = self.start_beside_browser(opener, browser=True)
                self.wait_for(self.folder / "opened", process)
                (file,) = map(pathlib.Path, (self.folder / "opened").read_text().splitlines())
                self.assertEqual(file.stat().st_mode & 0o777, 0o600)
                self.assertIn(f"url={address}", file.read_text())
                self.connect(address).wait("scene")
                (self.folder / "opened").unlink()
                (self.folder / "bin" / opener).unlink()

    def test_no_browser_is_opened_when_none_is_wanted(self):
        self.check_nothing_is_opened(*self.start_beside_browser(browser=False))

    def test_without_a_browser_or_a_display_the_address_is_enough(self):
        self.check_nothing_is_opened(*self.start_beside_browser(opener=None, browser=True))
        self.check_nothing_is_opened(*self.start_beside_browser(display="", browser=True))

    def test_ctrl_c_does_not_wait_for_a_long_step(self):
        """No answer is as good as this tolerance asks: the first step would last minutes."""
        process, address = self.start("card_house", "levels=4", "--tolerance", 1e-300, "--port", 0)
        self.connect(address).wait("frames")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 0)

    def test_a_solver_may_have_options_of_its_own(self):
        named = "staggered-projections:anderson=0"
        _, address = self.start("box_stack", "--solver", named, "--port", 0)
        self.assertEqual(self.connect(address).wait("scene")["runs"][0]["solver"], named)
        _, address = self.start("box_stack", "--compare", f"auto,{named}", "--port", 0)
        self.assertEqual(self.connect(address).wait("scene")["runs"][1]["solver"], named)

    def test_two_runs_are_compared(self):
        solver = self.scene("box_stack")["settings"]["solver"]
        _, address = self.start("box_stack", "--compare", f"{solver},{solver}", "--port", 0)
        self.assertEqual(len(self.connect(address).wait("scene")["runs"]), 2)

    def test_a_host_that_others_can_reach_comes_with_a_warning(self):
        for host, warns in (("0.0.0.0", True), ("127.0.0.1", False), ("localhost", False)):
            process, _ = self.start("box_stack", "--port", 0, "--host", host)
            process.send_signal(signal.SIGINT)
            self.assertEqual("warning: --host" in process.communicate(timeout=30)[1], warns, host)


@unittest.skipUnless(HAS_PAGE, "built without the page")
class ViewUnderLoad(ViewerTest):
    """Of everything only a little, and on this machine alone."""

    def seconds_of_processor(self, process):
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def silent(self, address, count):
        url = urllib.parse.urlsplit(address)
        for _ in range(count):
            connection = socket.create_connection((url.hostname, url.port), timeout=30)
            self.addCleanup(connection.close)
            yield connection

    def page_status(self, address):
        url = urllib.parse.urlsplit(address)
        connection = http.client.HTTPConnection(url.hostname, url.port, timeout=30)
        connection.request("GET", "/")
        status = connection.getresponse().status
        connection.close()
        return status

    def test_without_descriptors_pages_go_on_and_the_processor_is_not_used_up(self):
        few = 24  # the program, its libraries and one page need about ten
        limited = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (few, few))
        process, address = self.start("box_stack", "--paused", "--port", 0, preexec_fn=limited)
        page = self.connect(address)
        page.wait("scene")
        connections = list(self.silent(address, 60))
        before = self.seconds_of_processor(process)
        for speed in range(1, 11):
            page.send({"type": "set", "speed": speed})
            while page.wait("state")["speed"] != speed:
                pass
            time.sleep(0.1)
        self.assertLess(self.seconds_of_processor(process) - before, 0.5, "a loop would take all of the second")
        for connection in connections:
            connection.close()
        self.assertEqual(self.page_status(address), 200)
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=30)[1]
        self.assertEqual(process.returncode, 0)
        self.assertEqual(errors.count("new pages must wait: Too many open files"), 1, errors)

    def test_silent_connections_do_not_keep_pages_out(self):
        _, address = self.start("box_stack", "--paused", "--port", 0)
        connections = list(self.silent(address, 200))
        start = time.monotonic()
        self.assertEqual(self.page_status(address), 200)
        self.connect(address).wait("scene")
        self.assertLess(time.monotonic() - start, 3)
        self.assertEqual(connections[0].recv(1), b"", "the oldest made room")

    def test_commands_beyond_the_bounds_are_refused_with_field_and_reason(self):
        _, address = self.start("box_stack", "count=2", "--paused", "--port", 0)
        page = self.connect(address)
        page.wait("frames")
        for field, value, says in (
            ("gravity", [0, 0, 1e308], r"gravity\[2\] = 1e\+308 m/s²: must be at most "),
            ("step", 1e-320, r"step = 1e-320 s: must be at least "),
            ("step", -1, r"step = -1 s: must be > 0"),
            ("mu", -1, r"mu = -1"),
        ):
            page.send({"type": "set", field: value})
            error = page.wait("error")
            self.assertEqual(error["field"], field)
            self.assertRegex(error["message"], says)
        page.send({"type": "drag", "body": 1, "point": [0, 0, 0], "target": [0, 0, 1e300]})
        self.assertEqual(page.wait("error")["field"], "target")
        page.send({"type": "set", "speed": 3})
        while (state := page.wait("state"))["speed"] != 3:
            pass
        self.assertEqual((state["gravity"], state["step"], state["mu"]), ([0, 0, -9.81], 0.001, None))


@unittest.skipUnless(HAS_PAGE, "built without the page")
class ViewErrors(ViewerTest):
    def fails(self, *words, says):
        code, output, errors = self.call(*words)
        self.assertEqual((code, output), (2, ""), errors)
        self.assertRegex(errors, says)

    def test_bad_arguments_are_refused_in_words(self):
        recording = self.record()
        self.fails("view", says="give a recording")
        self.fails("view", "missing.h5", says="no such file")
        self.fails("view", "card_hose", says="card_house")
        self.fails("view", "box_stack", "--compare", "magic,staggered-projections", says="must be one of: .*staggered")
        self.fails("view", "box_stack", "--compare", "staggered-projections", says="two solvers")
        self.fails("view", "box_stack", "--solver", "magic", says="magic.*must be one of: ")
        self.fails("view", "box_stack", "--solver", "newton:magic=1", says="has no option magic")
        self.fails("view", "box_stack", "--compare", "auto,newton:magic=1", says="has no option magic")
        self.fails("view", recording, "--step", 0.1, says="recording is as it is")
        self.fails("view", recording, "levels=2", says="takes no parameters")
        self.fails("view", "box_stack", "--host", "192.0.2.1", "--port", 0, says="192.0.2.1")
        self.write("broken.h5", "no recording")
        self.fails("view", "broken.h5", says="broken.h5")

    def test_a_port_in_use_is_told(self):
        with socket.socket() as busy:
            busy.bind(("127.0.0.1", 0))
            busy.listen()
            self.fails("view", "box_stack", "--port", busy.getsockname()[1], says="port .*--port 0")

    def test_report_and_render_refuse_bad_words(self):
        recording = self.record()
        self.fails("report", "missing.h5", says="missing.h5")
        self.fails("report", recording, "--out", recording, says="the recording itself")
        self.fails("report", recording, "--out", "result", says="is a folder")
        self.fails("report", recording, "--out", "missing/report.html", says="there is no folder")
        self.fails("render", recording, "--out", "a.gif", says=r"\.png")
        self.fails("render", recording, "--out", "a.png", "--size", "big", says="WxH")
        self.fails("render", recording, "--out", "a.png", "--time", 99, says="covers 0 … 0.1 s")
        self.fails("render", recording, "--out", "a.mp4", "--time", 0, says="one picture")
        self.assertEqual(self.files(), ["result", "result/recording.h5", "result/summary.json"])


@unittest.skipUnless(HAS_PAGE, "built without the page")
class Report(ViewerTest):
    def test_a_report_is_one_file_with_the_whole_run(self):
        recording = self.record()
        code, output, errors = self.call("report", recording)
        self.assertEqual((code, output, errors), (0, "result/recording.html\n", ""))
        text = (self.folder / "result/recording.html").read_text()
        self.assertNotRegex(text, r'(src|href)="https?://')
        data = re.search(r'<script type="text/plain" id="cardhouse-report">([^<]*)</script>', text).group(1)
        headers = list(messages(gzip.decompress(base64.b64decode(data))))
        self.assertEqual([h["type"] for h in headers], ["scene", "steps", "frames", "reasons"])
        self.assertEqual(headers[0]["mode"], "report")
        self.assertEqual(headers[1]["count"], 100)

    def test_a_recording_that_does_not_tell_the_work_from_outside_is_read_too(self):
        recording = self.record()
        with h5py.File(self.folder / recording, "a") as file:
            del file["steps/work"]
        code, _, errors = self.call("report", recording)
        self.assertEqual((code, errors), (0, ""))
        text = (self.folder / "result/recording.html").read_text()
        data = re.search(r'<script type="text/plain" id="cardhouse-report">([^<]*)</script>', text).group(1)
        steps = list(messages(gzip.decompress(base64.b64decode(data))))[1]
        self.assertIn("steps/work", steps["arrays"])

    def test_the_place_is_looked_at_before_the_work(self):
        recording = self.record()
        self.change_recorded_scene(recording, '"tolerance"', '"tolerancy"')  # it opens, but there is no report of it
        self.assertIn("tolerancy", self.call("report", recording)[2])
        code, output, errors = self.call("report", recording, "--out", "missing/report.html")
        self.assertEqual((code, output), (2, ""))
        self.assertIn("there is no folder", errors)
        self.assertIn("no.h5", self.call("report", "no.h5", "--out", "missing/report.html")[2])
        for file in "missing/house.png", "missing/house.mp4":
            code, output, errors = self.call("render", recording, "--out", file)  # also where there is no browser
            self.assertEqual((code, output), (2, ""))
            self.assertIn("there is no folder", errors)

    def test_ten_seconds_of_a_card_house_stay_below_10_mb(self):
        self.run_scene("card_house", "levels=4", "--duration", 10)
        self.assertEqual(self.call("report", "result/recording.h5", "--out", "house.html")[0], 0)
        self.assertLess((self.folder / "house.html").stat().st_size, 10e6)


@unittest.skipUnless(HAS_PAGE and shutil.which("chromium"), "needs the page and Chromium")
class Render(ViewerTest):
    def size_of(self, path):
        data = (self.folder / path).read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertGreater(len(data), 10_000, "an empty picture compresses better than that")
        return struct.unpack(">II", data[16:24])

    def test_a_picture_has_the_size_that_was_asked_for(self):
        code, output, errors = self.call("render", self.record(), "--out", "a.png", "--size", "960x600", "--time", 0.05)
        self.assertEqual((code, output), (0, "a.png\n"), errors)
        self.assertEqual(self.size_of("a.png"), (960, 600))

    def test_a_folder_gets_a_picture_per_frame(self):
        code, _, errors = self.call("render", self.record(), "--out", "pictures", "--size", "960x600", "--fps", 20)
        self.assertEqual(code, 0, errors)
        names = sorted(path.name for path in (self.folder / "pictures").iterdir())
        self.assertEqual(names, [f"frame-0000{i}.png" for i in range(3)])
        for name in names:
            self.assertEqual(self.size_of(f"pictures/{name}"), (960, 600))

    @unittest.skipUnless(shutil.which("ffmpeg"), "needs ffmpeg")
    def test_a_film_is_made_where_ffmpeg_is(self):
        # An odd size: players want even ones, so that a row and a column are left out.
        code, _, errors = self.call("render", self.record(), "--out", "a.mp4", "--size", "961x601", "--fps", 20)
        self.assertEqual(code, 0, errors)
        self.assertEqual((self.folder / "a.mp4").read_bytes()[4:8], b"ftyp")
        pictures = self.folder / "film-%d.png"
        subprocess.run(["ffmpeg", "-loglevel", "error", "-i", self.folder / "a.mp4", pictures], check=True)
        names = sorted(path.name for path in self.folder.glob("film-*.png"))
        self.assertEqual(names, ["film-1.png", "film-2.png", "film-3.png"], "0.1 s at 20 per second, both ends")
        for name in names:
            self.assertEqual(self.size_of(name), (960, 600))

    def test_a_picture_is_taken_from_where_it_is_said(self):
        recording = self.record()
        pictures = []
        for look in ("front", "top"):
            code, _, errors = self.call("render", recording, "--out", f"{look}.png", "--look", look, "--size", "480x300")
            self.assertEqual(code, 0, errors)
            pictures.append((self.folder / f"{look}.png").read_bytes())
        self.assertNotEqual(*pictures)
        code, _, errors = self.call("render", recording, "--out", "a.png", "--look", "below")
        self.assertEqual(code, 2)
        self.assertIn("quarter", errors)


@unittest.skipIf(HAS_PAGE, "built with the page")
class WithoutPage(ViewerTest):
    def test_every_command_says_what_is_missing_and_how_to_get_it(self):
        for words in (("view", "box_stack"), ("report", "a.h5"), ("render", "a.h5", "--out", "a.png")):
            code, output, errors = self.call(*words)
            self.assertEqual((code, output), (2, ""))
            self.assertIn("Node.js", errors)
            self.assertIn("CARDHOUSE_VIEWER=ON", errors)


if __name__ == "__main__":
    unittest.main()
