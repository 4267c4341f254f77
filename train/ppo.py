"""PPO self-play, top to bottom."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.inputs import NUM_INPUTS
from agents.network import Weights
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.rules import rule_set
from paohuzi_env.search import Policy
from train.config import Config
from train.model import Lists, Net, Threads, autocast, pick_device, to_device
from train.rollout import CRITIC_INPUTS, Streams, Tally


class Learner:
    def __init__(self, config: Config, baseline: Policy) -> None:
        c = self.config = config
        self.device = pick_device(c.device)
        self.threads = Threads(c.threads)
        torch.set_num_threads(c.threads)
        generator = torch.Generator().manual_seed(c.seed)
        self.policy = Net(NUM_INPUTS, c.width, c.layers, NUM_ACTIONS, on_at_once=90, last_gain=0.01, generator=generator)
        self.critic = Net(
            CRITIC_INPUTS, c.critic_width, c.critic_layers, 1, on_at_once=120, last_gain=0.1, generator=generator
        )
        self.average = Net(NUM_INPUTS, c.width, c.layers, NUM_ACTIONS, on_at_once=90, last_gain=0.01, generator=generator)
        self.average.load_state_dict(self.policy.state_dict())
        for net in (self.policy, self.critic, self.average):
            net.to(self.device)
        self.optimizer = torch.optim.Adam(
            [*self.policy.parameters(), *self.critic.parameters()], lr=c.lr, eps=1e-5, fused=True
        )
        self.streams = Streams(
            rule_set(c.rules), baseline, seed=c.seed, first=0, count=c.streams, enough=c.batch // c.streams,
            threads=c.threads,
        )
        self.iteration = 0
        self.decisions = 0
        self.pool: list[Weights] = []
        self.spent: dict[str, float] = {"play": 0.0, "prepare": 0.0, "learn": 0.0}

    @property
    def progress(self) -> float:
        return min(self.decisions / self.config.decisions, 1.0)

    def between(self, start: float, end: float) -> float:
        return start + (end - start) * self.progress

    def rewards(self, score: NDArray[np.int32]) -> NDArray[np.float32]:
        c = self.config
        if c.objective == "win":
            return (score > 0).astype(np.float32)
        if c.objective == "log":
            return (np.sign(score) * np.log1p(np.abs(score))).astype(np.float32)
        return (score / c.scale).astype(np.float32)

    def iterate(self) -> dict[str, float]:
        c = self.config
        started = time.perf_counter()
        net = self.policy.weights()
        chance = np.random.default_rng([c.seed, self.iteration])
        guest = self.pool[int(chance.integers(len(self.pool)))] if self.pool else net
        tally = self.streams.play(
            self.iteration, net, guest,
            guest_share=c.guest_share if self.pool else 0.0, baseline_share=c.baseline_share,
        )
        played = time.perf_counter()
        rows, active = self.streams.rows, self.streams.active
        n = len(rows)
        reward = self.rewards(rows["score"])
        actor_n, critic_n = np.ascontiguousarray(rows["n"]), np.ascontiguousarray(rows["seen"])
        legal = np.ascontiguousarray(rows["legal"])
        mask = (legal[:, None] >> np.arange(NUM_ACTIONS) & 1).astype(bool)
        with torch.no_grad():
            values = np.empty(n, np.float32)
            magnet = np.empty((n, NUM_ACTIONS), np.float32)
            for part in np.array_split(np.arange(n), max(1, n // 8192)):
                values[part] = self.critic(Lists(active, critic_n, part, self.threads))[:, 0].cpu().numpy()
                logits = self.average(Lists(active, actor_n, part, self.threads)).cpu()
                magnet[part] = log_chances(logits, torch.from_numpy(mask[part])).numpy()
        advantage, aim = self.streams.advantages(reward, values, c.decay)
        advantage = np.clip((advantage - advantage.mean()) / (advantage.std() + 1e-6), -5, 5)
        explained = 1 - float(np.var(reward - values) / max(np.var(reward), 1e-9))
        prepared = time.perf_counter()
        for group in self.optimizer.param_groups:
            group["lr"] = self.between(c.lr, c.lr_end)
        sums: dict[str, float] = {}
        steps = 0
        for _ in range(c.epochs):
            order = chance.permutation(n)
            for part in np.array_split(order, max(1, round(n / c.minibatch))):
                part = np.sort(part)
                self.optimizer.zero_grad(set_to_none=True)
                logits = self.policy(Lists(active, actor_n, part, self.threads)).float()
                value = self.critic(Lists(active, critic_n, part, self.threads))[:, 0].float()
                logp = log_chances(logits, to_device(mask[part], self.device))
                p = logp.exp()
                taken = to_device(rows["action"][part].astype(np.int64), self.device)
                mine = logp.gather(1, taken[:, None])[:, 0]
                old = to_device(rows["logp"][part], self.device)
                adv = to_device(advantage[part], self.device)
                ratio = (mine - old).exp()
                gain = torch.minimum(ratio * adv, ratio.clamp(1 - c.clip, 1 + c.clip) * adv).mean()
                entropy = -(p * logp).sum(1).mean()
                pull = (p * (logp - to_device(magnet[part], self.device))).sum(1).mean()
                miss = torch.nn.functional.smooth_l1_loss(value, to_device(aim[part], self.device))
                loss = -gain - self.between(c.entropy, c.entropy_end) * entropy + c.magnet * pull + miss
                loss.backward()
                norm = torch.nn.utils.clip_grad_norm_(self.policy.parameters(), c.max_grad)
                torch.nn.utils.clip_grad_norm_(self.critic.parameters(), c.max_grad)
                self.optimizer.step()
                steps += 1
                for k, x in (("gain", gain), ("entropy", entropy), ("pull", pull), ("miss", miss), ("norm", norm),
                             ("kl", (old - mine).mean()), ("clipped", ((ratio - 1).abs() > c.clip).float().mean())):
                    sums[k] = sums.get(k, 0.0) + float(x.detach())
        with torch.no_grad():
            for slow, fast in zip(self.average.parameters(), self.policy.parameters(), strict=True):
                slow.lerp_(fast, 1 - c.average)
        self.iteration += 1
        self.decisions += n
        if self.iteration % c.pool_every == 0:
            self.pool.append(self.policy.weights())
            if len(self.pool) > c.pool:
                del self.pool[int(chance.integers(len(self.pool) - 1))]
        learned = time.perf_counter()
        out = {k: x / steps for k, x in sums.items()}
        out.update(explained=explained, won=tally.won / tally.hands, length=tally.decisions / tally.hands, rows=n,
            play=played - started, prepare=prepared - played, learn=learned - prepared,
            guest=tally.guest_points / max(1, tally.guest_seats),
            baseline=tally.baseline_points / max(1, tally.baseline_seats), sd=float(np.std(rows["score"])))
        return out


def log_chances(logits: Tensor, mask: Tensor) -> Tensor:
    """Logarithms of the chances of legal actions; a large negative number for the others."""
    return torch.log_softmax(logits.masked_fill(~mask, -1e9), dim=1).masked_fill(~mask, -30.0)
