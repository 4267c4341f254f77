"""A match of eight hands at a table of four, saved and taken back."""

from paohuzi_env import paohuzi_v0

env = paohuzi_v0.raw_env(rules="huaihua", hands=8, table=4)  # who sits opposite the dealer waits
env.reset(seed=1)
while not any(env.terminations.values()):
    env.step(env.legal_actions(env.agent_selection)[0])
print(env.totals)  # base units, by agent; they sum to 0

saved = env.get_state()  # bytes: another environment of the same rule set goes on from them
other = paohuzi_v0.raw_env(rules="huaihua", hands=8, table=4)
other.set_state(saved)
assert other.totals == env.totals
