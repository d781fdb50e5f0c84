import { digest } from '../lib/bytes/bytes.ts';
import type { InstanceRow } from '../model/terminal.ts';
import type { Neighbours } from '../ports/neighbours.ts';
import type { SilentInstance } from '../ports/repositories/instances.ts';
import type { InstanceProofs } from './proofs.ts';

interface Deps {
  readonly neighbours: Pick<Neighbours, 'look'>;
  readonly proofs: Pick<InstanceProofs, 'isSigned'>;
  /** Host name of this instance. */
  readonly machine: string;
  /** How long an instance may be silent that can neither be reached nor ruled out. */
  readonly gone_ms: number;
}

/** Decides which of the instances without heartbeats have ended. */
export function createJudgement({ neighbours, proofs, machine, gone_ms }: Deps) {
  /** `unknown`: it may run, cut off from the database and from this instance. */
  async function found(row: InstanceRow): Promise<'running' | 'ended' | 'unknown'> {
    if (!isReachable(row, machine) || !(await proofs.isSigned(row))) return 'unknown';
    const neighbour = await neighbours.look(row.url);
    if (neighbour.kind === 'silent') return 'unknown';
    if (neighbour.kind === 'refused') return 'ended';
    return neighbour.run_digest === (await digest(row.run_id)) ? 'running' : 'ended';
  }

  /** `is_settled`: this instance itself has reached the database for long enough to judge others by their silence. */
  return async (silent: readonly SilentInstance[], is_settled: boolean): Promise<string[]> => {
    const ended = silent.map(async (row) => {
      const what = await found(row);
      return what === 'ended' || (what === 'unknown' && is_settled && row.silent_ms > gone_ms);
    });
    const are_ended = await Promise.all(ended);
    return silent.filter((_row, i) => are_ended[i]).map(({ run_id }) => run_id);
  };
}

/** An address such as 127.0.0.1 is another process on another machine. */
export function isReachable(
  { url, machine }: Pick<InstanceRow, 'url' | 'machine'>,
  own_machine: string,
): boolean {
  if (!URL.canParse(url)) return false;
  return machine === own_machine || !LOOPBACK.test(new URL(url).hostname);
}

const LOOPBACK = /^(localhost|127\..*|\[::1\]|0\.0\.0\.0|\[::\])$/;
