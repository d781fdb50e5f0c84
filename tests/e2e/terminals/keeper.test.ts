import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeFrame, FRAME_KINDS } from '#worker/keeper/frames.ts';
import { encodeMessage } from '#worker/keeper/messages.ts';
import { type GatewayProcess, PASSWORD } from '../../bench/gateway-process.ts';
import { eventually } from '../../support/eventually.ts';
import { call, createKeptPlace, filesBelow, type KeptPlace } from '../../support/features/keepers.ts';
import { resumed, shellOn } from '../../support/features/shells.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const TERMINALS = 40;
const LINES = 400;

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

/** Prints numbered lines for a few seconds. Bash waits by reading what nobody writes: `sleep` would be a process a line. */
const COUNT = `stty -echo; PS1=; exec 9<> <(:); i=0; while [ $i -lt ${LINES} ]; do i=$((i+1)); echo "line-$i"; read -t 0.01 -u 9; done; echo all-"done"\r`;
const NUMBERED = Array.from({ length: LINES }, (_, i) => `line-${i + 1}`);
const numbered = (output: string) => output.match(/line-\d+/g) ?? [];

interface Counting {
  readonly session_id: string;
  /** What the client has received. */
  readonly seen: Buffer;
  /** The code that the socket was closed with. */
  readonly code: number;
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
  const closed = shells.map(({ client }) => client.closed());
  await end();
  const codes = await Promise.all(closed);
  return shells.map(({ client, session_id }, at) => ({
    session_id,
    seen: client.outputBytes(),
    code: codes[at]?.code ?? 0,
  }));
}

/** Everything that the terminal has printed, once it is done. */
async function wholeOutput(gateway: GatewayProcess, { session_id, seen }: Counting): Promise<string> {
  const client = resumed(gateway, { session_id, offset: seen.length }, gateway);
  expect(await client.frame('session')).toMatchObject({ session_id, offset: seen.length });
  await client.sees(/all-done/);
  const rest = client.outputBytes();
  client.type('exit\r');
  await client.frame('exit');
  return Buffer.concat([seen, rest]).toString();
}

interface Entry {
  readonly action: string;
  readonly detail: string;
}

async function audited(gateway: GatewayProcess, action: string): Promise<string[]> {
  const entries = await call<Entry[]>(gateway, `/api/auth/audit?action=${action}&limit=500`);
  return entries.map(({ detail }) => detail);
}

interface Recording {
  readonly id: number;
  readonly status: string;
}

async function finishedRecordings(gateway: GatewayProcess): Promise<Recording[]> {
  const recordings = await call<Recording[]>(gateway, '/api/recordings?limit=200');
  if (recordings.some(({ status }) => status === 'recording')) throw new Error('A recording is still open');
  return recordings;
}

/** The events of a cast, and its digest. */
async function castOf(gateway: GatewayProcess, { id }: Recording) {
  const response = await fetch(`${gateway.url}/api/recordings/${id}/cast`, {
    headers: { authorization: `Bearer ${gateway.token}` },
  });
  const text = await response.text();
  const lines = text.trimEnd().split('\n').slice(1);
  const events = lines.map((line): [number, string, string] => JSON.parse(line));
  return {
    times: events.map(([at_s]) => at_s),
    output: events.map(([, kind, data]) => (kind === 'o' ? data : '')).join(''),
    sha256: createHash('sha256').update(text).digest('hex'),
  };
}

describe('A keeper, when the gateway is killed', () => {
  let place: KeptPlace;
  let gateway: GatewayProcess;
  let outputs: string[];
  beforeAll(async () => {
    place = createKeptPlace({ SERVICE_RECORD_SESSIONS: 'true' });
    const killed = await place.start();
    const server_id = await killed.addServer(sshd);
    const counting = await countIn(killed, server_id, killed.kill);
    gateway = await place.start();
    outputs = await Promise.all(counting.map((one) => wholeOutput(gateway, one)));
  }, 120_000);
  afterAll(async () => {
    await gateway?.stop();
    await place?.close();
  });

  it('keeps the terminals, and no byte is lost', () => {
    for (const output of outputs) expect(numbered(output)).toEqual(NUMBERED);
  });

  it('continues each recording at the exact byte, in one file and one row', async () => {
    const recordings = await eventually(() => finishedRecordings(gateway));
    expect(recordings.map(({ status }) => status)).toEqual(Array(TERMINALS).fill('finished'));
    const closings = await audited(gateway, 'recording_close');
    for (const recording of recordings) {
      const { output, times, sha256 } = await castOf(gateway, recording);
      expect(numbered(output)).toEqual(NUMBERED);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(closings.some((detail) => detail.includes(`sha256 ${sha256},`))).toBe(true);
    }
  });

  it('loses no audit entry, and doubles none', async () => {
    expect((await audited(gateway, 'terminal_open')).length).toBe(TERMINALS);
    const closes = await eventually(async () => {
      const found = await audited(gateway, 'terminal_close');
      if (found.length < TERMINALS) throw new Error('Some are missing');
      return found;
    });
    expect(closes.filter((detail) => !/ after \d+ s$/.test(detail))).toEqual([]);
    expect(closes.length).toBe(TERMINALS);
    expect(await call(gateway, '/api/auth/audit/verify')).toMatchObject({ ok: true });
  });

  it('writes no credential to the data directory', async () => {
    const secret = Buffer.from(sshd.password);
    expect((await filesBelow(place.data_dir)).filter(({ bytes }) => bytes.includes(secret))).toEqual([]);
  });
});

