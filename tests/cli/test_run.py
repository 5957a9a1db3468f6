"""cardhouse run: what it does, what it writes, how it ends."""

import json
import resource
import signal
import subprocess
import time
import unittest

import h5py
from program import PROGRAM, ProgramTest, planar_meets_spatial

STACK = ("box_stack", "count=3")
PILE = ("box_pile", "count=6")  # falls and settles: contacts come and go, and there are several islands
SUMMARY_KEYS = {
    "contacts": {"mean", "max"},
    "iterations": {"mean", "max"},
    "residual": {"mean", "max"},
    "penetration": {"max"},
    "step_length": {"min", "max", "rejected", "over_tolerance"},
    "relaxed": {"steps", "overlap_left"},
    "displacement": {"max", "body", "max_after_1s"},
    "speed": {"max", "body"},
    "rotation": {"max"},
    "momentum": {"initial", "final", "outside", "unexplained"},
    "energy": {"initial", "final", "max_gain", "total_gain"},
    "seconds": {"total", "collision", "assembly", "solve", "integrate", "output"},
}
PLAIN_KEYS = """scene solver step duration steps bodies dofs threads certified_steps uncertified_steps stands cpu_seconds
                peak_memory_mb state_hash version parameters tolerance exit outcome fell_at fell_body diverged
                warnings""".split()


