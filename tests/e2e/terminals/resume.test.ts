import { createHash, randomBytes, randomInt } from 'node:crypto';
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { makeExpired } from '../../support/features/accounts.ts';
import { cut, type OpenShell, resumed, shellOn, socketTo } from '../../support/features/shells.ts';
import { type Actor, startGateway, type TestGateway, USER_PASSWORD } from '../../support/gateway/gateway.ts';
import type { TerminalClient } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

let sshd: Sshd;
let gateway: TestGateway;
let server_id: number;
/** A gateway that ends terminals soon. */
let short: TestGateway;
let short_server: number;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway({ env: { SERVICE_RESUME_SECONDS: '60' } });
  server_id = (await addHost('resumed')).id;
  short = await startGateway({
    env: { SERVICE_RESUME_SECONDS: '1', SERVICE_SESSION_TIMEOUT: '2', SERVICE_MAX_SESSIONS_PER_USER: '2' },
  });
  short_server = (await addHost('short', short)).id;
});
afterAll(async () => {
  await gateway?.close();
  await short?.close();
  await sshd?.stop();
});

function addHost(name: string, where = gateway) {
  const { port, username, password } = sshd;
  return where.addServer({ name, port, username, password });
}

const open = (actor = gateway.admin) => shellOn(gateway, server_id, actor);
/** Without the output of the shell's line editor. */
const plain = (client: TerminalClient) =>
  client
    .output()
    .replaceAll('\x1b[?2004h', '')
    .replaceAll('\x1b[?2004l', '')
    .replaceAll(/[\r\n]/g, '');
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('Resume', () => {
  it('returns to the same shell with exactly the missed bytes', async () => {
    const { client, session_id } = await open();
    client.type('stty -echo; PS1=; MARK=same-shell; printf "%s" ready-$((1+1))\r');
    await client.sees(/ready-2/);
    const offset = client.outputBytes().length;
    client.type('sleep 0.3; printf "missed-%s" $((40 + 2))\r');
    await cut(client);
    const again = resumed(gateway, { session_id, offset }, gateway.admin);
    expect(await again.frame('session')).toMatchObject({ session_id, offset, server: 'resumed' });
    await again.sees(/missed-42/);
    again.type('printf "%s" "[$MARK]"\r');
    await again.sees(/\[same-shell\]/);
    expect(plain(again)).toBe('missed-42[same-shell]');
    again.close(1000);
  });

  it('without an offset sends the scrollback and the current screen first', async () => {
    const { client, session_id } = await open();
    client.type('stty -echo; PS1=; seq -f "row %g." 100; printf "on the %s" screen\r');
    await client.sees(/on the screen/);
    await cut(client);
    const again = resumed(gateway, { session_id }, gateway.admin);
    const { gap, screen_bytes, cols, rows } = await again.frame('session');
    expect([gap, cols, rows]).toEqual([true, 80, 24]);
    await again.sees(/on the screen/);
    // Part of the prompt may follow.
    expect(again.outputBytes().subarray(0, Number(screen_bytes)).toString()).toMatch(
      /row 1\.[\s\S]*row 100\.[\s\S]*on the screen/,
    );
    again.close(1000);
  });

  it('says `gap` when more was missed than is kept, and continues from the new offset', async () => {
    const { client, session_id } = await open();
    client.type(
      `stty -opost -echo; PS1=; sleep 0.2; head -c 3000000 /dev/zero | tr "\\0" x; : > ${sshd.folder}/flooded; printf OVER; read line\r`,
    );
    await cut(client);
    await eventually(() => access(join(sshd.folder, 'flooded')));
    const again = resumed(gateway, { session_id, offset: 10 }, gateway.admin);
    await again.sees(/OVER/);
    const frame = await again.frame('session');
    expect(frame).toMatchObject({ gap: true });
    expect(Number(frame['offset'])).toBeGreaterThan(1_300_000);
    again.close(1000);
  });

  it('by a second device takes the terminal over; the first gets 4009 terminal_taken_over', async () => {
    const { client, session_id } = await open();
    const second = resumed(gateway, { session_id }, gateway.admin);
    await second.frame('session');
    expect(await client.frame('error')).toMatchObject({ code: 'terminal_taken_over' });
    expect((await client.closed()).code).toBe(4009);
    second.type('echo second-$((1 + 1))\r');
    await second.sees(/second-2/);
    second.close(1000);
  });

  it('by a second device that may not take the terminal over gets 4009, and is not recorded as taking it over', async () => {
    const user = await gateway.user({ username: 'twofold', allowed_groups: ['lab'] });
    const { client, session_id } = await open(user);
    const elsewhere = await gateway.signIn('twofold', USER_PASSWORD);
    const second = socketTo(gateway, `resume/${session_id}?client_id=second&take_over=false`, elsewhere);
    expect(await second.frame('error')).toMatchObject({ code: 'terminal_in_use' });
    expect((await second.closed()).code).toBe(4009);
    const path = '/api/auth/audit?username=twofold&action=terminal_resume';
    expect((await gateway.admin.call('GET', path)).body).toEqual([]);
    client.close(1000);
  });

  it('still delivers the last output and the exit of a shell that has ended', async () => {
    const { client, session_id } = await open();
    client.type('stty -echo; PS1=; printf "%s" begun-$((1+1))\r');
    await client.sees(/begun-2/);
    const offset = client.outputBytes().length;
    client.type('sleep 0.2; printf farewell; exit 5\r');
    await cut(client);
    const again = resumed(gateway, { session_id, offset }, gateway.admin);
    expect(await again.frame('exit')).toMatchObject({ code: 5 });
    expect(plain(again)).toBe('farewelllogout');
    expect((await again.closed()).code).toBe(1000);
  });

  it('is for the same user only, and 4004 for an unknown session', async () => {
    const { client, session_id } = await open();
    const other = await gateway.user({ username: 'stranger', allowed_groups: ['lab'], is_admin: true });
    expect((await resumed(gateway, { session_id }, other).closed()).code).toBe(4004);
    expect((await resumed(gateway, { session_id: 'unknown' }, gateway.admin).closed()).code).toBe(4004);
    client.close(1000);
    await client.closed();
  });

  it('checks the rights again', async () => {
    const host = await addHost('taken away');
    const user = await gateway.user({ username: 'resumer', allowed_groups: ['lab'] });
    const { client, session_id } = await shellOn(gateway, host.id, user);
    await cut(client);
    await gateway.admin.call('PUT', `/api/servers/${host.id}`, { group: 'elsewhere' });
    expect((await resumed(gateway, { session_id }, user).closed()).code).toBe(4004);
  });

  it('is impossible once its owner has closed with 1000', async () => {
    const { client, session_id } = await open();
    client.close(1000);
    await client.closed();
    expect((await resumed(gateway, { session_id }, gateway.admin).closed()).code).toBe(4004);
  });

  it('delivers every byte of random output once, in order, whatever drops occur', async () => {
    const parts = Array.from({ length: 12 }, () => randomBytes(randomInt(1, 700_000)));
    await Promise.all(parts.map((part, n) => writeFile(join(sshd.folder, `part-${n}`), part)));
    const { client: first, session_id } = await open();
    first.type(
      `stty raw -echo; PS1=; cd ${sshd.folder}; printf 'GO%s' NOW; while read -r n; do cat part-$n; done\r`,
    );
    await first.sees(/GONOW/);
    const before = first.outputBytes();
    const stream = new Stream(first, session_id, before.length);
    for (const [n, part] of parts.entries()) {
      stream.client.type(`${n}\n`);
      const until = stream.total() + part.length;
      for (let cuts = randomInt(0, 3); cuts > 0; cuts -= 1) {
        await stream.upTo(randomInt(stream.total(), until + 1));
        await stream.cutAndResume();
      }
      await stream.upTo(until);
    }
    expect(sha256(stream.bytes())).toBe(sha256(Buffer.concat(parts)));
    stream.client.close(1000);
  });
});

