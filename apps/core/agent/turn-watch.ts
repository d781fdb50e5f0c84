import { toFault } from '../errors.ts';
import { every } from '../lib/time/timers.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import type { LiveTurn } from './live-turn.ts';
import type { RetriedWrites } from './retried-writes.ts';
import type { AgentConfig } from './settings.ts';

const INTERVAL_MS = 1000; // what another instance cancels or deletes ends here within 2 s

interface Deps {
  readonly repositories: Pick<Repositories, 'agent_messages'>;
  readonly config: Pick<AgentConfig, 'inForce'>;
  readonly clock: Clock;
  readonly background: Background;
}

/** Ends turns that another instance has cancelled or deleted, and all once the agent is off; retries failed writes. */
export function startTurnWatch(
  { repositories, config, clock, background }: Deps,
  live: ReadonlyMap<number, LiveTurn>,
  writes: RetriedWrites,
): () => void {
  let is_looking = false;

  async function look(): Promise<void> {
    await writes.retryAll();
    const watched = [...live.values()];
    if (watched.length === 0) return;
    const ids = watched.map(({ message_id }) => message_id);
    const standing = new Set(await repositories.agent_messages.standing(ids));
    for (const turn of watched) if (!standing.has(turn.message_id)) turn.cancel();
    const off = await config.inForce().then(() => undefined, toFault);
    if (off?.code === 'agent_off') for (const turn of watched) turn.end(off);
  }

  return every(clock.after, INTERVAL_MS, () => {
    if (is_looking || (live.size === 0 && writes.areDone())) return;
    is_looking = true;
    const done = () => {
      is_looking = false;
    };
    background.run('watch the turns of the agent', look().finally(done));
  });
}
