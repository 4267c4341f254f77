"""PPO self-play, top to bottom: play, judge, learn.

One network plays all seats. An iteration plays hands to their end (`train.rollout`), judges them with a critic that
sees every hand and the wall, and moves the policy by the clipped objective of PPO, with an entropy bonus and a pull
towards the policy's own running average, which is also what is evaluated and shipped. Decisions with a single legal
action are in none of it.

All that is drawn comes from (seed, iteration), so a learner is its weights, Adam's moments, the past selves and two
counters: `state` and `load_state`. Started under `torchrun`, each process plays its share of the streams and only
gradients and sums travel; the weights stay equal.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.inputs import NUM_INPUTS
from agents.network import Weights
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.errors import PaohuziError
from paohuzi_env.rules import rule_set
from paohuzi_env.search import Policy
from train.config import Config, ConfigError
from train.group import Group
from train.model import Lists, Net, Threads, autocast, own_device, pick_device, thread_count, to_device
from train.rollout import CRITIC_INPUTS, Streams, Tally

IMITATION: Final = 1 << 32
"""Iterations of imitation are numbered from here, so that their deals are others than self-play's."""
ADVANTAGES_WITHIN: Final = 5.0
JUDGED_AT_ONCE: Final = 2048
SLICES: Final = 2
"""Parts that the gradient of a step is summed from, side by side where there are threads; so these change no bit."""
NEVER: Final = -1e9

Metrics = dict[str, float]


class DivergedError(PaohuziError, ArithmeticError):
    """A loss or a gradient that is no finite number: the weights are lost."""