class Run(ProgramTest):
    def test_summary_has_the_promised_keys(self):
        summary = self.run_scene(*STACK, "--duration", 0.05)
        for key in PLAIN_KEYS:
            self.assertIn(key, summary)
        for key, parts in SUMMARY_KEYS.items():
            self.assertEqual(set(summary[key]), parts, key)

    def test_summary_tells_what_was_run(self):
        summary = self.run_scene(*STACK, "--duration", 0.05, "--step", 0.005, "--tolerance", 1e-6, "--threads", 2)
        self.assertEqual(summary["scene"], "box_stack")
        self.assertEqual(summary["parameters"]["count"], "3")
        self.assertEqual((summary["step"], summary["duration"], summary["steps"]), (0.005, 0.05, 10))
        self.assertEqual((summary["tolerance"], summary["threads"]), (1e-6, 2))
        self.assertEqual((summary["bodies"], summary["dofs"]), (3, 18))
        self.assertEqual(summary["certified_steps"] + summary["uncertified_steps"], 10)
        self.assertEqual(summary["exit"], "done")
        self.assertRegex(summary["state_hash"], "^[0-9a-f]{16}$")

    def test_summary_names_the_methods_that_were_used_with_their_steps(self):
        alone = self.run_scene(*STACK, "--duration", 0.05, "--solver", "newton")
        self.assertEqual(alone["methods"], {"newton": alone["steps"]})
        chosen = self.run_scene(*PILE, "--duration", 0.2, "--solver", "auto", out="chosen")
        self.assertGreater(len(chosen["methods"]), 0)
        for method, steps in chosen["methods"].items():
            self.assertNotEqual(method, "auto")
            self.assertTrue(0 < steps <= chosen["steps"], (method, steps))

    def test_a_time_limit_ends_solves_and_the_summary_tells_of_it(self):
        self.assertIsNone(self.run_scene(*STACK, "--duration", 0.01)["max_step_seconds"])
        house = ("card_house", "levels=2", "--tolerance", 1e-300, "--duration", 0.002, "--max-seconds", 0.001)
        summary = self.run_scene(*house, out="limited")
        self.assertEqual((summary["max_step_seconds"], summary["steps"]), (0.001, 2))
        self.assertEqual(summary["uncertified_steps"], 2)
        self.assertIn("time_limit", summary["worst_uncertified"]["reason"])

    def test_the_former_name_of_the_time_limit_says_so(self):
        code, _, errors = self.call("run", *STACK, "--duration", 0.002, "--max-seconds", 5)
        self.assertEqual(code, 0)
        self.assertIn("--max-seconds is now called --max-step-seconds", errors)
        code, _, errors = self.call("run", *STACK, "--duration", 0.002, "--max-step-seconds", 5)
        self.assertEqual((code, errors.strip()), (0, ""))

    def test_the_summary_counts_rescues_of_every_solver(self):
        house = ("card_house", "levels=2", "--duration", 0.002, "--tolerance", 1e-300, "--solver", "gauss-seidel")
        summary = self.run_scene(*house, "--max-rescues", 2, out="rescued")
        self.assertGreater(summary["rescues"]["parts"]["tried"], 0)
        summary = self.run_scene(*house, "--max-rescues", 0, out="given_up")
        self.assertEqual({row["tried"] for row in summary["rescues"].values()}, {0})

    def test_one_step_is_called_a_step(self):
        output = self.call("run", *STACK, "--duration", 0.001)[1]
        self.assertIn("simulated in 1 step of", output)
        self.assertIn("1 of 1 step\n", output)

    def test_files_with_places_of_their_own_need_no_folder(self):
        code, _, errors = self.call("run", *STACK, "--duration", 0.01, "--record", "r.h5", "--summary", "-")
        self.assertEqual(code, 0, errors)
        self.assertEqual(self.files(), ["r.h5"])

    def test_displacement_after_the_first_second_is_null_in_a_shorter_run(self):
        self.assertIsNone(self.run_scene("particle_drop", "--duration", 0.5)["displacement"]["max_after_1s"])
        longer = self.run_scene("particle_drop", "--duration", 1.2, out="longer")
        self.assertIsNotNone(longer["displacement"]["max_after_1s"])

    def test_a_duration_that_is_no_multiple_of_the_step_is_reached(self):
        summary = self.run_scene("particle_drop", "--duration", 0.1, "--step", 0.03)
        self.assertEqual(summary["steps"], 4)
        self.assertEqual((summary["duration"], round(summary["time"], 9)), (0.1, 0.12))
        output = self.call("run", "particle_drop", "--duration", 0.1, "--step", 0.03)[1]
        self.assertIn("0.1 s asked for; whole steps end at 0.12 s", output)

    def test_a_duration_of_zero_writes_a_recording_of_the_start(self):
        self.assertEqual(self.run_scene("particle_drop", "--duration", 0)["steps"], 0)
        self.assertEqual(self.call("info", "result/recording.h5")[0], 0)

    def test_the_output_folder_holds_summary_and_recording_only(self):
        self.run_scene(*STACK, "--duration", 0.01)
        self.assertEqual(self.files(), ["result", "result/recording.h5", "result/summary.json"])

    def test_without_a_folder_each_run_gets_a_new_one(self):
        for _ in range(2):
            self.assertEqual(self.call("run", *STACK, "--duration", 0.01, "--quiet")[0], 0)
        folders = [file for file in self.files() if file.count("/") == 1]
        self.assertEqual(folders, ["out/box_stack-1", "out/box_stack-2"])

    def test_no_folder_is_made_when_both_files_have_their_own_place(self):
        code, _, errors = self.call("run", *STACK, "--duration", 0.01, "--summary", "s.json", "--record", "r.h5", "--quiet")
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual(self.files(), ["r.h5", "s.json"])

    def test_a_summary_on_standard_output_is_alone_there(self):
        code, output, errors = self.call("run", *STACK, "--duration", 0.01, "--summary", "-", "--out", "result")
        self.assertEqual(code, 0)
        self.assertEqual(json.loads(output)["scene"], "box_stack")
        self.assertIn("certified", errors)

    def test_quiet_prints_nothing(self):
        code, output, errors = self.call("run", *STACK, "--duration", 0.01, "--quiet")
        self.assertEqual((code, output, errors), (0, "", ""))

    def test_the_table_says_how_it_went_and_where_the_files_are(self):
        code, output, _ = self.call("run", *STACK, "--duration", 0.02, "--out", "result")
        self.assertEqual(code, 0)
        for part in ("outcome", "displacement", "residual", "20 of 20 steps", "contacts", "time per step", "solve",
                     "result/recording.h5", "result/summary.json"):
            self.assertIn(part, output)

    def test_any_number_of_threads_gives_the_same_bits(self):
        one, two = (self.run_scene(*PILE, "--duration", 0.4, "--threads", n, out=f"t{n}") for n in (1, 2))
        self.assertEqual(one["state_hash"], two["state_hash"])

    def test_a_printed_scene_runs_to_the_same_bits_as_its_name(self):
        self.write("pile.json", self.call("scene", *PILE)[1])
        by_name = self.run_scene(*PILE, "--duration", 0.3)
        by_file = self.run_scene("pile.json", "--duration", 0.3, out="file")
        self.assertEqual(by_name["state_hash"], by_file["state_hash"])

    def test_diagnosis_is_recorded_when_asked_for(self):
        for words, expected in (((), False), (("--diagnose",), True)):
            self.run_scene(*STACK, "--duration", 0.01, *words)
            self.assertEqual(json.loads(self.call("info", "result/recording.h5", "--json")[1])["diagnosed"], expected)

    def test_frames_come_at_the_rate_that_was_asked_for(self):
        for rate in (20, 100):
            self.run_scene(*STACK, "--duration", 0.5, "--fps", rate)
            frames = json.loads(self.call("info", "result/recording.h5", "--json")[1])["frames"]
            self.assertAlmostEqual(frames, 0.5 * rate + 1, delta=1)


class Summary(ProgramTest):
    def test_standard_output_is_written_to_and_never_replaced(self):
        log = self.folder / "log.txt"
        with open(log, "w") as stream:
            stream.write("before\n")
            stream.flush()
            words = [PROGRAM, "run", *STACK, "--duration", "0.002", "--summary", "/dev/stdout", "--out", "result"]
            subprocess.run(words, cwd=self.folder, stdout=stream, stderr=subprocess.DEVNULL, timeout=250, check=True)
            stream.write("after\n")
        text = log.read_text()
        self.assertTrue(text.startswith("before\n") and text.rstrip().endswith("after"), text)
        self.assertIn('"state_hash"', text)


