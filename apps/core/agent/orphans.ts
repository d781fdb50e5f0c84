import { Fault } from '../errors.ts';
import type { AgentMessageRow } from '../model/agent.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import type { SealedMessages } from './sealed-messages.ts';
import type { Turns } from './turns.ts';

const BEGINNING_MS = 60_000; // from the row of a turn to the turn

interface Deps {
  readonly repositories: Pick<Repositories, 'agent_messages'>;
  readonly stored: SealedMessages;
  readonly turns: Pick<Turns, 'find'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly run_id: string;
}

/** Ends the turns of instances that have ended, and those of this one that never began. */
export function createOrphanedTurns({ repositories, stored, turns, clock, run_id }: Deps) {
  const { agent_messages: messages } = repositories;

  function isOrphan(row: AgentMessageRow): boolean {
    if (row.run_id !== run_id) return true;
    const is_old = Date.parse(row.created_at) < clock.now().getTime() - BEGINNING_MS;
    return is_old && !turns.find(row, row.id);
  }

  async function end(row: AgentMessageRow): Promise<void> {
    const { code, detail } = new Fault('agent_interrupted');
    const [opened] = await stored.openAll([row]);
    const said = opened?.content ?? { text: '', steps: [] };
    const steps = said.steps.map((step) =>
      step.ok === null ? { ...step, ok: false, summary: 'Not finished' } : step,
    );
    const error = row.is_cancelled ? null : { code, message: detail };
    await messages.finish(row.id, {
      state: row.is_cancelled ? 'cancelled' : 'failed',
      content_sealed: await stored.seal(row.id, { ...said, steps, error }),
      updated_at: clock.now().toISOString(),
    });
  }

  return async (): Promise<void> => {
    for (const row of await messages.orphans(run_id)) if (isOrphan(row)) await end(row);
  };
}
