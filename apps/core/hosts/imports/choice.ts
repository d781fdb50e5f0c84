import { Fault } from '../../errors.ts';
import type { PlannedServer } from './planned-server.ts';

const MOST_NAMED = 5; // of the missing ones

/**
 * The servers of these names and the jump hosts of the same file that they need, in the same order. Throws for a name
 * that is not in the file.
 */
export function chosenOf(planned: readonly PlannedServer[], names: readonly string[]): PlannedServer[] {
  const wanted = new Set(names);
  assertAll(wanted, planned);
  const chosen = new Set<number>();
  for (const [start, { input }] of planned.entries()) {
    if (!wanted.has(input.name)) continue;
    for (let at: number | undefined = start; at !== undefined && !chosen.has(at); at = jumpIn(planned, at))
      chosen.add(at);
  }
  const places = new Map([...chosen].sort((a, b) => a - b).map((index, place) => [index, place]));
  return planned.flatMap((server, index) => (chosen.has(index) ? [moved(server, places)] : []));
}

function assertAll(wanted: ReadonlySet<string>, planned: readonly PlannedServer[]): void {
  const known = new Set(planned.map(({ input }) => input.name));
  const missing = [...wanted].filter((name) => !known.has(name));
  if (missing.length === 0) return;
  const more = missing.length > MOST_NAMED ? ', …' : '';
  const message = `Not in this text: ${missing.slice(0, MOST_NAMED).join(', ')}${more}`;
  throw new Fault('validation', message, { errors: [{ path: 'hosts', message }] });
}

/** Index of the server's jump host, if the file has it. */
function jumpIn(planned: readonly PlannedServer[], index: number): number | undefined {
  const jump = planned[index]?.jump;
  return jump?.kind === 'file' ? jump.index : undefined;
}

function moved(server: PlannedServer, places: ReadonlyMap<number, number>): PlannedServer {
  if (server.jump?.kind !== 'file') return server;
  const index = places.get(server.jump.index);
  return index === undefined ? server : { ...server, jump: { kind: 'file', index } };
}
