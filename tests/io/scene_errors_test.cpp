#include <gtest/gtest.h>

#include "cardhouse/base/error.h"
#include "cardhouse/io/scene_file.h"

namespace cardhouse {
namespace {

std::string scene_message_of(const std::string& text) {
  try {
    parse_scene(text, "s.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string with_body(const std::string& members) {
  return R"({ "bodies": [ { )" + members + " } ] }";
}

std::string with_shape(const std::string& members) {
  return with_body(R"("mass": 1, "inertia": [1, 1, 1], "shapes": [ { )" + members + " } ]");
}

struct BadScene {
  std::string text;
  std::string expected;  ///< part of the message
};

class BadScenes : public ::testing::TestWithParam<BadScene> {};

TEST_P(BadScenes, AreRefusedWithFilePathValueAndRange) {
  const std::string message = scene_message_of(GetParam().text);
  EXPECT_EQ(message.substr(0, 7), "s.json:") << message;
  EXPECT_NE(message.find(GetParam().expected), std::string::npos)
      << "message:  " << message << "\nexpected: " << GetParam().expected;
}

INSTANTIATE_TEST_SUITE_P(
    Syntax, BadScenes,
    ::testing::Values(BadScene{"", "s.json: is empty: a scene is JSON"}, BadScene{" \n", "s.json: is empty"},
                      BadScene{"<robot name=\"r\"/>", "URDF, SDF and MJCF files are not supported"},
                      BadScene{"{\n \"bodies\": [,]\n}", "line 2, column 13"},
                      BadScene{"{ \"bodies\": [] } x", "not valid JSON"},
                      BadScene{"[]", "scene = []: must be an object"},
                      BadScene{"{\n  \"duration\": NaN }",
                               "duration = NaN: must be finite and below 1.8e308 in size, at line 2, column 15"},
                      BadScene{"{ \"duration\": nan }",
                               "duration = nan: must be finite and below 1.8e308 in size, at line 1, column 15"},
                      BadScene{"{ \"duration\": -Infinity }", "duration = -Infinity: must be finite"},
                      BadScene{"{ \"duration\": [inf] }", "duration[0] = inf: must be finite"},
                      BadScene{"{ \"duration\": none }", "not valid JSON"},
                      BadScene{"{\n\"bodies\": [],\n  \"duration\": 1e999 }",
                               "duration = 1e999: must be finite and below 1.8e308 in size, at line 3, column 15"},
                      BadScene{"{ \"bodies\": [], \"bodies\": [] }",
                               "bodies: this key occurs twice in one object, the second time at line 1, column 17"},
                      BadScene{R"({ "bodies": [ {}, { "mass": 1, "axes": ["x"], "mass": 2 } ] })",
                               "bodies[1].mass: this key occurs twice in one object"},
                      // Not where the same figures stand in a comment or in a text.
                      BadScene{"// not 1e999\n{ \"name\": \"1e999\",\n  \"duration\": 1e999 }",
                               "duration = 1e999: must be finite and below 1.8e308 in size, at line 3, column 15"},
                      BadScene{"1e999", "scene = 1e999: must be finite and below 1.8e308 in size, at line 1, column 1"},
                      BadScene{"{ \"bodies\": [],\n  \"a \\\" \\\\\": 1, /* \\ */\"a \\\" \\\\\": 1 }",
                               "this key occurs twice in one object, the second time at line 2, column 24"},
                      // Between two values there is no key to name.
                      BadScene{R"({ "name": "x",, "bodies": [] })", "s.json: not valid JSON"},
                      BadScene{R"({ "bodies": [,] })", "not valid JSON"}, BadScene{"{,}", "not valid JSON"},
                      BadScene{R"({ "bodies": [ { "mass": 1 "name": "x" } ] })", "s.json: bodies[0]: not valid JSON"},
                      BadScene{R"({ "bodies": [ { "mass": 1 } } ] })", "s.json: bodies[1]: not valid JSON"},
                      BadScene{R"({ "gravity": [0, 0, 0], "bodies": [ [], { "inertia": [1, {}, NaN] } ] })",
                               "bodies[1].inertia[2] = NaN: must be finite"},
                      BadScene{R"({ "bodies": [ { "mass": 1, "name": oops } ] })", "bodies[0].name: not valid JSON"},
                      BadScene{"{ \"bodies\": [], \"name\": \"\xff\" }", "not valid JSON"}));

std::string with_joint(const std::string& members) {
  return R"({ "bodies": [ { "name": "a", "mass": 1, "inertia": [1, 1, 1] } ], "joints": [ { )" + members + " } ] }";
}

std::string with_hinge(const std::string& members) {
  return with_joint(R"("type": "hinge", "first": "a", "second": "world", "anchor": [0, 0, 0], "axis": [0, 0, 1], )" +
                    members);
}

INSTANTIATE_TEST_SUITE_P(
    Joints, BadScenes,
    ::testing::Values(
        BadScene{with_joint(R"("type": "henge")"), "joints[0].type = \"henge\""},
        BadScene{with_joint(R"("type": "henge")"), "did you mean \"hinge\"?"},
        BadScene{with_joint(R"("type": "ball", "first": "a", "second": "wrold")"),
                 "joints[0].second = \"wrold\": no such body; did you mean \"world\"?"},
        BadScene{with_hinge(R"("limits": { "upper": 1e300 })"), "joints[0].limits.upper = 1e+300 m or rad: must be at"},
        BadScene{with_hinge(R"("compliance": 1e300)"), "joints[0].compliance = 1e+300 m/N: must be at most 1e+30 m/N"},
        BadScene{with_joint(R"("type": "ball", "first": "b")"), "joints[0].first = \"b\": no such body"},
        BadScene{with_joint(R"("type": "ball", "first": "a", "second": "world")"), "joints[0].anchor: missing"},
        BadScene{with_joint(R"("type": "slider", "first": "a", "second": "world", "anchor": [0, 0, 0])"),
                 "joints[0].axis: missing"},
        BadScene{
            with_joint(R"("type": "ball", "first": "a", "second": "world", "anchor": [0, 0, 0], "axis": [0, 0, 1])"),
            "joints[0].axis = [0,0,1]: this type of joint has no axis"},
        BadScene{with_joint(R"("type": "universal", "first": "a", "second": "world", "anchor": [0, 0, 0],
                               "axis": [0, 0, 1], "second_axis": [0, 0, 1])"),
                 "second_axis = [0,0,1]: must be perpendicular"},
        BadScene{with_hinge(R"("frame_first": {})"), "can't be given beside"},
        BadScene{with_hinge(R"("length": 1)"), "joints[0].length = 1 m: is for distance joints"},
        BadScene{with_hinge(R"("limits": { "lower": 1, "upper": 0 })"), "joints[0].limits"},
        BadScene{with_hinge(R"("motor": {})"), "joints[0].motor: needs either \"velocity\" or \"position\""},
        BadScene{with_hinge(R"("motor": { "velocity": 1, "damping": 1 })"), "joints[0].motor.damping = 1"},
        BadScene{with_hinge(R"("motor": { "velocity": 1, "max_force": -1 })"), "joints[0].motor.max_force = -1"},
        BadScene{with_hinge(R"("collide": 1)"), "joints[0].collide = 1: must be true or false"},
        BadScene{with_hinge(R"("friction": -1)"), "joints[0].friction = -1"},
        BadScene{with_hinge(R"("second_drive": { "friction": 1 })"), "joints[0].second_drive"},
        BadScene{R"({ "bodies": [], "settings": { "gamma": 0 } })", "settings.gamma = 0: must be in (0, 1]"},
        BadScene{R"({ "bodies": [], "settings": { "gamma": 1.5 } })", "settings.gamma = 1.5: must be in (0, 1]"},
        BadScene{R"({ "bodies": [], "settings": { "stabilisation": "some" } })", "settings.stabilisation"}));

INSTANTIATE_TEST_SUITE_P(
    Top, BadScenes,
    ::testing::Values(
        BadScene{"{}", "bodies: missing, must be given"},
        BadScene{R"({ "bodies": {} })", "bodies = {}: must be an array"},
        BadScene{R"({ "bodies": [], "gravitiy": [0,0,0] })", "gravitiy: unknown key; did you mean \"gravity\"?"},
        BadScene{R"({ "bodies": [], "zzzzzzzzzzz": 1 })", "known keys: $schema, format_version"},
        BadScene{R"({ "bodies": [], "colours": 1 })", "colours: unknown key; known keys: $schema"},
        BadScene{R"({ "bodies": [], "mu": 1 })", "mu: unknown key; known keys: $schema"},
        BadScene{R"({ "bodies": [], "gravity": [0, 0] })", "gravity = [0,0]: must be an array of 3 numbers"},
        BadScene{R"({ "bodies": [], "gravity": [0, "a", 0] })", "gravity[1] = \"a\": must be a number, in m/s²"},
        BadScene{R"({ "bodies": [], "duration": -1 })", "duration = -1 s: must be >= 0"},
        BadScene{R"({ "bodies": [], "name": 3 })", "name = 3: must be a text"},
        BadScene{R"({ "bodies": [], "format_version": 2 })", "format_version = 2: this program reads version 1"},
        BadScene{R"({ "bodies": [], "parameters": { "mu": 1 } })", "parameters.mu = 1: must be a text"},
        BadScene{R"({ "bodies": [], "settings": { "step": 0 } })", "settings.step = 0 s: must be > 0"},
        BadScene{R"({ "bodies": [], "settings": { "step": 1e-320 } })",
                 "settings.step = 1e-320 s: must be at least 1e-12 and at most 1e+06 s"},
        BadScene{R"({ "bodies": [], "settings": { "step": 1e7 } })",
                 "settings.step = 10000000.0 s: must be at least 1e-12 and at most 1e+06 s"},
        BadScene{R"({ "bodies": [], "gravity": [0, 0, -1e308] })",
                 "gravity[2] = -1e+308 m/s²: must be at most 1e+13 m/s² in size (above a neutron star's gravity)"},
        BadScene{R"({ "bodies": [], "settings": { "scheme": "x" } })",
                 "must be one of leapfrog, stewart_trinkle, moreau_jean, energy_momentum"},
        BadScene{R"({ "bodies": [], "settings": { "solver": "magic" } })",
                 "s.json: settings.solver = \"magic\": must be one of: auto, newton"},
        BadScene{R"({ "bodies": [], "settings": { "solver": "nwton" } })",
                 "s.json: settings.solver = \"nwton\": did you mean \"newton\"?"},
        BadScene{R"({ "bodies": [], "settings": { "solver": "admm:magic=1" } })",
                 "s.json: settings.solver = \"admm:magic=1\": has no option magic; it has none"},
        BadScene{R"({ "bodies": [], "settings": { "solver": "newton:function=x" } })",
                 "s.json: settings.solver = \"newton:function=x\": function = \"x\": must be one of: alart-curnier"},
        BadScene{R"({ "bodies": [], "settings": { "solver": "newton:fast" } })",
                 "s.json: settings.solver = \"newton:fast\": after the name come options"},
        BadScene{R"({ "bodies": [], "settings": { "tolerance": 2 } })", "settings.tolerance = 2: must be > 0 and < 1"},
        BadScene{R"({ "bodies": [], "settings": { "max_iterations": 1.5 } })",
                 "must be a whole number from 1 to 2147483647"},
        BadScene{R"({ "bodies": [], "settings": { "threads": 2 } })", "settings.threads: unknown key"},
        BadScene{R"({ "bodies": [], "settings": { "contact": "firm" } })", "must be one of hard, soft"},
        BadScene{R"({ "bodies": [], "settings": { "restitution": "rubber" } })",
                 "must be one of newton, lagged, poisson, impact"},
        BadScene{R"({ "bodies": [], "settings": { "initial_overlaps": "leave" } })",
                 "must be one of keep, separate, push"},
        BadScene{R"({ "bodies": [], "settings": { "adaptive": "yes" } })", "must be one of none, collision, error"},
        BadScene{R"({ "bodies": [], "settings": { "least_step": 0.01 } })", "must be at most the step, 0.001 s"},
        BadScene{R"({ "bodies": [], "settings": { "error_tolerance": 0 } })", "must be > 0"},
        BadScene{R"({ "bodies": [], "settings": { "adaptive": "error", "contact": "soft", "soft": { "order": 2 } } })",
                 "cannot be used with soft contact of \"order\" 2"},
        BadScene{R"({ "bodies": [], "settings": { "contact": "soft", "scheme": "moreau_jean" } })",
                 "needs a scheme with gaps"},
        BadScene{R"({ "bodies": [], "settings": { "soft": { "order": 3 } } })", "must be 1 (BDF1) or 2 (BDF2)"},
        BadScene{R"({ "bodies": [], "settings": { "soft": { "normal_stiffness": -1 } } })", "must be >= 0"},
        BadScene{R"({ "bodies": [], "friction": { "sides": 5 } })", "friction.sides = 5: must be even"},
        BadScene{R"({ "bodies": [], "friction": { "sides": 2000000000 } })", "must be a whole number from 4 to 1024"},
        BadScene{R"({ "bodies": [], "$schema": 3 })", "$schema = 3: must be a text"},
        BadScene{R"({ "bodies": [], "friction": { "cone": "square" } })", "must be one of exact, polygon"},
        BadScene{R"({ "bodies": [], "stands": { "bodies": ["a"] } })", "stands.bodies[0] = \"a\": no such body"}));

INSTANTIATE_TEST_SUITE_P(
    Materials, BadScenes,
    ::testing::Values(
        BadScene{R"({ "bodies": [], "materials": [] })", "at least one material"},
        BadScene{R"({ "bodies": [], "materials": [ { "mu": 1 } ] })", "materials[0].name: missing"},
        BadScene{R"({ "bodies": [], "materials": [ { "name": "a", "mu": -0.1 } ] })",
                 "materials[0].mu = -0.1: must be >= 0"},
        BadScene{R"({ "bodies": [], "materials": [ { "name": "a", "restitution": 2 } ] })", "must be in [0, 1]"},
        BadScene{R"({ "bodies": [], "materials": [ { "name": "a", "mu": 0.5, "mu_static": 0.4 } ] })",
                 "materials[0].mu_static = 0.4: must be at least mu = 0.5"},
        BadScene{R"({ "bodies": [], "materials": [ { "name": "a", "mu": 0, "mu_static": 0.4 } ] })", "needs a mu > 0"},
        BadScene{R"({ "bodies": [], "materials": [ { "name": "a", "slip_velocity": 0 } ] })",
                 "materials[0].slip_velocity = 0 m/s: must be > 0"},
        BadScene{R"({ "bodies": [], "materials": [ { "name": "a", "mu_rolling": -1 } ] })",
                 "materials[0].mu_rolling = -1 m: must be >= 0"},
        BadScene{R"({ "bodies": [], "materials": [ { "name": "a", "adhesion": -2 } ] })",
                 "materials[0].adhesion = -2 N: must be >= 0"},
        BadScene{
            R"({ "bodies": [], "material_pairs": [ { "first": "default", "second": "default", "mu": 1, "mu_cross": 2 } ] })",
            "material_pairs[0].mu_cross = 2: needs an anisotropy of one of the two materials"},
        BadScene{R"({ "bodies": [], "materials": [ { "name": "a" }, { "name": "a" } ] })",
                 "two materials have this name"},
        BadScene{
            R"({ "bodies": [], "material_pairs": [ { "first": "defualt", "second": "default", "mu": 1 } ] })",
            "material_pairs[0].first = \"defualt\": no such material in \"materials\"; did you mean \"default\"?"}));

INSTANTIATE_TEST_SUITE_P(
    Bodies, BadScenes,
    ::testing::Values(
        BadScene{with_body(R"("mass": -1, "inertia": [1,1,1])"), "bodies[0].mass = -1 kg: must be > 0"},
        BadScene{with_body(R"("mass": 0, "inertia": [1,1,1])"), "bodies[0].mass = 0 kg: must be > 0"},
        BadScene{with_body(R"("mass": 1)"), "bodies[0]: has \"mass\" but no \"inertia\": give both, or \"density\""},
        BadScene{with_body(R"("mobility": "dynamc")"), "did you mean \"dynamic\"?"},
        BadScene{with_body(R"("inertia": [1,1,1])"), "bodies[0]: needs \"density\", or \"mass\" and \"inertia\""},
        BadScene{with_body(R"("mass": 1, "inertia": 1)"), "must be 3 numbers"},
        BadScene{with_body(R"("mass": 1, "inertia": [1,1])"), "must be 3 numbers"},
        BadScene{with_body(R"("mass": 1, "inertia": [1,1,-1])"), "bodies[0].inertia"},
        BadScene{with_body(R"("mass": 1, "inertia": [1,1,3])"),
                 "bodies[0].inertia = principal moments [1, 1, 3] kg m²: the largest must not exceed the sum"},
        BadScene{with_body(R"("kind": "planar", "mass": 1, "inertia": 1, "position": [0, 0.5, 1])"),
                 "bodies[0].position[1] = 0.5 m: must be 0: a planar body"},
        BadScene{with_body(R"("mass": 1, "density": 1)"), "can't be given beside \"density\""},
        BadScene{with_body(R"("density": 0, "shapes": [ { "type": "sphere", "radius": 1 } ])"), "kg/m³: must be > 0"},
        BadScene{with_body(R"("density": 1, "shapes": [ { "type": "half_space" } ])"), "bodies[0].density: half_space"},
        BadScene{with_body(R"("density": 1)"), "bodies[0].density = 1 kg/m³: needs \"shapes\""},
        BadScene{with_body(R"("kind": "flat")"), "bodies[0].kind = \"flat\": must be one of spatial, planar, particle"},
        BadScene{with_body(R"("mobility": "kinematic")"), "bodies[0].motion: missing"},
        BadScene{with_body(R"("mass": 1, "inertia": [1,1,1], "motion": { "type": "shaking" })"), "\"kinematic\""},
        BadScene{with_body(R"("mobility": "kinematic", "motion": { "type": "tilting", "axis": [0,2,0], "rate": 1 })"),
                 "bodies[0].motion.axis = [0,2,0]: its length is 2: must be 1"},
        BadScene{with_body(R"("mobility": "kinematic", "motion": { "type": "tilting", "amplitude": [0,0,0] })"),
                 "bodies[0].motion.amplitude: unknown key"},
        BadScene{with_body(R"("mass": 1, "inertia": [1,1,1], "orientation": [2,0,0,0])"), "its length is 2: must be 1"},
        BadScene{with_body(R"("mass": 1, "inertia": [1,1,1], "orientation": [1,0,0])"), "4 numbers [w, x, y, z]"},
        BadScene{with_body(R"("mass": 1, "inertia": [1,1,1], "angle": 1)"), "is for planar bodies"},
        BadScene{with_body(R"("mass": 1, "inertia": [1,1,1], "axes": ["x"])"), "is for particles only"},
        BadScene{with_body(R"("kind": "particle", "mass": 1, "axes": ["x", "x"])"),
                 "bodies[0].axes[1] = \"x\": named twice"},
        BadScene{with_body(R"("kind": "particle", "mass": 1, "axes": [])"), "at least one of x, y, z"},
        BadScene{with_body(R"("kind": "particle", "mass": 1, "inertia": [1,1,1])"), "a particle has no inertia"},
        BadScene{with_body(R"("kind": "particle", "mass": 1, "axes": ["x"], "linear_velocity": [0, 1, 0])"),
                 "bodies[0].linear_velocity[1] = 1 m/s: must be 0: the particle does not move along this axis"},
        BadScene{with_body(R"("kind": "particle", "mass": 1, "angular_velocity": [0, 0, 1])"),
                 "bodies[0].angular_velocity[2] = 1 rad/s: must be 0: a particle does not turn"},
        BadScene{with_body(R"("kind": "particle", "mass": 1e-320)"),
                 "bodies[0].mass = 1e-320 kg: must be at least 1e-30 and at most 1e+35 kg"},
        BadScene{with_body(R"("mass": 1, "inertia": [1,1,1], "linear_velocity": [0, 1e300, 0])"),
                 "bodies[0].linear_velocity[1] = 1e+300 m/s: must be at most 3e+08 m/s in size (that of light)"},
        BadScene{with_body(R"("mass": 1, "inertia": [1,1,1], "position": [1e300, 0, 0])"), "bodies[0].position[0]"},
        BadScene{with_body(R"("mass": 1, "inertia": [1e300,1e300,1e300])"), "bodies[0].inertia"},
        BadScene{with_body(R"("density": 1, "shapes": [ { "type": "sphere", "radius": 1e200 } ])"),
                 "bodies[0].shapes[0].radius = 1e+200 m: must be at least 1e-12 and at most 1e+13 m"},
        BadScene{with_body(R"("density": 1e20, "shapes": [ { "type": "sphere", "radius": 1e13 } ])"), "bodies[0].mass"},
        BadScene{
            with_body(R"("kind": "planar", "mass": 1, "inertia": 1, "angle": 1e300)"),
            "bodies[0].angle = 1e+300 rad: must be at most 1e+06 rad in size (a larger angle has lost its precision)"},
        BadScene{with_body(R"("name": "world", "mass": 1, "inertia": [1,1,1])"), "neither empty nor \"world\""},
        BadScene{R"({ "bodies": [ { "name": "a", "mobility": "fixed" }, { "name": "a", "mobility": "fixed" } ] })",
                 "bodies[1]: the name \"a\" belongs to another body"},
        BadScene{with_body(R"("mass": 1, "inertia": [1,1,1], "linear_damping": -1)"), "= -1 1/s: must be >= 0"},
        BadScene{R"({ "bodies": [ { "name": "a", "mobility": "fixed" } ],
                      "springs": [ { "first": "a", "second": "b", "stiffness": 1 } ] })",
                 "springs[0].second = \"b\": no such body"}));

INSTANTIATE_TEST_SUITE_P(
    Shapes, BadScenes,
    ::testing::Values(
        BadScene{with_shape(R"("type": "cube")"), "bodies[0].shapes[0].type = \"cube\": must be one of sphere, box"},
        BadScene{with_shape(R"("radius": 1)"), "bodies[0].shapes[0].type: missing"},
        BadScene{with_shape(R"("type": "sphere")"), "bodies[0].shapes[0].radius: missing"},
        BadScene{with_shape(R"("type": "sphere", "radius": 0)"), "shapes[0].radius = 0 m: must be > 0"},
        BadScene{with_shape(R"("type": "box", "half_extents": [1, 0, 1])"), "half_extents[1] = 0 m: must be > 0"},
        BadScene{with_shape(R"("type": "box", "half_extents": [1, 1, 9.1e307])"),
                 "bodies[0].shapes[0].half_extents[2] = 9.1e+307 m: must be at least 1e-12 and at most 1e+13 m"},
        BadScene{with_shape(R"("type": "polytope", "points": [[0,0,0],[1e308,0,0],[0,1,0],[0,0,1]])"),
                 "bodies[0].shapes[0].points[1][0] = 1e+308 m"},
        BadScene{with_shape(R"("type": "box", "radius": 1)"), "shapes[0].radius: unknown key"},
        BadScene{with_shape(R"("type": "sphere", "radius": 1, "material": "ice")"), "no such material"},
        BadScene{with_shape(R"("type": "polytope", "points": [[0,0,0],[1,0,0],[0,1,0]])"),
                 "bodies[0].shapes[0]: polytope"},
        BadScene{with_shape(R"("type": "polytope", "points": [[0,0,0],[1,0,0],[0,1,0],[1,1,0]])"), "flat"},
        BadScene{with_shape(R"("type": "half_space")"), "half_space"},
        BadScene{with_shape(R"("type": "disk", "radius": 1)"), "planar"},
        BadScene{with_body(R"("mobility": "fixed", "shapes": [ { "type": "polygon", "vertices": [[0,0],[1,0]] } ])"),
                 "bodies[0].shapes[0]: polygon"}));

TEST(SceneText, MayHaveTrailingCommasWhereItMayHaveComments) {
  const Scene scene = parse_scene(R"({
    "name": "a, ]", // , ]
    "gravity": [0, 0, -1, /* , */ ],
    "bodies": [ { "name": "a\\\",}", "mobility": "fixed", }, ],
  })",
                                  "s.json");
  EXPECT_EQ(scene.name, "a, ]");
  EXPECT_EQ(scene.model.gravity.z(), -1.0);
}

TEST(SceneText, KeepsThePlacesOfMistakesBehindATrailingComma) {
  EXPECT_NE(scene_message_of("{ \"gravity\": [0, 0, 1,],\n  \"duration\": NaN }").find("line 2, column 15"),
            std::string::npos);
}

TEST(SceneText, OfTodayHasNoNotes) {
  EXPECT_TRUE(parse_scene(R"({ "bodies": [ { "mobility": "fixed" } ] })", "s.json").notes.empty());
}

TEST(BadSceneFile, IsNamedWhenItIsMissingOrAFolder) {
  EXPECT_THROW(read_scene("/nonexistent/scene.json"), InputError);
  EXPECT_THROW(read_scene("/tmp"), InputError);
}

}  // namespace
}  // namespace cardhouse
