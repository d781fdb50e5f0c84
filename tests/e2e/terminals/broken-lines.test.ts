import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createClient } from '#client/client.ts';
import type { LinkState } from '#client/terminal/events.ts';
import { TerminalLink } from '#client/terminal/link.ts';
import type { TerminalTarget } from '#client/terminal/target.ts';
import { eventually } from '../../support/eventually.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { startProxy, type TcpProxy } from '../../support/hosts/tcp.ts';

let sshd: Sshd;
let gateway: TestGateway;
let network: TcpProxy;
let server_id: number;
let device: Device;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway();
  const { port, username, password } = sshd;
  server_id = (await gateway.addServer({ name: 'far', port, username, password })).id;
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});

beforeEach(async () => {
  network = await startProxy(Number(new URL(gateway.url).port));
  device = deviceOn({ kind: 'server', server_id });
});
afterEach(async () => {
  device.link.close();
  await network.stop();
});

type Device = ReturnType<typeof deviceOn>;

/** A client behind the network that the tests break. */
function deviceOn(target: TerminalTarget) {
  const client = createClient({
    base_url: `http://127.0.0.1:${network.port}`,
    credentials: gateway.admin.token,
    WebSocket,
  });
  const losses: object[] = [];
  const states: LinkState[] = [];
  let shown = '';
  let is_silent = false;
  let unread_bytes: number | undefined;
  const link: TerminalLink = new TerminalLink({
    client,
    target,
    size: { cols: 80, rows: 24 },
    events: {
      state: (state) => states.push(state),
      output: (bytes) => {
        shown += Buffer.from(bytes).toString();
        link.parsed(bytes.length);
      },
      input_lost: (loss) => losses.push(loss),
      silent: (since_ms) => {
        is_silent = since_ms !== undefined;
      },
      unread: (bytes) => {
        unread_bytes = bytes;
      },
    },
  });
  return {
    link,
    losses,
    state: () => states.at(-1),
    sees: (pattern: RegExp) => eventually(async () => expect(shown).toMatch(pattern)),
    open: () =>
      eventually(async () => expect(states.at(-1), JSON.stringify(states)).toMatchObject({ kind: 'open' })),
    silent: () => eventually(async () => expect(is_silent).toBe(true)),
    unread: () => unread_bytes,
  };
}

/** The shell writes what it is given to a file, as it is. */
async function intoFile(name: string): Promise<string> {
  const path = join(sshd.folder, name);
  await device.open();
  device.link.input(`stty raw -echo; echo rea''dy; exec cat > ${path}\r`);
  await device.sees(/ready/);
  return path;
}

describe('What is typed', () => {
  it('arrives exactly once, and in order, over connections that are reset while it is sent', async () => {
    const path = await intoFile('reset');
    let typed = '';
    for (let burst = 0; burst < 20; burst += 1) {
      const text = `${burst}:${randomBytes(300).toString('hex')},`.repeat(1 + (burst % 5));
      typed += text;
      device.link.input(text);
      if (burst % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
      if (burst % 4 === 1) network.cut();
      if (burst % 4 === 3) await device.open();
    }
    await eventually(async () => expect((await readFile(path, 'utf8')) === typed).toBe(true));
    expect(device.losses).toEqual([]);
  });

  it('on a line that has gone silent is told within seconds, and arrives exactly once', async () => {
    const path = await intoFile('silent');
    device.link.input('before,');
    await eventually(async () => expect(await readFile(path, 'utf8')).toBe('before,'));
    network.freeze();
    device.link.input('on the dead line,');
    await device.silent();
    device.link.reconnectNow();
    device.link.input('after');
    await eventually(async () => expect(await readFile(path, 'utf8')).toBe('before,on the dead line,after'));
    expect(device.losses).toEqual([]);
  });

  it('waits while the host reads nothing, which is reported, and arrives whole once it reads', async () => {
    const path = join(sshd.folder, 'late');
    const typed = 'x'.repeat(6 * 1024 * 1024); // about 4 MiB are on the way to the host
    await device.open();
    device.link.input(
      `stty raw -echo; mkfifo ${path}; echo rea''dy; read -r line < ${path}; head -c ${typed.length} | wc -c; stty sane\r`,
    );
    await device.sees(/ready/);
    device.link.input(typed);
    await eventually(() => expect(device.unread()).toBeGreaterThan(0));
    await writeFile(path, 'go\n');
    await device.sees(new RegExp(`^${typed.length}$`, 'm'));
    await eventually(() => expect(device.unread()).toBeUndefined());
    expect(device.losses).toEqual([]);
  });

  it('after the shell has ended on a silent line is reported as lost', async () => {
    await device.open();
    device.link.input('echo st""arted; read line < /dev/tty; exit\r');
    await device.sees(/started/);
    const state = device.state();
    const session_id = state?.kind === 'open' ? state.session_id : '';
    network.freeze();
    device.link.input('echo never\r');
    await gateway.admin.call('DELETE', `/api/terminal/sessions/${session_id}`);
    await device.silent();
    device.link.reconnectNow();
    await eventually(async () => expect(device.state()).toMatchObject({ kind: 'over' }));
    expect(device.losses).toMatchObject([{ is_certain: false }]);
  });
});

describe('A terminal that another device has', () => {
  it('is not taken back by a device that comes back by itself, but on request', async () => {
    await device.open();
    const state = device.state();
    const session_id = state?.kind === 'open' ? state.session_id : '';
    network.freeze(); // the device sleeps
    const phone = deviceOn({ kind: 'session', session_id });
    await phone.open();
    device.link.refresh(); // and wakes
    await eventually(async () => expect(device.state()).toMatchObject({ ending: { kind: 'taken_over' } }));
    expect(phone.state()).toMatchObject({ kind: 'open' });
    device.link.reconnectNow();
    await device.open();
    await eventually(async () => expect(phone.state()).toMatchObject({ ending: { kind: 'taken_over' } }));
  });
});