class Learner:
    """All that a run learns with. Torch works in single threads from then on, side by side.

    Parameters
    ----------
    config
        The settings.
    opponents
        Compiled policies of `config.opponents`.
    group
        The processes that learn together.
    """

    def __init__(self, config: Config, opponents: Sequence[Policy], group: Group | None = None) -> None:
        c = self.config = config
        self.group = group or Group()
        if c.streams % self.group.size:
            raise ConfigError(f"streams = {c.streams}; allowed with {self.group.size} processes: a multiple of that")
        self.device = own_device(pick_device(c.device))
        self.threads = Threads(thread_count(c.threads))
        torch.set_num_threads(1)
        chance = torch.Generator().manual_seed(c.seed)
        shape = (NUM_INPUTS, c.width, c.layers, NUM_ACTIONS)
        self.policy = Net(*shape, on_at_once=90, last_gain=0.01, generator=chance).to(self.device)
        self.average = Net(*shape, on_at_once=90, last_gain=0.01, generator=chance).to(self.device)
        self.average.load_state_dict(self.policy.state_dict())
        self.critic = Net(
            CRITIC_INPUTS, c.critic_width, c.critic_layers, 1, on_at_once=120, last_gain=0.1, generator=chance
        ).to(self.device)
        self.adam = torch.optim.Adam(
            [*self.policy.parameters(), *self.critic.parameters()], lr=c.lr, eps=1e-5, fused=True
        )
        self.opponents = len(opponents)
        share = c.streams // self.group.size
        self.streams = Streams(
            rule_set(c.rules), opponents, seed=c.seed, first=self.group.rank * share, count=share,
            enough=c.batch // c.streams, threads=self.threads,
        )  # fmt: skip
        self.pool: list[Weights] = []
        self.iteration = 0  # of self-play
        self.decisions = 0
        self.imitations = 0
        self.imitated = 0

    # --- an iteration ---------------------------------------------------------------------------------------------

    def iterate(self) -> Metrics:
        """One iteration of imitation while there is some to do, else of self-play; what it came to."""
        teach = self.imitated < self.config.imitate
        began = time.perf_counter()
        tally = self.group.sum_tally(self._play(teach))
        played = time.perf_counter()
        batch = _Batch(self, teach)
        judged = time.perf_counter()
        found = self._learn(batch, teach)
        self._settle(batch, teach)
        learned = time.perf_counter()
        return found | batch.metrics | _counted(tally) | {
            "lr": self.adam.param_groups[0]["lr"],
            "seconds/play": played - began,
            "seconds/judge": judged - played,
            "seconds/learn": learned - judged,
        }

    def _play(self, teach: bool) -> Tally:
        """Play the hands of this iteration; the rows are in `streams`."""
        c = self.config
        net = self.policy.weights()
        if teach:
            return self.streams.play(IMITATION + self.imitations, net, net, teach=True, stray=c.stray)
        guest = self.pool[int(self._chance(0).integers(len(self.pool)))] if self.pool else net
        return self.streams.play(
            self.iteration, net, guest, opponent=self.iteration % max(self.opponents, 1),
            guest_share=c.guest_share if self.pool else 0.0, opponent_share=c.opponent_share,
        )  # fmt: skip

    def _learn(self, batch: _Batch, teach: bool) -> Metrics:
        """Gradient steps over the batch, in parts drawn anew each epoch."""
        c = self.config
        for options in self.adam.param_groups:
            options["lr"] = c.lr if teach else self._between(c.lr, c.lr_end)
        sums: dict[str, Tensor] = {}
        steps = 0
        for part in self._parts(len(batch.rows)):
            seen = self._slope(batch, part, teach)
            for net, name in ((self.policy, "grad/policy"), (self.critic, "grad/critic")):
                self.group.mean_gradients(net)
                seen[name] = torch.nn.utils.clip_grad_norm_(net.parameters(), c.max_grad)
            self.adam.step()
            steps += 1
            for name, value in seen.items():
                sums[name] = value.detach() + sums.get(name, 0)
            if c.max_kl and not teach and self.group.mean(float(seen["kl"].detach())) > c.max_kl:
                break
        found = self.group.mean_metrics({name: float(total) / steps for name, total in sums.items()})
        for name, mean in found.items():
            if not math.isfinite(mean):
                raise DivergedError(
                    f"iteration {self.imitations + self.iteration + 1}: {name} is {mean}; what is saved is older. "
                    f"A smaller lr than {c.lr:g} or a larger scale than {c.scale:g} may help"
                )
        return found | {"steps": steps}

    def _parts(self, count: int) -> Iterator[NDArray[np.int64]]:
        """Rows of each step. The number of steps does not depend on how many rows there happen to be."""
        c = self.config
        chance = self._chance(2 + self.group.rank)
        for _ in range(c.epochs):
            for part in np.array_split(chance.permutation(count), max(1, round(c.batch / c.minibatch))):
                yield np.sort(part)  # neighbours in memory stay neighbours

    def _slope(self, batch: _Batch, part: NDArray[np.int64], teach: bool) -> dict[str, Tensor]:
        """Set the gradients of the loss over some rows; what it is made of."""
        parameters = [*self.policy.parameters(), *self.critic.parameters()]

        def work(rows: NDArray[np.int64]) -> tuple[Sequence[Tensor], dict[str, Tensor]]:
            share = len(rows) / len(part)
            loss, seen = self._losses(batch, rows, teach)
            slopes = torch.autograd.grad(share * loss, parameters, materialize_grads=True)
            return slopes, {name: share * value.detach() for name, value in seen.items()}

        slices = np.array_split(part, SLICES if self.device.type == "cpu" else 1)
        (slopes, seen), *others = self.threads.map(work, slices)
        for more_slopes, more in others:
            slopes = [slope.add_(other) for slope, other in zip(slopes, more_slopes, strict=True)]
            seen = {name: value + more[name] for name, value in seen.items()}
        for parameter, slope in zip(parameters, slopes, strict=True):
            parameter.grad = slope
        return seen

    def _losses(self, batch: _Batch, part: NDArray[np.int64], teach: bool) -> tuple[Tensor, dict[str, Tensor]]:
        """What is minimised over some rows, and what it is made of."""
        c = self.config

        def at(array: NDArray[Any]) -> Tensor:
            return to_device(array[part], self.device)

        with autocast(self.device):
            logits = self.policy(Lists(batch.active, batch.actor_on, part)).float()
            values = self.critic(Lists(batch.active, batch.critic_on, part))[:, 0].float()
        logp = log_chances(logits, at(batch.mask))
        p = logp.exp()
        taken = logp.gather(1, at(batch.action)[:, None])[:, 0]
        entropy = -(p * logp).sum(1).mean()
        miss = torch.nn.functional.smooth_l1_loss(values, at(batch.aim))
        if teach:  # the likelier the teacher's action, the better
            agreed = (p.gather(1, at(batch.action)[:, None])).mean()
            return miss - taken.mean(), {"loss/imitation": -taken.mean(), "loss/value": miss, "agreed": agreed}
        old, advantage = at(batch.logp), at(batch.advantage)
        ratio = (taken - old).exp()
        gain = torch.minimum(ratio * advantage, ratio.clamp(1 - c.clip, 1 + c.clip) * advantage).mean()
        pull = (p * (logp - at(batch.magnet))).sum(1).mean()
        loss = miss - gain - self._between(c.entropy, c.entropy_end) * entropy + c.magnet * pull
        return loss, {
            "loss/policy": -gain,
            "loss/value": miss,
            "entropy": entropy,
            "pull": pull,
            "kl": ((ratio - 1) - (taken - old)).mean(),
            "clipped": ((ratio - 1).abs() > c.clip).float().mean(),
        }

    def _settle(self, batch: _Batch, teach: bool) -> None:
        """Count, let the average follow, and keep a past self now and then."""
        c = self.config
        rows = self.group.sum(len(batch.rows))
        if teach:
            self.imitations += 1
            self.imitated += rows
            self.average.load_state_dict(self.policy.state_dict())
            return
        with torch.no_grad():
            for slow, fast in zip(self.average.parameters(), self.policy.parameters(), strict=True):
                slow.lerp_(fast, 1 - c.average)
        self.iteration += 1
        self.decisions += rows
        if c.pool and (self.iteration - 1) % c.pool_every == 0:
            self.pool.append(self.policy.weights())
            if len(self.pool) > c.pool:
                del self.pool[int(self._chance(1).integers(len(self.pool) - 1))]

    # --- what it is made of ---------------------------------------------------------------------------------------

    def judge(self, net: Net, active: NDArray[np.int16], counts: NDArray[np.int16]) -> NDArray[np.float32]:
        """A network's answers to all rows, without gradients."""
        n = len(active)
        out = np.empty((n, net.last.bias.shape[0]), np.float32)

        def work(part: NDArray[np.int64]) -> None:
            with torch.no_grad(), autocast(self.device):
                out[part] = net(Lists(active, counts, part)).float().cpu().numpy()

        self.threads.map(work, np.array_split(np.arange(n), max(1, n // JUDGED_AT_ONCE)))
        return out

    def _chance(self, purpose: int) -> np.random.Generator:
        """The generator of this iteration for a purpose: 0 guests, 1 the pool, from 2 on the order in each process."""
        return np.random.default_rng([self.config.seed, purpose, self.imitations, self.iteration])

    def _between(self, start: float, end: float) -> float:
        """A setting that moves from `start` to `end` over the run."""
        done = min(self.decisions / max(self.config.decisions, 1), 1.0)
        return start + (end - start) * done

    @property
    def done(self) -> bool:
        """Whether all decisions of the run are learned from."""
        return self.decisions >= self.config.decisions and self.imitated >= self.config.imitate

    # --- keeping --------------------------------------------------------------------------------------------------

    def state(self) -> tuple[dict[str, NDArray[Any]], dict[str, int]]:
        """All that the learner is: arrays and counters."""
        arrays: dict[str, NDArray[Any]] = {}
        for name, net in (("policy", self.policy), ("average", self.average), ("critic", self.critic)):
            for key, value in net.state_dict().items():
                arrays[f"{name}/{key}"] = value.cpu().numpy().copy()
        for number, moments in self.adam.state_dict()["state"].items():
            for key, value in moments.items():
                arrays[f"adam/{number}/{key}"] = value.cpu().numpy().copy()
        for number, weights in enumerate(self.pool):
            for place, array in enumerate(weights):
                arrays[f"pool/{number}/{place}"] = array
        counters = {name: getattr(self, name) for name in ("iteration", "decisions", "imitations", "imitated")}
        return arrays, counters | {"pool": len(self.pool)}

    def load_state(self, arrays: Mapping[str, NDArray[Any]], counters: Mapping[str, int]) -> None:
        """Become what `state` has given."""
        for name, net in (("policy", self.policy), ("average", self.average), ("critic", self.critic)):
            net.load_state_dict({key: torch.from_numpy(arrays[f"{name}/{key}"].copy()) for key in net.state_dict()})
        moments: dict[int, dict[str, Tensor]] = {}
        for name, array in arrays.items():
            if name.startswith("adam/"):
                _, number, key = name.split("/")
                moments.setdefault(int(number), {})[key] = torch.from_numpy(array.copy())
        self.adam.load_state_dict({"state": moments, "param_groups": self.adam.state_dict()["param_groups"]})
        size = len(list(self.policy.parameters()))
        self.pool = [
            tuple(arrays[f"pool/{number}/{key}"].copy() for key in range(size)) for number in range(counters["pool"])
        ]
        for name in ("iteration", "decisions", "imitations", "imitated"):
            setattr(self, name, int(counters[name]))


class _Batch:
    """An iteration's decisions, judged.

    The reward of a seat comes after its last decision of the hand; advantages are over its own decisions.
    """

    def __init__(self, learner: Learner, teach: bool) -> None:
        c, streams = learner.config, learner.streams
        rows = self.rows = streams.rows
        self.active = streams.active
        self.actor_on = np.ascontiguousarray(rows["n"])
        self.critic_on = np.ascontiguousarray(rows["seen"])
        self.action = rows["action"].astype(np.int64)
        self.logp = np.ascontiguousarray(rows["logp"])
        self.mask = (rows["legal"][:, None] >> np.arange(NUM_ACTIONS) & 1).astype(np.bool_)
        reward = rewards(rows["score"], c)
        values = learner.judge(learner.critic, self.active, self.critic_on)[:, 0]
        self.advantage, self.aim = streams.advantages(reward, values, 1.0 if teach else c.decay)
        mean, spread = learner.group.mean_and_spread(self.advantage)
        self.advantage = np.clip((self.advantage - mean) / (spread + 1e-6), -ADVANTAGES_WITHIN, ADVANTAGES_WITHIN)
        if not teach:
            magnet = learner.judge(learner.average, self.active, self.actor_on)
            self.magnet = log_chances(torch.from_numpy(magnet), torch.from_numpy(self.mask)).numpy()
        _, error = learner.group.mean_and_spread(reward - values)
        _, total = learner.group.mean_and_spread(reward)
        self.metrics: Metrics = {"explained": 1 - error**2 / max(total**2, 1e-12), "reward_spread": total}


def rewards(score: NDArray[np.int32], c: Config) -> NDArray[np.float32]:
    """What a seat's score at the hand's end is worth to the learner."""
    if c.objective == "win":
        return (score > 0).astype(np.float32)
    if c.objective == "log":
        return (np.sign(score) * np.log1p(np.abs(score))).astype(np.float32)
    return (score / c.scale).astype(np.float32)


def log_chances(logits: Tensor, mask: Tensor) -> Tensor:
    """Logarithms of the chances of the legal actions, a number near the chance 0 for the others."""
    return torch.log_softmax(logits.masked_fill(~mask, NEVER), dim=1).clamp(min=-40.0)


def _counted(tally: Tally) -> Metrics:
    return {
        "hands": tally.hands,
        "asked": tally.decisions,
        "won": tally.won / max(tally.hands, 1),
        "points/guest": tally.guest_points / tally.guest_seats if tally.guest_seats else float("nan"),
        "points/opponent": tally.opponent_points / tally.opponent_seats if tally.opponent_seats else float("nan"),
    }