class Strict(ProgramTest):
    # What slides opens in the convex relaxation: no step of it obeys Coulomb's law.
    IMPOSSIBLE = ("sliding_block", "--solver", "convex-relaxation")

    def test_a_run_goes_on_after_uncertified_steps_and_says_so(self):
        code, output, _ = self.call("run", *self.IMPOSSIBLE, "--duration", 0.02, "--out", "result")
        self.assertEqual(code, 0)
        self.assertIn("NOT certified", output)
        self.assertGreater(self.read_json("result/summary.json")["uncertified_steps"], 0)

    def test_strict_stops_at_the_first_uncertified_step_and_keeps_the_files(self):
        code, _, errors = self.call("run", *self.IMPOSSIBLE, "--duration", 1, "--strict", "--out", "result")
        self.assertEqual(code, 3, errors)
        self.assertIn("not certified", errors)
        summary = self.read_json("result/summary.json")
        self.assertEqual((summary["exit"], summary["uncertified_steps"]), ("uncertified", 1))
        self.assertLess(summary["steps"], 1000)
        self.assertEqual(self.call("info", "result/recording.h5")[0], 0)

    def test_strict_changes_nothing_when_every_step_is_certified(self):
        self.assertEqual(self.run_scene(*STACK, "--duration", 0.02, "--strict")["certified_steps"], 20)


class StartOverlap(ProgramTest):
    def setUp(self):
        super().setUp()
        scene = self.scene("box_stack", "count=1")
        self.box = next(body for body in scene["bodies"] if body.get("mobility", "dynamic") == "dynamic")
        self.box["position"][2] -= 0.01
        self.write("deep.json", json.dumps(scene))

    def test_a_run_warns_of_bodies_that_overlap_at_the_start(self):
        code, output, errors = self.call("run", "deep.json", "--duration", 0.01, "--out", "result")
        self.assertEqual(code, 0)
        for part in ("warning: 4 contacts overlap", "10 mm", self.box["name"], "they are kept"):
            self.assertIn(part, errors)
        self.assertIn("overlaps of 1 pair of shapes, made before the run, by up to 10 mm", output)
        summary = self.read_json("result/summary.json")
        self.assertEqual(summary["kept_overlaps"]["most"], 1)
        self.assertAlmostEqual(summary["kept_overlaps"]["deepest"], 0.01)
        self.assertAlmostEqual(summary["penetration"]["max"], 0.01)
        self.assertLess(summary["displacement"]["max"], 1e-9)

    def test_they_are_pushed_apart_when_asked_to(self):
        code, _, errors = self.call("run", "deep.json", "--duration", 0.01, "--initial-overlaps", "push", "--out", "result")
        self.assertEqual(code, 0)
        self.assertIn("depth/h = 10 m/s", errors)
        summary = self.read_json("result/summary.json")
        self.assertEqual(summary["kept_overlaps"], {"most": 0, "deepest": 0})
        self.assertGreater(summary["displacement"]["max"], 0.01)

    def test_bodies_are_moved_apart_before_the_run_when_asked_to(self):
        code, _, errors = self.call("run", "deep.json", "--duration", 0.01, "--initial-overlaps", "separate", "--out", "r")
        self.assertEqual(code, 0)
        self.assertIn("bodies are moved apart before the run", errors)
        self.assertIn(f'moved apart: the farthest is "{self.box["name"]}", by 10 mm', errors)
        summary = self.read_json("r/summary.json")
        self.assertLess(summary["penetration"]["max"], 1e-9)
        self.assertLess(summary["displacement"]["max"], 1e-9)

    def test_bodies_that_cannot_be_moved_apart_are_bad_input(self):
        scene = {"settings": {"initial_overlaps": "separate"}, "bodies": [
            {"name": "left", "mobility": "fixed", "shapes": [{"type": "half_space", "normal": [1, 0, 0]}],
             "position": [-0.09, 0, 0]},
            {"name": "right", "mobility": "fixed", "shapes": [{"type": "half_space", "normal": [-1, 0, 0]}],
             "position": [0.08, 0, 0]},
            {"name": "ball", "density": 1000, "shapes": [{"type": "sphere", "radius": 0.1}]}]}
        self.write("tight.json", json.dumps(scene))
        code, _, errors = self.call("run", "tight.json", "--out", "result")
        self.assertEqual(code, 2)
        for part in ("initial_overlaps = separate", '"right" and "ball" overlap by 0.02 m', "cannot be moved apart"):
            self.assertIn(part, errors)
        self.assertNotIn("result", self.files())

    def test_a_run_with_kept_overlaps_goes_on_to_the_same_bits(self):
        self.box["linear_velocity"] = [0.3, 0.1, 0.3]  # out by 4 mm, and back onto what is left of the overlap
        scene = self.scene("box_stack", "count=1")
        scene["bodies"] = [self.box if body["name"] == self.box["name"] else body for body in scene["bodies"]]
        self.write("deep.json", json.dumps(scene))
        whole = self.run_scene("deep.json", "--duration", 1.5, out="whole")
        for step in (0, 20, 1100):
            rest = self.run_scene("--from", f"whole/recording.h5@{step}", out=f"rest{step}")
            self.assertEqual(rest["state_hash"], whole["state_hash"], f"from step {step}")
        with h5py.File(self.folder / "whole/recording.h5", "a") as file:
            self.assertAlmostEqual(file["/steps/kept_depth"][0], 0.01, places=3)
            self.assertEqual(file["/checkpoints/overlap_count"][-1], 1)
            self.assertLess(file["/checkpoints/overlaps/depth"][-1], 0.007)
            for name in ("overlaps", "overlap_start", "overlap_count"):  # as an earlier version wrote it
                del file["/checkpoints"][name]
        self.assertEqual(self.run_scene("--from", "whole/recording.h5@1100", out="old")["kept_overlaps"]["most"], 0)

    def test_info_tells_of_them_too(self):
        self.assertIn("4 contacts overlap", self.call("info", "deep.json")[1])
        overlap = json.loads(self.call("info", "deep.json", "--json")[1])["start_overlap"]
        self.assertEqual(overlap["contacts"], 4)
        self.assertAlmostEqual(overlap["deepest"], 0.01)
        self.assertIn(self.box["name"], overlap["bodies"])

    def test_bodies_that_only_touch_are_not_warned_of(self):
        self.assertNotIn("overlap", self.call("run", *STACK, "--duration", 0.01)[2])
        self.assertIsNone(json.loads(self.call("info", *STACK, "--json")[1])["start_overlap"])


