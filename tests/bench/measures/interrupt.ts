import { setTimeout as pause } from 'node:timers/promises';
import { compare } from '../compare.ts';
import { type Row, row } from '../measure.ts';
import type { Scene } from '../scene.ts';
import { openGatewayTerminal, openSshTerminal, type Terminal } from '../terminal-clients.ts';
import { ready, receives, sees } from '../terminal-shells.ts';

const INTERRUPTS = 9;
const FLOOD_BYTES = 4 * 1024 * 1024;
const LAG_MS = 200; // Fills every buffer between the program and the user.

/** From Ctrl-C to the prompt, when the user lags behind a flood and then drops the rest of it. */
export async function measureInterrupt({ gateway, server_id, access }: Scene): Promise<Row> {
  const ssh = await ready(openSshTerminal(access));
  const ours = await ready(openGatewayTerminal(gateway, server_id));
  const times = await compare(
    () => interruptMs(ssh),
    () => interruptMs(ours),
    INTERRUPTS,
  );
  ssh.close();
  ours.close();
  return row('Ctrl-C in a flood, to the prompt', 'ms', { ...times, want: '< 200 ms' });
}

async function interruptMs(terminal: Terminal): Promise<number> {
  const flooded = receives(terminal, FLOOD_BYTES);
  terminal.write("PS1='PROMPT-5 '; yes\r");
  await flooded;
  terminal.hold();
  await pause(LAG_MS);
  const started = performance.now();
  const prompted = sees(terminal, 'PROMPT-5');
  terminal.write('\x03');
  terminal.release();
  await prompted;
  return performance.now() - started;
}
