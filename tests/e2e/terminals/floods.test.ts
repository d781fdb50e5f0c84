import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cut, shellOn } from '../../support/features/shells.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import type { TerminalClient } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const MIB = 1024 * 1024;

let sshd: Sshd;
let gateway: TestGateway;
let server_id: number;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway({ env: { SERVICE_MAX_SESSIONS_PER_USER: '0' } });
  const { port, username, password } = sshd;
  server_id = (await gateway.addServer({ port, username, password })).id;
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});

const open = async () => (await shellOn(gateway, server_id, gateway.admin)).client;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Acknowledges everything at once, unless told to wait. */
function acking(client: TerminalClient) {
  let received = client.outputBytes().length;
  let is_held = false;
  client.send({ type: 'ack', bytes: 0 });
  client.raw.on('message', (data: Buffer, is_binary) => {
    if (!is_binary) return;
    received += data.length;
    if (!is_held) client.send({ type: 'ack', bytes: received });
  });
  return {
    received: () => received,
    hold(held: boolean) {
      is_held = held;
      if (!held) client.send({ type: 'ack', bytes: received });
    },
  };
}

async function until(client: TerminalClient, holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => client.raw.once('message', resolve));
}

describe('A paste', () => {
  it('is echoed completely, even when the acks of its sender lag behind', async () => {
    const client = await open();
    client.type("stty raw -echo; PS1=; printf 'GO%s' NOW; cat\r");
    await client.sees(/GONOW/);
    const { received } = acking(client);
    const before = received();
    for (let sent = 0; sent < 6 * MIB; sent += 16_384) client.type('y'.repeat(16_384));
    await until(client, () => received() - before >= 6 * MIB);
    client.close(1000);
  });
});

describe('A flood', () => {
  it('of random bytes arrives complete and in order, even when its reader pauses', async () => {
    const bytes = randomBytes(12 * MIB);
    await writeFile(join(sshd.folder, 'random'), bytes);
    const client = await open();
    const acks = acking(client);
    client.type(
      `stty raw -echo; PS1=; printf 'GO%s' NOW; read -r line; cat ${sshd.folder}/random; read -r line\r`,
    );
    await client.sees(/GONOW/);
    const start = client.outputBytes().indexOf('GONOW') + 5;
    client.type('\n');
    for (const at of [1, 3, 6, 9]) {
      await until(client, () => acks.received() - start >= at * MIB);
      client.raw.pause();
      await new Promise((resolve) => setTimeout(resolve, 20));
      client.raw.resume();
    }
    await until(client, () => acks.received() - start >= bytes.length);
    expect(sha256(client.outputBytes().subarray(start))).toBe(sha256(bytes));
    client.close(1000);
  });

  it('leaves at most 1 MiB unparsed by a client that acks, and the remote program sleeps', async () => {
    const client = await open();
    const acks = acking(client);
    client.type(
      'stty -echo; PS1=; printf "GO%s" NOW; sleep 0.2; head -c 8000000 /dev/zero | tr "\\0" x; printf OVER\r',
    );
    await client.sees(/GONOW/);
    acks.hold(true);
    const before = acks.received();
    await until(client, () => acks.received() - before > 0.8 * MIB);
    client.send({ type: 'ping' });
    await client.frame('pong'); // After everything that was sent.
    expect(acks.received() - before).toBeLessThanOrEqual(MIB);
    acks.hold(false);
    await client.sees(/OVER/);
    client.close(1000);
  });

  it('stops soon after Ctrl-C, even when its reader lags behind', async () => {
    const client = await open();
    const acks = acking(client);
    client.type('PS1=PROMPT-; yes\r');
    await until(client, () => acks.received() > 2 * MIB);
    acks.hold(true);
    await until(client, () => acks.received() > 2.5 * MIB);
    client.type('\x03');
    acks.hold(false);
    await client.sees(/\^C[\s\S]*PROMPT-$/);
    client.close(1000);
  });

  it('that looks like control frames is still output', async () => {
    const text = '{"type":"exit","code":0,"signal":null}';
    const client = await open();
    client.type(`stty -echo; PS1=; printf 'GO%s' NOW; printf '%s' '${text}'; echo END$((1+1))\r`);
    await client.sees(/END2/);
    expect(client.output()).toContain(`GONOW${text}`);
    expect(client.frames.filter(({ type }) => type === 'exit')).toEqual([]);
    client.close(1000);
  });
});

const MALFORMED: (string | Buffer)[] = [
  '{"type":"ack"}',
  '{"type":"ack","bytes":-1}',
  '{"type":"ack","bytes":1e308}',
  '{"type":"ack","bytes":999999999}',
  '{"type":"ack","bytes":"1"}',
  '{"type":"answer"}',
  '{"type":"answer","answers":"x"}',
  '{"type":"answer","answers":[1]}',
  '{"type":"open","cols":-1}',
  '{"type":"open","cols":1.5,"rows":2}',
];
const HARMLESS: (string | Buffer)[] = [
  '{"type":"resize"}',
  '{"type":"resize","cols":null,"rows":{}}',
  '{"type":"resize","cols":99999999999,"rows":1}',
  '{"type":["ping"]}',
  '{"type":"__proto__"}',
  '{',
  '[]',
  'null',
  `{"type":"${'x'.repeat(70_000)}"}`,
  Buffer.alloc(0),
];

describe('Malformed frames', () => {
  it('do not harm the gateway: 1008 for a known type, otherwise keystrokes or nothing', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, async (_, round) => {
        const client = await open();
        client.type('cat > /dev/null\r');
        for (const frame of HARMLESS) client.raw.send(frame);
        client.send({ type: 'ping' });
        await client.frame('pong');
        const bad = MALFORMED[round % MALFORMED.length];
        if (bad !== undefined) for (let count = 0; count < 5; count += 1) client.raw.send(bad);
        return (await client.closed()).code;
      }),
    );
    expect(new Set(outcomes)).toEqual(new Set([1008]));
    expect((await gateway.anonymous.call('GET', '/api/health')).status).toBe(200);
  });
});

describe('Many terminals', () => {
  it('each answer only their own user, 100 at once', async () => {
    const clients: TerminalClient[] = [];
    for (let batch = 0; batch < 10; batch += 1) {
      clients.push(...(await Promise.all(Array.from({ length: 10 }, open))));
    }
    await Promise.all(
      clients.map(async (client, n) => {
        client.type(`echo mine-$((${n} + 1000))\r`);
        await client.sees(new RegExp(`mine-${n + 1000}`));
      }),
    );
    for (const [n, client] of clients.entries()) {
      const others = client.output().match(/mine-1\d\d\d/g) ?? [];
      expect(new Set(others)).toEqual(new Set([`mine-${n + 1000}`]));
    }
    await Promise.all(clients.map((client) => cut(client)));
  });
});
