"""Tells Gymnasium's registry of the environments here, by name only: nothing heavy is imported.

`import paohuzi_env` does it where Gymnasium is already imported, `import paohuzi_env.single` always, and so does
``gymnasium.make("paohuzi_env.single:paohuzi/SingleSeat-v0")`` without any import. Gymnasium has no entry points for
environments of installed packages any more (they went with its version 1.0), so nothing can register them earlier.
"""

from __future__ import annotations

from typing import Final

SINGLE_SEAT: Final = "paohuzi/SingleSeat-v0"


def register() -> None:
    """Register what is not registered yet."""
    from gymnasium.envs import registration

    if SINGLE_SEAT not in registration.registry:
        registration.register(
            id=SINGLE_SEAT,
            entry_point="paohuzi_env.single:SingleSeatEnv",
            vector_entry_point="paohuzi_env.single:SingleSeatVectorEnv",
        )