class Warnings(ProgramTest):
    def check(self, scene, part, *words):
        self.write("odd.json", json.dumps(scene))
        code, _, errors = self.call("run", "odd.json", "--duration", 0.01, "--out", "result", *words)
        self.assertEqual(code, 0, errors)
        self.assertIn("cardhouse: warning: ", errors)
        self.assertIn(part, errors)
        self.assertTrue(any(part in words for words in self.read_json("result/summary.json")["warnings"]))

    def test_info_tells_what_looks_odd(self):
        self.write("still.json", json.dumps({"bodies": [{"mobility": "fixed"}]}))
        self.assertRegex(self.call("info", "still.json")[1], "warning +nothing moves")
        self.assertEqual(len(json.loads(self.call("info", "still.json", "--json")[1])["warnings"]), 1)

    def test_a_run_warns_of_what_was_hardly_meant(self):
        ball = {"density": 1, "shapes": [{"type": "sphere", "radius": 0.1}]}
        large = {"density": 1, "position": [0, 0, 500], "shapes": [{"type": "sphere", "radius": 100}]}
        self.check({"bodies": [dict(ball), large]}, "1000 times as large")
        hinge = {"type": "hinge", "first": "a", "second": "world", "anchor": [0, 0, 0], "axis": [0, 1, 0],
                 "limits": {"lower": -45, "upper": 45}}
        self.check({"bodies": [dict(ball, name="a")], "joints": [hinge]}, "45° would be")
        self.check({"bodies": [dict(ball, mobility="fixed")]}, "nothing moves")
        self.check({"bodies": [ball]}, "longer than the duration", "--step", "0.02")

    def test_a_run_warns_once_of_bodies_deep_in_each_other(self):
        ball = {"density": 1000, "position": [0, 0, 0.2], "linear_velocity": [0, 0, -100],
                "shapes": [{"type": "sphere", "radius": 0.1}]}
        floor = {"name": "floor", "mobility": "fixed", "shapes": [{"type": "half_space"}]}
        scene = {"settings": {"contact": "soft", "soft": {"normal_stiffness": 1e5}}, "bodies": [ball, floor]}
        self.check(scene, "deep in each other")
        self.assertEqual(len(self.read_json("result/summary.json")["warnings"]), 1)

    def test_an_ordinary_run_has_no_warnings(self):
        self.assertEqual(self.run_scene(*STACK, "--duration", 0.05)["warnings"], [])


