"""What Gymnasium and those who build on it ask of an environment: checks, registry, spaces, copies, processes."""

from __future__ import annotations

import copy
import inspect
import multiprocessing
import pickle
import random
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.env_match import check_environments_match
from seats import MINI, Lowest, hand, lowest, same

from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.observe import NUM_PLANES
from paohuzi_env.core.tiles import KINDS
from paohuzi_env.errors import GameOverError
from paohuzi_env.registration import SINGLE_SEAT
from paohuzi_env.single import SingleSeatEnv, SingleSeatVectorEnv

KEYS = {"action_mask", "seat", "hand", "missed_hands", "missed_score", "illegal"}


@pytest.mark.parametrize(
    "options",
    [
        {"illegal_action": "substitute"},
        {"illegal_action": "forfeit"},
        {"illegal_action": "substitute", "flat": True, "observation_dtype": "float32", "seat": "rotate"},
        {"illegal_action": "substitute", "opponents": lowest, "rules": "yongzhou", "seat": 1, "reward": "win"},
        {"illegal_action": "forfeit", "opponents": Lowest(), "rules": {"players": 2}, "reward": "signed_log"},
        {"illegal_action": "substitute", "opponents": ["uniform", lowest], "rules": MINI, "reward": "scaled"},
    ],
)
def test_check_env_passes_without_a_warning(options: dict[str, Any]) -> None:
    check_env(gymnasium.make(SINGLE_SEAT, **options).unwrapped)


def test_make_gives_the_environment_and_its_spec_makes_it_again() -> None:
    env = gymnasium.make(SINGLE_SEAT, seat=2, flat=True)
    assert isinstance(env.unwrapped, SingleSeatEnv)
    assert env.spec is not None
    check_environments_match(env, env.spec.make(), num_steps=0)
    assert same(hand(env, 3), hand(env.spec.make(), 3))


@pytest.mark.parametrize(
    "program",
    [
        "import gymnasium, paohuzi_env",
        "import gymnasium, paohuzi_env.single",
        "import paohuzi_env.single, gymnasium",
        "import paohuzi_env, gymnasium, paohuzi_env.single",
        "import gymnasium; gymnasium.make('paohuzi_env.single:paohuzi/SingleSeat-v0')",
        "import paohuzi_env, gymnasium; gymnasium.make('paohuzi_env.single:paohuzi/SingleSeat-v0')",
        "import paohuzi_env, gymnasium; paohuzi_env.SingleSeatEnv",
        "import gymnasium; gymnasium.make('paohuzi_env:paohuzi/SingleSeat-v0')",
    ],
)
def test_the_name_is_registered_once_whatever_is_imported_first(program: str) -> None:
    program += "; assert 'paohuzi/SingleSeat-v0' in gymnasium.registry"
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Overriding" not in done.stderr


def test_importing_the_package_imports_neither_gymnasium_nor_numba() -> None:
    program = "import sys, paohuzi_env; print(*{'gymnasium', 'numba'} & set(sys.modules), 'none')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["none"]
    program = "import sys, gymnasium, paohuzi_env; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_spaces(flat: bool, dtype: Any) -> None:
    env = SingleSeatEnv(flat=flat, observation_dtype=dtype)
    shape = (NUM_PLANES * KINDS,) if flat else (NUM_PLANES, KINDS)
    assert env.observation_space == spaces.Box(0, 127, shape, np.dtype(dtype).type)
    assert env.action_space == spaces.Discrete(NUM_ACTIONS)
    plain = SingleSeatEnv()
    for a, b in zip(hand(env, 5), hand(plain, 5), strict=True):
        assert a[0] in env.observation_space
        assert np.array_equal(a[0], b[0].reshape(shape))


def test_the_forms_of_what_reset_and_step_give() -> None:
    """What Stable-Baselines3's own check asks for, too."""
    env = SingleSeatEnv()
    seen = hand(env, 1)
    for obs, info in [seen[0], *[(step[0], step[4]) for step in seen[1:]]]:
        assert type(obs) is np.ndarray
        assert obs in env.observation_space
        assert set(info) == KEYS
        assert info["action_mask"].dtype == np.int8
        assert info["action_mask"].shape == (NUM_ACTIONS,)
        assert all(type(info[key]) is int for key in ("seat", "hand", "missed_hands", "missed_score"))
        assert type(info["illegal"]) is bool
    for _, reward, over, cut, _ in seen[1:]:
        assert type(reward) is float
        assert type(over) is bool
        assert cut is False
    assert not seen[-1][4]["action_mask"].any(), "the mask of a hand that is over"
    env.action_space.sample(mask=seen[0][1]["action_mask"])
    assert set(inspect.signature(env.reset).parameters) == {"seed", "options"}
    assert not hasattr(env, "seed")


def test_what_was_given_is_not_written_again() -> None:
    env = SingleSeatEnv()
    seen = hand(env, 1)
    saved = copy.deepcopy(seen)
    hand(env, 2)
    assert same(seen, saved)
    masks = env.action_masks()
    masks[:] = True
    obs, info = env.reset(seed=1)
    obs[:] = 9
    info["action_mask"][:] = 9
    assert same(hand(env, 1), saved)


def test_seeds() -> None:
    a, b = SingleSeatEnv(), SingleSeatEnv()
    first = [hand(a, 3), hand(a), hand(a)]
    assert same(first, [hand(b, 3), hand(b), hand(b)])
    assert same(first[0], hand(a, 3)), "a seeded reset begins anew"
    assert same(first[1], hand(a))
    assert not same(first[0], first[1])
    assert not same(hand(a, 4), first[0])
    assert [seen[0][1]["hand"] for seen in first] == [0, 1, 2]
    fresh = [hand(SingleSeatEnv()) for _ in range(2)]
    assert not same(fresh[0], fresh[1]), "without a seed each environment draws its own"
    with pytest.raises(gymnasium.error.Error):
        a.reset(seed=-1)


