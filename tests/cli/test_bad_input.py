"""Bad input: exit code 2, a message that a person can act on, and nothing half-written."""

import json
import unittest

from program import ProgramTest, planar_meets_spatial


class BadInput(ProgramTest):
    def check(self, words, *parts):
        before = self.files()
        code, output, errors = self.call(*words)
        self.assertEqual(code, 2, f"{words}: {errors}")
        self.assertEqual(output, "", words)
        for part in parts:
            self.assertIn(part, errors, words)
        self.assertEqual(self.files(), before, words)

    def check_scene(self, change, *parts):
        """A good scene file, spoiled by `change`."""
        scene = self.scene("box_stack", "count=2")
        change(scene, next(body for body in scene["bodies"] if body.get("mobility", "dynamic") == "dynamic"))
        self.write("bad.json", json.dumps(scene))
        self.check(("run", "bad.json"), "bad.json", *parts)
        self.check(("info", "bad.json"), "bad.json", *parts)

    def test_numbers_out_of_range_are_refused_with_the_range(self):
        for option, value, part in (
            ("--step", "0", "> 0"),
            ("--step", "-0.001", "> 0"),
            ("--step", "nan", "finite"),
            ("--step", "1e-3s", "number"),
            ("--step", "", "number"),
            ("--duration", "-1", "≥ 0"),
            ("--duration", "inf", "finite"),
            ("--duration", "ten", "number"),
            ("--tolerance", "0", "> 0"),
            ("--tolerance", "nan", "finite"),
            ("--tolerance", "1", "< 1"),
            ("--max-seconds", "0", "> 0"),
            ("--threads", "0", "≥ 1"),
            ("--threads", "1.5", "whole number"),
            ("--threads", "99999999999", "whole number"),
            ("--threads", "100000", "≤ 1024"),
            ("--fps", "0", "> 0"),
            ("--fps", "-60", "> 0"),
        ):
            with self.subTest(option=option, value=value):
                self.check(("run", "box_stack", option, value), option, part)

    def test_numbers_beyond_all_bounds_are_refused_with_the_bound_and_its_reason(self):
        self.check(("run", "box_stack", "--step", "1e-320"), "step = 1e-320 s", "at least 1e-12", "microsecond")
        self.check(("run", "box_stack", "--step", "1e7"), "step = ", "at most 1e+06 s")
        self.check(("run", "particle_drop", "--adaptive", "error", "--least-step", "1e-300"), "least_step = 1e-300 s")
        self.check_scene(lambda scene, body: scene.update(gravity=[0, 0, -1e308]), "gravity[2] = -1e+308 m/s²", "1e+13")
        self.check_scene(lambda scene, body: body["shapes"][0].update(half_extents=[9.1e307] * 3),
                         "shapes[0].half_extents[0] = 9.1e+307 m", "at most 1e+13 m")
        self.check_scene(lambda scene, body: body.update(linear_velocity=[1e300, 0, 0]), "linear_velocity[0]", "3e+08")

    def test_an_unknown_command_is_named_with_the_one_that_was_meant(self):
        for word, meant in (("simulate", "run"), ("veiw", "view"), ("reprot", "report"), ("list", "scene --list"),
                            ("arch", "run arch")):
            self.check((word, "arch"), f"unknown command '{word}': did you mean {meant}?")
        self.check(("zzzzzz",), "unknown command 'zzzzzz': there are run, scene, info")
        self.check(("help", "simulate"), "unknown command 'simulate': did you mean run?")

    def test_an_unknown_option_is_named_with_the_one_that_was_meant(self):
        self.check(("run", "arch", "--durration", "1"), "cardhouse: run: unknown option '--durration': did you mean --duration?")
        self.check(("run", "arch", "--durration=1"), "unknown option '--durration': did you mean --duration?")
        self.check(("info", "arch", "--jsn"), "unknown option '--jsn': did you mean --json?")
        self.check(("run", "arch", "--wings"), "unknown option '--wings'", "'cardhouse run --help'")
        self.check(("--vrsion",), "cardhouse: unknown option '--vrsion': did you mean --version?")
        self.check(("run", "arch", "--stp", "1"), "cardhouse: run: unknown option '--stp': did you mean --step?")

    def test_files_that_are_no_scenes_are_told_what_they_are(self):
        self.write("robot.urdf", '<?xml version="1.0"?>\n<robot name="r"/>')
        self.check(("run", "robot.urdf"), "robot.urdf: is XML", "URDF", "not supported")
        self.write("empty.json", "\n")
        self.check(("run", "empty.json"), "empty.json: is empty", "cardhouse scene NAME > FILE")
        self.run_scene("box_stack", "count=1", "--duration", "0.01")
        self.check(("run", "result/recording.h5"), "is a recording, not a scene", "cardhouse view result/recording.h5",
                   "cardhouse info", "run --from result/recording.h5@STEP")
        self.check(("run", "result/recording.h5@5"), "is a step of a recording, not a scene",
                   "'cardhouse run --from result/recording.h5@5' goes on from it")
        self.write("empty.h5", "")
        self.check(("run", "empty.h5"), "empty.h5: is empty")
        self.write("strange.h5", "x")
        self.check(("run", "strange.h5"), "strange.h5: not an HDF5 file", "no scene either")

    def test_a_fall_is_not_waited_for_in_a_scene_that_has_no_rule_of_it(self):
        self.check(("run", "particle_drop", "--until", "fallen"), "--until fallen", "stands")
        self.check(("run", "particle_drop", "--until", "doomsday"), "--until", "fallen")

    def test_the_two_names_of_one_limit_are_not_given_together(self):
        self.check(("run", "box_stack", "--max-seconds", "5", "--max-step-seconds", "5"), "former name", "leave it out")

    def test_an_absurd_number_of_steps_is_refused(self):
        self.check(("run", "box_stack", "--duration", "1e300"), "steps")

    def test_an_unknown_solver_is_refused_with_the_known_ones(self):
        self.check(("run", "box_stack", "--solver", "magic"), "magic", "staggered-projections")

    def test_arguments_that_make_no_sense_are_refused(self):
        for words, part in (
            ((), "give a command"),
            (("fly",), "fly"),
            (("run",), "scene"),
            (("run", "box_stack", "--wings"), "--wings"),
            (("run", "box_stack", "--step"), "--step"),
            (("scene",), "--list"),
            (("scene", "--list", "arch"), "--list"),
            (("info",), "FILE"),
        ):
            with self.subTest(words=words):
                self.check(words, part)

    def test_a_scene_that_is_neither_file_nor_name_is_refused_with_near_names(self):
        for command in ("run", "info"):
            self.check((command, "card_hous"), "card_hous", "no such file", "no scene of that name", "card_house", "--list")
            self.check((command, "missing/scene.json"), "missing/scene.json", "no such file")

    def test_a_word_that_is_like_no_scene_gets_no_odd_hint(self):
        for word in ("teapot", "marsh", "ca"):
            with self.subTest(word=word):
                code, _, errors = self.call("run", word)
                self.assertEqual(code, 2)
                self.assertNotIn("did you mean", errors)

    def test_bad_parameters_are_refused(self):
        for word, part in (
            ("levels=0", "levels"),
            ("levels=many", "levels"),
            ("levels=nan", "levels"),
            ("storeys=4", "storeys"),
            ("levels", "name=value"),
            ("=4", "name=value"),
        ):
            with self.subTest(word=word):
                self.check(("run", "card_house", word), part)
                self.check(("scene", "card_house", word), part)

    def test_a_parameter_that_comes_twice_is_refused(self):
        self.check(("run", "card_house", "levels=3", "levels=4"), "levels=4")

    def test_parameters_for_a_file_are_refused(self):
        self.write("house.json", json.dumps(self.scene("card_house", "levels=1")))
        self.check(("run", "house.json", "levels=3"), "levels=3", "house.json")

    def test_a_folder_is_no_scene(self):
        (self.folder / "folder").mkdir()
        self.check(("run", "./folder"), "folder")

    def test_text_that_is_no_scene_is_refused(self):
        for text in ("", "{", "[]", "null", "\x00\x01", '{"bodies": 3}', "NaN"):
            with self.subTest(text=text):
                self.write("bad.json", text)
                self.check(("run", "bad.json"), "bad.json")

    def test_a_body_without_mass_is_refused_with_its_place(self):
        for mass in (0, -1):
            self.check_scene(lambda scene, body, mass=mass: body.update(mass=mass), "mass", str(mass), "> 0")

    def test_a_number_that_is_none_is_refused(self):
        self.check_scene(lambda scene, body: body.update(position=[0, float("nan"), 1]), "position[1] = NaN", "must be finite", "line 1")

    def test_an_unknown_solver_in_a_file_is_refused_with_its_place(self):
        self.check_scene(lambda scene, body: scene["settings"].update(solver="magic"),
                         'settings.solver = "magic"', "staggered-projections")

    def test_an_impossible_inertia_is_refused(self):
        self.check_scene(lambda scene, body: body.update(inertia=[1, 1, 5]), "inertia", "sum of the other two")

    def test_a_planar_body_outside_the_plane_is_refused(self):
        scene = self.scene("cannonball", "base=2")
        next(body for body in scene["bodies"] if body.get("kind") == "planar")["position"] = [0, 0.5, 0]
        self.write("bad.json", json.dumps(scene))
        self.check(("run", "bad.json"), "bad.json", "position[1] = 0.5 m", "must be 0")

    def test_a_planar_and_a_spatial_body_that_meet_at_the_start_are_refused(self):
        self.write("bad.json", json.dumps(planar_meets_spatial(distance=0.1)))
        self.check(("run", "bad.json"), "disk", "ball")

    def test_an_unknown_shape_is_refused(self):
        self.check_scene(lambda scene, body: body["shapes"][0].update(type="teapot"), "teapot")

    def test_a_degenerate_hull_is_refused(self):
        flat = {"type": "polytope", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}
        self.check_scene(lambda scene, body: body.update(shapes=[flat]), "shapes[0]")

    def test_an_unknown_key_is_refused(self):
        self.check_scene(lambda scene, body: body.update(colour="red"), "colour")

    def test_a_place_that_cannot_be_written_is_refused_before_the_run(self):
        self.write("file", "")
        (self.folder / "blocked" / "summary.json").mkdir(parents=True)
        for words, part in (
            (("--out", "file"), "file"),
            (("--out", "file/below"), "file"),
            (("--out", "/proc/nowhere/results"), "/proc/nowhere"),
            (("--out", "/dev/null/results"), "/dev/null"),
            (("--out", "blocked"), "blocked/summary.json is a folder"),
            (("--summary", "missing/s.json"), "missing"),
            (("--record", "missing/r.h5"), "missing"),
            (("--summary", "."), "folder"),
        ):
            with self.subTest(words=words):
                self.check(("run", "box_stack", "--duration", "0.01", *words), part)

    def test_outputs_that_would_replace_the_scene_or_each_other_are_refused(self):
        _, text, _ = self.call("scene", "box_stack", "count=1")
        for words, part in (
            (("--record", "scene.json"), "overwrite"),
            (("--summary", "scene.json"), "overwrite"),
            (("--record", "same", "--summary", "same"), "one file"),
        ):
            with self.subTest(words=words):
                self.write("scene.json", text)
                code, _, errors = self.call("run", "scene.json", "--duration", "0.01", *words)
                self.assertEqual(code, 2)
                self.assertIn(part, errors)
                self.assertEqual((self.folder / "scene.json").read_text(), text)

    def test_a_file_that_is_missing_or_strange_has_no_info(self):
        self.write("strange.h5", "not a recording")
        self.check(("info", "strange.h5"), "strange.h5")
        self.check(("info", "missing.h5"), "missing.h5")


if __name__ == "__main__":
    unittest.main()