class Outcome(ProgramTest):
    # Its stones slide on each other: at 0.3 s the arch is on its way, at 0.43 s one of them is beyond the rule.
    ARCH = ("arch", "voussoirs=7", "mu=0.2")

    def test_an_arch_on_its_way_down_is_moving_and_does_not_stand(self):
        summary = self.run_scene(*self.ARCH, "--duration", 0.3)
        self.assertEqual((summary["outcome"], summary["stands"], summary["fell_at"]), ("moving", None, None))
        self.assertGreater(summary["speed"]["max"], 0.1)
        self.assertTrue(summary["speed"]["body"])

    def test_a_fall_is_dated_and_ends_the_run_when_asked_to(self):
        summary = self.run_scene(*self.ARCH, "--duration", 10, "--until", "fallen")
        self.assertEqual((summary["outcome"], summary["stands"], summary["exit"]), ("fell", False, "fallen"))
        self.assertTrue(0.3 < summary["fell_at"] < 0.6, summary["fell_at"])
        self.assertTrue(summary["fell_body"])
        self.assertAlmostEqual(summary["time"], summary["fell_at"])

    def test_a_stack_stands_and_its_run_ends_at_rest_when_asked_to(self):
        summary = self.run_scene(*STACK, "--duration", 10, "--until", "rest")
        self.assertEqual((summary["outcome"], summary["stands"], summary["exit"]), ("stands", True, "rest"))
        self.assertLess(summary["time"], 1)

    def test_a_ball_that_falls_is_not_at_rest_before_it_lies(self):
        summary = self.run_scene("particle_drop", "height=0.5", "--duration", 5, "--until", "rest")
        self.assertEqual((summary["outcome"], summary["exit"]), ("rest", "rest"))
        self.assertGreater(summary["time"], 0.3)  # √(2 · 0.5 m / g)

    def test_without_a_rule_a_run_is_at_rest_or_moving(self):
        summary = self.run_scene("particle_drop", "--duration", 0.05)
        self.assertEqual((summary["outcome"], summary["stands"]), ("moving", None))


class Divergence(ProgramTest):
    # An explicit spring beyond its limit, h² k/m = 4: each step multiplies the energy by seven. (A rod that turns by half
    # a radian per step against a bar loses itself as well, but in which step, and whether, is a matter of rounding.)
    SWING = {"name": "swing", "gravity": [0, 0, 0], "duration": 5, "settings": {"step": 0.01}, "bodies": [
        {"name": "bob", "kind": "particle", "mass": 1, "position": [0, 0, -1.1]}],
        "springs": [{"first": "bob", "second": "world", "stiffness": 5e4, "rest_length": 1}]}

    def test_a_run_that_loses_itself_stops_and_tells_where(self):
        self.write("swing.json", json.dumps(self.SWING))
        code, output, errors = self.call("run", "swing.json", "--out", "result")
        self.assertEqual(code, 4, errors)
        self.assertIn("the run diverged in step", errors)
        self.assertIn("DIVERGED at t = ", output)
        summary = self.read_json("result/summary.json")
        self.assertEqual((summary["exit"], summary["diverged"]["body"]), ("diverged", "bob"))
        self.assertEqual(summary["diverged"]["step"], summary["steps"])
        self.assertLess(summary["steps"], 100)
        self.assertIn("energy", summary["exit_reason"])
        self.assertGreater(summary["uncertified_steps"], 0)
        info = json.loads(self.call("info", "result/recording.h5", "--json")[1])
        self.assertEqual((info["ended"], info["steps"]), ("diverged", summary["steps"]))

    def test_a_shorter_step_brings_it_to_its_end(self):
        self.write("swing.json", json.dumps(self.SWING))
        self.assertEqual(self.run_scene("swing.json", "--step", 0.001, "--duration", 1)["exit"], "done")


class Stop(ProgramTest):
    def test_bodies_that_must_not_meet_end_the_run_and_leave_whole_files(self):
        self.write("meeting.json", json.dumps(planar_meets_spatial(distance=0.5)))
        code, output, errors = self.call("run", "meeting.json", "--out", "result")
        self.assertEqual(code, 2, errors)
        self.assertIn("stood so far  (stopped at t = ", output)
        for part in ('"disk" and "ball" touch', "can't be taken", "up to"):
            self.assertIn(part, errors)
        summary = self.read_json("result/summary.json")
        self.assertEqual((summary["exit"], summary["stands"]), ("stopped", None))
        self.assertIn('"disk" and "ball"', summary["exit_reason"])
        self.assertTrue(100 < summary["steps"] < 400, summary["steps"])
        info = json.loads(self.call("info", "result/recording.h5", "--json")[1])
        self.assertEqual((info["ended"], info["steps"]), ("stopped", summary["steps"]))


class FullDisk(ProgramTest):
    @staticmethod
    def allow_files_of(size):
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    def test_a_full_disk_at_the_start_is_a_failure_of_the_system_and_leaves_nothing(self):
        code, _, errors = self.call("run", *STACK, "--out", "result", preparation=self.allow_files_of(20000))
        self.assertEqual(code, 1, errors)
        self.assertIn("result/recording.h5: can't be written", errors)
        self.assertEqual(self.files(), [])

    def test_a_disk_that_fills_up_is_a_failure_of_the_system_and_leaves_a_recording(self):
        words = ("run", *STACK, "--duration", 100, "--fps", 1000, "--out", "result")
        code, _, errors = self.call(*words, preparation=self.allow_files_of(400000))
        self.assertEqual(code, 1, errors)
        self.assertIn("result/recording.h5: can't be written", errors)
        info = json.loads(self.call("info", "result/recording.h5", "--json")[1])
        self.assertIsNone(info["ended"])