def test_no_state_of_an_earlier_hand_is_left() -> None:
    env = SingleSeatEnv(illegal_action="forfeit")
    env.reset(seed=1)
    illegal = int((~env.action_masks()).argmax())
    assert env.step(illegal)[2]
    assert same(hand(env, 2), hand(SingleSeatEnv(illegal_action="forfeit"), 2))


def test_global_random_state_is_neither_read_nor_changed() -> None:
    states = []
    results = []
    for seed in (1, 2):
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002  # the global state is what this is about
        states.append(random.getstate())
        results.append(hand(SingleSeatEnv(), 7))
        assert random.getstate() == states[-1]
        after = np.random.random()  # noqa: NPY002
        np.random.seed(seed)  # noqa: NPY002
        assert np.random.random() == after  # noqa: NPY002
    assert same(*results)


@pytest.mark.parametrize("opponents", ["uniform", lowest, [Lowest(), "uniform"]], ids=["uniform", "function", "mixed"])
@pytest.mark.parametrize("make", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_in_the_middle_of_a_hand_go_on_as_the_original(make: Any, opponents: Any) -> None:
    env = SingleSeatEnv(opponents=opponents)
    obs, info = env.reset(seed=11)
    for _ in range(2):
        obs, _, _, _, info = env.step(lowest(obs, info["action_mask"]))
    twin = make(env)
    rest = []
    for one in (twin, env):
        o, i, over, steps = obs, info, False, []
        while not over:
            o, reward, over, cut, i = one.step(lowest(o, i["action_mask"]))
            steps.append((o, reward, over, cut, i))
        rest.append([steps, hand(one), hand(one)])
    assert same(*rest)
    assert twin.spec == env.spec


def _worker(pipe: Any, env: Any) -> None:
    """A sub-process of a vectorized environment, as Stable-Baselines3 makes them."""
    env.reset(seed=5)
    while True:
        name, arguments = pipe.recv()
        if name == "stop":
            break
        attribute = getattr(env, name)
        pipe.send(attribute(*arguments) if callable(attribute) else attribute)


def test_an_environment_works_in_a_spawned_process_masks_and_all() -> None:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    env = SingleSeatEnv(opponents=lowest)
    process = context.Process(target=_worker, args=(there, env), daemon=True)
    process.start()
    env.reset(seed=5)
    try:
        for name in ("observation_space", "action_space", "metadata", "render_mode", "rules"):
            here.send((name, ()))
            assert here.recv() == getattr(env, name)
        over = False
        while not over:
            here.send(("action_masks", ()))
            mask = here.recv()
            assert np.array_equal(mask, env.action_masks())
            here.send(("step", (int(mask.argmax()),)))
            result = env.step(int(mask.argmax()))
            assert same(here.recv(), result)
            over = result[2]
    finally:
        here.send(("stop", ()))
        process.join(30)


def test_masks_are_found_through_wrappers() -> None:
    env = gymnasium.make(SINGLE_SEAT)
    env.reset(seed=0)
    masks = env.get_wrapper_attr("action_masks")()
    assert masks.dtype == np.bool_
    assert masks.any()


def test_rendering_shows_the_learners_view() -> None:
    env = gymnasium.make(SINGLE_SEAT, render_mode="ansi", seat=1)
    env.reset(seed=4)
    text = env.render()
    assert isinstance(text, str)
    assert "referee" not in text
    image = SingleSeatEnv(render_mode="rgb_array")
    image.reset(seed=4)
    assert image.render().dtype == np.uint8
    with pytest.raises(ValueError, match="render_mode = 'human'"):
        SingleSeatEnv(render_mode="human")
    with pytest.raises(GameOverError):
        SingleSeatEnv(render_mode="ansi").render()
    with pytest.warns(UserWarning, match="without a render_mode"):
        SingleSeatEnv().render()


@pytest.mark.parametrize("make", [SingleSeatEnv, SingleSeatVectorEnv])
@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"seat": 3}, ValueError, "seat = 3"),
        ({"seat": "east"}, ValueError, "seat = 'east'; allowed: random, rotate, 0 to 2"),
        ({"seat": 1.0}, TypeError, "seat = 1.0"),
        ({"seat": None}, TypeError, "seat = None"),
        ({"seat": 2, "rules": {"players": 2}}, ValueError, "seat = 2"),
        ({"dealer": -1}, ValueError, "dealer = -1"),
        ({"reward": "points"}, ValueError, "reward = 'points'; allowed: settlement"),
        ({"reward_scale": 0}, ValueError, "reward_scale = 0"),
        ({"illegal_action": "ignore"}, ValueError, "illegal_action = 'ignore'; allowed: raise, substitute, forfeit"),
        ({"flat": 1}, TypeError, "flat = 1"),
        ({"observation_dtype": "uint8"}, ValueError, "observation_dtype = 'uint8'"),
        ({"opponents": "greedy"}, ValueError, "opponent 'greedy'; allowed"),
        ({"opponents": 3}, ValueError, "opponent 3"),
        ({"opponents": Lowest}, ValueError, "opponent <class"),
        ({"opponents": []}, ValueError, "0 opponents; allowed: one for all other seats, or 2"),
        ({"opponents": ["uniform"] * 3}, ValueError, "3 opponents"),
        ({"opponents": [lowest, None]}, ValueError, "opponent None"),
        ({"colour": "red"}, TypeError, "colour"),
    ],
)
def test_wrong_options(make: Any, options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make(**options)
