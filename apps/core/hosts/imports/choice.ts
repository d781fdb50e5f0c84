import type { PlannedServer } from './planned-server.ts';

/** The servers of these names and the jump hosts of the same file that they need, in the same order. */
export function chosenOf(planned: readonly PlannedServer[], names: readonly string[]): PlannedServer[] {
  const wanted = new Set(names);
  const chosen = new Set<number>();
  for (const [start, { input }] of planned.entries()) {
    if (!wanted.has(input.name)) continue;
    for (let at: number | undefined = start; at !== undefined && !chosen.has(at); at = jumpIn(planned, at))
      chosen.add(at);
  }
  const places = new Map([...chosen].sort((a, b) => a - b).map((index, place) => [index, place]));
  return planned.flatMap((server, index) => (chosen.has(index) ? [moved(server, places)] : []));
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