/** The output of one shell over several sockets. */
class Stream {
  client: TerminalClient;
  readonly #session_id: string;
  readonly #offset: number;
  readonly #parts: Buffer[] = [];
  #skip: number;

  constructor(client: TerminalClient, session_id: string, offset: number) {
    this.client = client;
    this.#session_id = session_id;
    this.#offset = offset;
    this.#skip = offset;
  }

  bytes(): Buffer {
    return Buffer.concat([...this.#parts, this.client.outputBytes().subarray(this.#skip)]);
  }

  total(): number {
    return this.bytes().length;
  }

  async upTo(total: number): Promise<void> {
    while (this.total() < total) await new Promise((resolve) => this.client.raw.once('message', resolve));
  }

  async cutAndResume(): Promise<void> {
    await cut(this.client);
    this.#parts.push(this.client.outputBytes().subarray(this.#skip));
    this.#skip = 0;
    const offset = this.#offset + Buffer.concat(this.#parts).length;
    this.client = resumed(gateway, { session_id: this.#session_id, offset }, gateway.admin);
    expect(await this.client.frame('session')).not.toHaveProperty('gap');
  }
}

interface Listed {
  readonly id: string;
  readonly last_activity: string;
}

describe('An expired session', () => {
  it('can no longer be resumed: 4004', async () => {
    const { client, session_id } = await shellOn(short, short_server, short.admin);
    await cut(client);
    await untilGone(short, session_id);
    expect((await resumed(short, { session_id }, short.admin).closed()).code).toBe(4004);
  });

  it('ends with 4010 after the idle timeout', async () => {
    const { client } = await shellOn(short, short_server, short.admin);
    expect(await client.frame('error')).toMatchObject({ code: 'idle_timeout' });
    expect((await client.closed()).code).toBe(4010);
  });

  it('counts while it is detached: one too many is 4008', async () => {
    const user = await short.user({ username: 'many', allowed_groups: ['lab'] });
    const first = await shellOn(short, short_server, user);
    const second = await shellOn(short, short_server, user);
    await cut(first.client);
    const third = socketTo(short, `${short_server}?cols=80&rows=24`, user);
    expect(await third.frame('error')).toMatchObject({ code: 'too_many_sessions' });
    expect((await third.closed()).code).toBe(4008);
    second.client.close(1000);
    await second.client.closed();
  });
});

describe('A terminal whose sign-in has expired', () => {
  async function leave(username: string) {
    const user = await gateway.user({ username, allowed_groups: ['lab'] });
    const shell = await open(user);
    await makeExpired(gateway, user);
    expect((await user.call('GET', '/api/auth/me')).status).toBe(401);
    const change = await gateway.admin.call('PUT', `/api/servers/${server_id}`, { name: username });
    expect(change.status).toBe(200); // it has checked the server's terminals
    shell.client.type('echo left-$((40 + 2))\r');
    await shell.client.sees(/left-42/);
    return shell;
  }

  async function end(actor: Actor, { client, session_id }: OpenShell): Promise<void> {
    const { body } = await actor.call<Listed[]>('GET', '/api/terminal/sessions');
    expect(body.map(({ id }) => id)).toContain(session_id);
    expect((await actor.call('DELETE', `/api/terminal/sessions/${session_id}`)).status).toBe(204);
    expect((await client.closed()).code).toBe(4009);
  }

  it('is listed for its user after a new sign-in, who can end it', async () => {
    const shell = await leave('returning');
    await end(await gateway.signIn('returning', USER_PASSWORD), shell);
  });

  it('is listed for the administrator, who can end it', async () => {
    await end(gateway.admin, await leave('absent'));
  });

  it('ends at the idle limit', async () => {
    const user = await short.user({ username: 'idle', allowed_groups: ['lab'] });
    const { client } = await shellOn(short, short_server, user);
    await makeExpired(short, user);
    expect(await client.frame('error')).toMatchObject({ code: 'idle_timeout' });
    expect((await client.closed()).code).toBe(4010);
  });
});

async function untilGone(where: TestGateway, id: string): Promise<void> {
  for (;;) {
    const { body } = await where.admin.call<Listed[]>('GET', '/api/terminal/sessions');
    if (!body.some((session) => session.id === id)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