class Interruption(ProgramTest):
    def check_clean_end(self, by):
        code, _ = self.interrupt_run(*STACK, "--duration", 1e5, "--out", "result", by=by)
        self.assertEqual(code, 130)
        summary = self.read_json("result/summary.json")
        self.assertEqual((summary["exit"], summary["stands"]), ("interrupted", None))
        self.assertEqual(json.loads(self.call("info", "result/recording.h5", "--json")[1])["ended"], "interrupted")
        self.assertGreater(summary["steps"], 0)
        code, output, errors = self.call("info", "result/recording.h5")
        self.assertEqual(code, 0, errors)
        self.assertIn(f"0 … {summary['steps']}", output)

    def test_control_c_ends_a_run_cleanly_and_keeps_the_recording(self):
        self.check_clean_end((signal.SIGINT,))

    def test_a_request_to_terminate_ends_a_run_cleanly(self):
        self.check_clean_end((signal.SIGTERM,))

    def test_a_terminal_that_is_closed_ends_a_run_cleanly(self):
        self.check_clean_end((signal.SIGHUP,))

    def test_signals_at_once_count_as_one(self):
        """As of `timeout`, which signals the process and then its group."""
        self.check_clean_end((signal.SIGINT, signal.SIGTERM, signal.SIGINT))

    def test_a_long_step_is_dropped_and_the_recording_kept(self):
        """No answer is as good as this tolerance asks: the first step would last minutes."""
        house = ("card_house", "levels=4", "--tolerance", 1e-300, "--duration", 1)
        began = time.monotonic()
        code, _ = self.interrupt_run(*house, "--out", "result")
        # A second is what a person waits; the rest is for machines with other things to do, and sanitizers.
        self.assertLess(time.monotonic() - began, 20)
        self.assertEqual(code, 130)
        summary = self.read_json("result/summary.json")
        self.assertEqual((summary["exit"], summary["steps"]), ("interrupted", 0))
        info = json.loads(self.call("info", "result/recording.h5", "--json")[1])
        self.assertEqual((info["ended"], info["steps"], info["frames"]), ("interrupted", 0, 1))
        whole = self.run_scene("--from", "result/recording.h5@0", "--tolerance", 1e-8, "--duration", 0.01, out="rest")
        self.assertEqual(whole["certified_steps"], 10)

    def test_an_interrupted_run_goes_on_to_the_same_bits(self):
        self.interrupt_run(*PILE, "--duration", 1e5, "--out", "result")
        summary = self.read_json("result/summary.json")
        steps = summary["steps"]
        duration = (steps + 20) * summary["step"]
        whole = self.run_scene(*PILE, "--duration", duration, out="whole")
        rest = self.run_scene("--from", f"result/recording.h5@{steps}", "--duration", duration, out="rest")
        self.assertEqual((rest["first_step"], rest["steps"]), (steps, 20))
        self.assertEqual(rest["state_hash"], whole["state_hash"])


    def test_a_continuation_that_did_not_reach_its_step_leaves_nothing(self):
        """From the checkpoint at the start, by steps that would last minutes: no answer is as good as they ask."""
        self.run_scene("card_house", "levels=4", "--duration", 0.01, "--tolerance", 1e-6, out="whole")
        self.change_recorded_scene("whole/recording.h5", '"tolerance": 1e-06', '"tolerance": 1e-99')
        before = self.files()
        process = subprocess.Popen([PROGRAM, "run", "--from", "whole/recording.h5@5", "--out", "rest"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)  # of no effect unless the test failed
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, output, errors), (130, "", ""))
        self.assertEqual(self.files(), before)


class Restitution(ProgramTest):
    def test_the_law_is_chosen_on_the_command_line_and_kept_in_the_recording(self):
        hashes = set()
        for law in ("newton", "lagged", "poisson", "impact"):
            summary = self.run_scene("particle_drop", "restitution=0.7", "--duration", 1, "--restitution", law, out=law)
            self.assertEqual(summary["uncertified_steps"], 0)
            hashes.add(summary["state_hash"])
            rest = self.run_scene("--from", f"{law}/recording.h5@460", out=law + "_rest")
            self.assertEqual(rest["state_hash"], summary["state_hash"], law)
        self.assertGreaterEqual(len(hashes), 3)

    def test_an_unknown_law_is_refused(self):
        code, output, errors = self.call("run", "particle_drop", "--restitution", "rubber")
        self.assertEqual((code, output), (2, ""))
        self.assertIn("--restitution", errors)
        self.assertIn("lagged", errors)