describe('A keeper', () => {
  let place: KeptPlace;
  let gateway: GatewayProcess;
  let server_id: number;
  beforeAll(async () => {
    place = createKeptPlace();
    gateway = await place.start();
    server_id = await gateway.addServer(sshd);
  });
  afterAll(async () => {
    await gateway?.stop();
    await place?.close();
  });

  /** Resolves when the keeper has ended the connection. */
  async function refused(bytes: Uint8Array): Promise<void> {
    const socket = await place.connect();
    const closed = once(socket, 'close');
    socket.resume();
    socket.write(bytes);
    await closed;
  }

  it('keeps terminals through a restart, which clients are told to wait for', async () => {
    const counting = await countIn(gateway, server_id, gateway.stop);
    expect(counting.map(({ code }) => code)).toEqual(Array(TERMINALS).fill(1012));
    gateway = await place.start();
    const outputs = await Promise.all(counting.map((one) => wholeOutput(gateway, one)));
    for (const output of outputs) expect(numbered(output)).toEqual(NUMBERED);
  });

  it.each([
    ['garbage', Buffer.from('GET / HTTP/1.1\r\n\r\n'.repeat(10))],
    ['a frame that is too long', Buffer.from([0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0])],
    ['a message before the greeting', encodeMessage(0, { say: 'unheld', call: 1 })],
    ['a message that is not JSON', encodeFrame(FRAME_KINDS.control, 0, Buffer.from('{'))],
    ['a message that it does not know', encodeFrame(FRAME_KINDS.control, 0, Buffer.from('{"say":"sudo"}'))],
    ['a frame of an unknown kind', encodeFrame(9, 0, Buffer.alloc(1))],
  ])('ends only the connection that sends %s', async (_what, bytes) => {
    const { client } = await shellOn(gateway, server_id, gateway);
    await refused(bytes);
    client.type('echo still-$((40+2))\r');
    await client.sees(/still-42/);
    client.close(1000);
  });

  it('lets no connection touch the shells of another', async () => {
    const { client } = await shellOn(gateway, server_id, gateway);
    const socket = await place.connect();
    socket.write(encodeMessage(0, { say: 'hello', protocol: 1, version: 'test' }));
    await once(socket, 'data');
    for (let shell = 1; shell < 200; shell += 1) {
      socket.write(encodeMessage(shell, { say: 'close' }));
      socket.write(encodeFrame(FRAME_KINDS.data, shell, Buffer.from('echo foreign\r')));
    }
    socket.write(encodeMessage(0, { say: 'unheld', call: 1 }));
    await once(socket, 'data');
    socket.destroy();
    client.type('echo still-$((40+2))\r');
    expect(await client.sees(/still-42/)).not.toContain('foreign');
    client.close(1000);
  });

  it('closes a terminal whose sign-in was revoked while no gateway ran', async () => {
    const login = { username: 'admin', password: PASSWORD };
    const other = await call<{ access_token: string }>(gateway, '/api/auth/login', login);
    const { session_id } = await shellOn(gateway, server_id, { token: other.access_token });
    await gateway.kill();
    await place.without((offline) => call(offline, '/api/auth/logout', {}, other.access_token));
    gateway = await place.start();
    await eventually(async () => {
      const closes = await audited(gateway, 'terminal_close');
      expect(closes[0]).toMatch(/\(terminal_ended\)$/);
    });
    const client = resumed(gateway, { session_id }, gateway);
    expect((await client.closed()).code).toBe(4004);
  });

  it('ends its terminals with 4011 when it dies, and another one is started', async () => {
    const { client } = await shellOn(gateway, server_id, gateway);
    process.kill(await place.keeperPid(), 'SIGKILL');
    expect(await client.frame('error')).toMatchObject({ code: 'keeper_lost' });
    expect((await client.closed()).code).toBe(4011);
    const again = await shellOn(gateway, server_id, gateway);
    again.client.type('echo new-$((40+2))\r');
    await again.client.sees(/new-42/);
    again.client.close(1000);
  });
});
