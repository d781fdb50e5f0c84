import { compare } from '../compare.ts';
import { type Row, row } from '../measure.ts';
import type { Scene } from '../scene.ts';
import { openGatewayTerminal, openSshTerminal, type Terminal } from '../terminal-clients.ts';
import { firstOutput } from '../terminal-shells.ts';

const OPENINGS = 15;

/** Until the first prompt, authentication with a key included. */
export async function measureOpening({ gateway, server_id, access }: Scene): Promise<Row> {
  const times = await compare(
    openingMs(() => openSshTerminal(access)),
    openingMs(() => openGatewayTerminal(gateway, server_id)),
    OPENINGS,
  );
  return row('opening of a terminal', 'ms', { ...times, want: '<= 0.7' });
}

function openingMs(open: () => Terminal): () => Promise<number> {
  return async () => {
    const started = performance.now();
    const terminal = open();
    await firstOutput(terminal);
    const ms = performance.now() - started;
    terminal.close();
    return ms;
  };
}