class AdaptiveSteps(ProgramTest):
    WORDS = ("particle_drop", "height=0.3", "restitution=0.8", "--duration", 1, "--step", 0.01)

    def test_variable_steps_are_counted_timed_and_continued_bit_for_bit(self):
        for rule in ("collision", "error"):
            whole = self.run_scene(*self.WORDS, "--adaptive", rule, out=rule)
            self.assertEqual((whole["step"], whole["exit"]), (0.01, "done"))
            self.assertGreaterEqual(whole["time"], 1 - 1e-9)
            self.assertLess(whole["time"], 1.01)
            self.assertLess(whole["step_length"]["min"], whole["step_length"]["max"])
            self.assertLessEqual(whole["step_length"]["max"], 0.01)
            step = whole["steps"] // 2
            rest = self.run_scene("--from", f"{rule}/recording.h5@{step}", out=rule + "_rest")
            self.assertEqual(rest["state_hash"], whole["state_hash"], rule)
            self.assertEqual(rest["steps"], whole["steps"] - step)

    def test_limits_are_for_adaptive_steps_alone(self):
        for words, part in ((("--least-step", "1e-5"), "--adaptive"),
                            (("--adaptive", "error", "--least-step", "1"), "least_step")):
            code, output, errors = self.call("run", "particle_drop", *words)
            self.assertEqual((code, output), (2, ""))
            self.assertIn(part, errors)


class Overlaps(ProgramTest):
    def test_a_wedged_body_is_told_of(self):
        walls = [{"name": name, "mobility": "fixed", "position": [x, 0, 0],
                  "shapes": [{"type": "box", "half_extents": [0.1, 1, 1]}]} for name, x in (("a", -0.19), ("b", 0.19))]
        ball = {"name": "ball", "density": 1000, "shapes": [{"type": "sphere", "radius": 0.1}]}
        (self.folder / "wedge.json").write_text(json.dumps({"name": "wedge", "gravity": [0, 0, 0], "bodies": walls + [ball]}))
        code, output, _ = self.call("run", "wedge.json", "--duration", 0.05, "--initial-overlaps", "push", "--out", "result")
        self.assertEqual(code, 0)
        self.assertIn("50 steps could not remove all overlaps; at most 10 mm left", output)
        summary = self.read_json("result/summary.json")
        self.assertEqual((summary["relaxed"]["steps"], summary["uncertified_steps"]), (50, 0))
        self.assertLess(summary["displacement"]["max"], 1e-6)


