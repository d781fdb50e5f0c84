import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GatewayProcess } from '../../bench/gateway-process.ts';
import { createKeptPlace, type KeptPlace } from '../../support/features/keepers.ts';
import { resumed, shellOn } from '../../support/features/shells.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const TERMINALS = 40;
const LINES = 400;

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

/** Prints numbered lines for a few seconds. */
const COUNT = `stty -echo; PS1=; i=0; while [ $i -lt ${LINES} ]; do i=$((i+1)); echo "line-$i"; sleep 0.01; done; echo all-"done"\r`;
const NUMBERED = Array.from({ length: LINES }, (_, i) => `line-${i + 1}`);
const numbered = (output: string) => output.match(/line-\d+/g) ?? [];

interface Counting {
  readonly session_id: string;
  /** What the client has received. */
  readonly seen: Buffer;
}

/** Terminals that print, each cut somewhere in the middle by `end`. */
async function countIn(
  gateway: GatewayProcess,
  server_id: number,
  end: () => Promise<void>,
): Promise<Counting[]> {
  const shells = [];
  for (let i = 0; i < TERMINALS; i += 1) shells.push(await shellOn(gateway, server_id, gateway));
  for (const { client } of shells) client.type(COUNT);
  await Promise.all(shells.map(({ client }) => client.sees(/line-50\r/)));
  await end();
  await Promise.all(shells.map(({ client }) => client.closed()));
  return shells.map(({ client, session_id }) => ({ session_id, seen: client.outputBytes() }));
}

async function restOf(gateway: GatewayProcess, { session_id, seen }: Counting): Promise<string> {
  const client = resumed(gateway, { session_id, offset: seen.length }, gateway);
  expect(await client.frame('session')).toMatchObject({ session_id, offset: seen.length });
  await client.sees(/all-done/);
  const rest = client.outputBytes();
  client.close(1000);
  return Buffer.concat([seen, rest]).toString();
}

describe('A keeper', () => {
  let place: KeptPlace;
  beforeAll(() => {
    place = createKeptPlace();
  });
  afterAll(() => place?.close());

  it('keeps terminals through a kill of the gateway, and no byte is lost', async () => {
    const killed = await place.start();
    const server_id = await killed.addServer(sshd);
    const counting = await countIn(killed, server_id, killed.kill);
    const gateway = await place.start();
    const outputs = await Promise.all(counting.map((one) => restOf(gateway, one)));
    for (const output of outputs) expect(numbered(output)).toEqual(NUMBERED);
    await gateway.stop();
  });
});
