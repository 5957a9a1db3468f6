"""What the program tells about itself, its scenes and its files."""

import json
import pathlib
import re
import unittest

from program import ProgramTest

SCENES = """particle_drop incline sliding_block box_stack card_house arch log_house painleve_rod cannonball sphere_pile
            box_pile jam card_house_hit arch_hit tilting_plane pendulum chain chain_body parallelogram grasp brazil_nut
            newtons_cradle rolling_ball spinning_top turntable ceiling_block ellipse_drop rock_pile
            kapla_tower coin""".split()


class Help(ProgramTest):
    def test_help_explains_every_command_with_examples(self):
        for words in ((), ("run",), ("scene",), ("info",)):
            code, output, errors = self.call(*words, "--help")
            self.assertEqual((code, errors), (0, ""))
            self.assertIn("Examples:", output)

    def test_help_of_run_names_every_option(self):
        output = self.call("run", "--help")[1]
        for option in "duration step solver tolerance threads fps out summary record from strict diagnose quiet".split():
            self.assertIn(f"--{option}", output)
        for code in ("0 done", "1 the system failed", "2 bad input", "3 not certified", "4 diverged", "130 interrupted"):
            self.assertIn(code, output)

    def test_commands_that_solve_take_a_limit_of_memory(self):
        for command in ("run", "solve", "compare", "view", "reproduce"):
            self.assertIn("--max-memory", self.call(command, "--help")[1], command)

    def test_help_of_run_has_groups_and_one_solver_per_line_with_its_words(self):
        lines = self.call("run", "--help")[1].splitlines()
        for group in ("Time:", "Contact and solver:", "The run:", "Output:"):
            self.assertIn(group, lines)
        self.assertNotIn("Excludes", "".join(lines))
        for solver in """auto newton interior-point staggered-projections admm gauss-seidel successive-relaxation
                         convex-relaxation lemke sqp projected-gauss-seidel regularised-gauss-seidel""".split():
            self.assertEqual(len([line for line in lines if re.match(rf" +{solver}  +\w.*", line)]), 1, solver)

    def test_the_command_help_is_the_option_help(self):
        self.assertEqual(self.call("help"), self.call("--help"))
        for command in "run scene info solve compare diagnose reproduce view report render".split():
            code, output, errors = self.call("help", command)
            self.assertEqual((code, errors), (0, ""))
            self.assertEqual(output, self.call(command, "--help")[1])

    def test_the_version_is_told(self):
        for word in ("--version", "-v"):
            code, output, _ = self.call(word)
            self.assertEqual(code, 0)
            self.assertRegex(output, r"^cardhouse \d+\.\d+\.\d+\n$")


class SceneCommand(ProgramTest):
    def test_the_list_shows_every_scene_with_its_parameters(self):
        code, output, _ = self.call("scene", "--list")
        self.assertEqual(code, 0)
        self.assertCountEqual([line for line in output.splitlines() if line[:1].islower()], SCENES)
        self.assertRegex(output, r"levels +=")

    def test_the_documentation_lists_every_scene_with_all_its_parameters(self):
        listed = {}
        for line in self.call("scene", "--list")[1].splitlines():
            if re.match(r"\w+$", line):
                parameters = listed[line] = []
            elif match := re.match(r"    (\w+) +=", line):
                parameters.append(match[1])
        text = (pathlib.Path(__file__).resolve().parents[2] / "docs/scenes.md").read_text()
        rows = re.findall(r"^\| `(\w+)` \| ([^|]*) \|", text[text.index("## The library"):], re.MULTILINE)
        documented = {name: [word.strip() for word in parameters.split(",")] for name, parameters in rows}
        self.assertEqual(documented, listed)

    def test_every_scene_can_be_printed_and_read_back(self):
        for name in SCENES:
            with self.subTest(name=name):
                code, output, errors = self.call("scene", name)
                self.assertEqual(code, 0, errors)
                self.write("scene.json", output)
                code, info, errors = self.call("info", "scene.json", "--json")
                self.assertEqual(code, 0, errors)
                self.assertEqual(json.loads(info)["name"], name)


class Info(ProgramTest):
    def test_info_of_a_scene_counts_what_it_holds(self):
        info = json.loads(self.call("info", "box_stack", "count=4", "--json")[1])
        self.assertEqual(info["kind"], "scene")
        self.assertEqual((info["bodies"]["dynamic"], info["dofs"]), (4, 24))
        self.assertEqual(info["shapes"]["box"], 5, "four cubes and the ground")
        self.assertGreater(info["mass"], 0)
        self.assertIn("stays within", info["stands"])

    def test_info_tells_kinds_nodes_links_and_joints(self):
        info = json.loads(self.call("info", "chain_body", "count=7", "--json")[1])
        self.assertEqual((info["kinds"], info["nodes"], info["links"]), ({"network": 1, "spatial": 1}, 7, 6))
        output = self.call("info", "chain_body", "count=7")[1]
        for part in ("1 network, 1 spatial", "7, 6 links"):
            self.assertIn(part, output)
        info = json.loads(self.call("info", "pendulum", "--json")[1])
        self.assertEqual((sum(info["joints"].values()), info["nodes"]), (1, 0))
        self.assertIn("joints", self.call("info", "pendulum")[1])

    def test_info_of_a_recording_tells_steps_frames_and_checkpoints(self):
        self.run_scene("box_stack", "count=2", "--duration", 0.1)
        info = json.loads(self.call("info", "result/recording.h5", "--json")[1])
        self.assertEqual((info["kind"], info["steps"], info["first_step"]), ("recording", 100, 0))
        self.assertEqual(info["checkpoint_steps"], [0, 100])
        self.assertEqual(info["scene"]["name"], "box_stack")
        self.assertLessEqual(info["max_residual"], 1e-8)

    def test_info_for_people_names_the_same_things(self):
        self.run_scene("box_stack", "count=2", "--duration", 0.1)
        code, output, _ = self.call("info", "result/recording.h5")
        self.assertEqual(code, 0)
        for part in ("steps", "frames", "checkpoints", "residual", "bodies", "2 dynamic", "mass", "materials", "mu"):
            self.assertIn(part, output)


if __name__ == "__main__":
    unittest.main()