class Continuation(ProgramTest):
    def setUp(self):
        super().setUp()
        self.whole = self.run_scene(*PILE, "--step", 0.002, "--duration", 1.2, out="whole")

    def test_the_continuation_is_bit_identical_from_any_step(self):
        for step in (0, 1, 333, 500, 599, 600):
            rest = self.run_scene("--from", f"whole/recording.h5@{step}")
            self.assertEqual(rest["state_hash"], self.whole["state_hash"], f"from step {step}")
            self.assertEqual((rest["first_step"], rest["steps"]), (step, 600 - step))

    def test_a_turning_network_is_continued_bit_for_bit(self):
        nodes = [{"position": [0.1 * i, 0, 0], "mass": 1} for i in range(3)]
        shapes = [{"type": "sphere", "radius": 0.03, "node": i} for i in range(3)]
        scene = {
            "name": "mill", "duration": 2.1, "settings": {"step": 0.01},
            "bodies": [
                {"name": "mill", "kind": "network", "mobility": "kinematic", "nodes": nodes, "shapes": shapes,
                 "motion": {"type": "constant_velocity", "angular": [0, 0, 1]}},
                {"name": "ball", "density": 1000, "position": [0.15, 0.03, 0.1],
                 "shapes": [{"type": "sphere", "radius": 0.05}]},
            ],
        }
        self.write("mill.json", json.dumps(scene))
        whole = self.run_scene("mill.json")
        part = self.run_scene("--from", "result/recording.h5@150", out="part")
        self.assertEqual(part["first_step"], 150)
        self.assertEqual(part["state_hash"], whole["state_hash"])

    def test_a_recording_with_names_of_contacts_in_32_bits_is_continued_bit_for_bit(self):
        """As earlier versions wrote them."""
        with h5py.File(self.folder / "whole/recording.h5", "a") as file:
            for name in ("/contacts/feature", "/checkpoints/impulses/feature"):
                wide = file[name][()]
                self.assertGreater(len(wide), 0)
                self.assertLess(wide.max(), 2**32)
                del file[name]
                file.create_dataset(name, data=wide.astype("uint32"), maxshape=(None,), chunks=True)
        self.assertEqual(self.call("info", "whole/recording.h5")[0], 0)
        rest = self.run_scene("--from", "whole/recording.h5@550")
        self.assertEqual(rest["state_hash"], self.whole["state_hash"])

    def test_another_step_size_begins_at_the_step_that_was_asked_for(self):
        self.run_scene("box_stack", "count=2", "--duration", "0.15", out="whole")
        summary = self.run_scene("--from", "whole/recording.h5@110", "--step", "0.002", "--duration", "0.13", out="rest")
        # Step 110 of 1 ms steps is at 0.11 s: 10 steps of 2 ms are left.
        self.assertEqual(summary["first_step"], 110)
        self.assertEqual(summary["steps"], 10)

    def test_duration_counts_from_the_start_of_the_scene(self):
        rest = self.run_scene("--from", "whole/recording.h5@600", "--duration", 1.3)
        self.assertEqual((rest["steps"], round(rest["time"], 9)), (50, 1.3))

    def test_a_step_past_the_duration_is_refused_with_what_to_change(self):
        code, output, errors = self.call("run", "--from", "whole/recording.h5@600", "--duration", 0.5)
        self.assertEqual((code, output), (2, ""))
        for part in ("1.2 s", "0.5 s", "longer --duration"):
            self.assertIn(part, errors)

    def test_the_table_counts_the_steps_of_the_continuation(self):
        output = self.call("run", "--from", "whole/recording.h5@500")[1]
        self.assertIn("0.2 s simulated in 100 steps", output)
        self.assertIn("from step 500 (1 s) to step 600 (1.2 s)", output)
        self.assertIn("of 100 steps", output)

    def test_a_continuation_can_be_continued(self):
        self.run_scene("--from", "whole/recording.h5@300", "--duration", 0.9, out="middle")
        rest = self.run_scene("--from", "middle/recording.h5@400", "--duration", 1.2, out="rest")
        self.assertEqual(rest["state_hash"], self.whole["state_hash"])

    def test_the_same_scene_may_be_named_again(self):
        rest = self.run_scene(*PILE, "--from", "whole/recording.h5@300")
        self.assertEqual(rest["state_hash"], self.whole["state_hash"])

    def test_what_cannot_be_continued_is_bad_input_and_changes_nothing(self):
        before = self.files()
        for words, part in (
            (("--from", "whole/recording.h5@601"), "0 … 600"),
            (("--from", "whole/recording.h5@-1"), "RECORDING@STEP"),
            (("--from", "whole/recording.h5"), "RECORDING@STEP"),
            (("--from", "whole/recording.h5@x"), "RECORDING@STEP"),
            (("--from", "missing.h5@3"), "missing.h5"),
            (("--from", "whole/summary.json@3"), "summary.json"),
            (("count=4", "--from", "whole/recording.h5@3"), "parameters"),
            (("box_pile", "count=7", "--from", "whole/recording.h5@3"), "is not the scene"),
            (("card_house", "levels=3", "--from", "whole/recording.h5@3"), "is not the scene"),
            (("--from", "whole/recording.h5@3", "--out", "whole"), "overwrite"),
            (("--from", "whole/recording.h5@3", "--record", "whole/recording.h5"), "overwrite"),
        ):
            code, output, errors = self.call("run", *words)
            self.assertEqual((code, output), (2, ""), words)
            self.assertIn(part, errors, words)
        self.assertEqual(self.files(), before)

    def test_steps_by_the_clock_are_not_taken_again(self):
        """With a limit on wall time what a step comes to depends on the machine: checkpoints alone are sure."""
        self.run_scene(*PILE, "--step", 0.002, "--duration", 1.2, "--max-step-seconds", 100, out="limited")
        for command in ("run --from limited/recording.h5@599", "diagnose limited/recording.h5@600"):
            code, output, errors = self.call(*command.split())
            self.assertEqual((code, output), (2, ""), command)
            for part in ("recording.h5@599", "(100 s)", "step 500"):
                self.assertIn(part, errors)
        rest = self.run_scene("--from", "limited/recording.h5@500", out="rest")
        self.assertEqual((rest["state_hash"], rest["max_step_seconds"]), (self.whole["state_hash"], None))
        rest = self.run_scene("--from", "whole/recording.h5@599", "--max-step-seconds", 100, out="free")
        self.assertEqual(rest["state_hash"], self.whole["state_hash"])

    def test_a_truncated_recording_is_bad_input(self):
        recording = (self.folder / "whole/recording.h5").read_bytes()
        before = None
        for size in (0, 4, 100, 2000):
            (self.folder / "cut.h5").write_bytes(recording[:size])
            before = before or self.files()
            for words in (("run", "--from", "cut.h5@3"), ("info", "cut.h5")):
                code, output, errors = self.call(*words)
                self.assertEqual((code, output), (2, ""), f"{size} bytes: {words}")
                self.assertIn("cut.h5", errors)
        self.assertEqual(self.files(), before)


if __name__ == "__main__":
    unittest.main()
