import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { eventually } from '../../support/eventually.ts';
import { addHost, openingTerminal, serverOf, signInsAt, testOf } from '../../support/features/chain.ts';
import { answer, asked, promptsOf } from '../../support/features/prompts.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type KeptLog, keepLog } from '../../support/gateway/logs.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { startSilentPeer } from '../../support/hosts/tcp.ts';

const TYPED = { auth_method: 'prompt', password: '' };
const BOTH = [
  { text: 'Username', echo: true },
  { text: 'Password', echo: false },
];

let database: FreshDatabase;
let log: KeptLog;
let gateway: TestGateway;
let sshd: Sshd;
let server: Server;

beforeAll(async () => {
  database = await migratedDatabaseUrl('sqlite');
  log = keepLog();
  sshd = await startSshd();
  gateway = await startGateway({
    database_url: database.url,
    log,
    env: { SERVICE_SSH_CONNECT_TIMEOUT: '2' },
  });
  server = await addHost(gateway, { name: 'typed', sshd, ...TYPED });
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
  await database?.cleanup();
});

async function untilNobodyIsThere(): Promise<void> {
  await eventually(async () => expect(await sshd.sessionProcesses()).toEqual([]));
}

describe('A terminal of a server without stored credentials', () => {
  it('prompts for username and password after host-key verification, before the username is sent', async () => {
    const fresh = await addHost(gateway, { name: 'fresh', sshd, ...TYPED });
    const told = signInsAt(sshd);
    const terminal = openingTerminal(gateway, fresh.id);
    expect(await asked(terminal)).toEqual({
      type: 'prompt',
      name: 'fresh',
      instructions: `Sign in to fresh (127.0.0.1:${sshd.port})`,
      prompts: [
        { text: 'Username', echo: true, value: sshd.username },
        { text: 'Password', echo: false },
      ],
    });
    expect((await serverOf(gateway.admin, fresh.id)).host_key_fingerprint).toBe(await sshd.hostFingerprint());
    expect(signInsAt(sshd)).toBe(told);
    terminal.close(1000);
  });

  it('opens a shell for the right answers', async () => {
    const terminal = openingTerminal(gateway, server.id);
    await asked(terminal);
    answer(terminal, sshd.username, sshd.password);
    await terminal.frame('session');
    terminal.type('echo here-$((1 + 1))\r');
    await terminal.sees(/here-2/);
    terminal.close(1000);
  });

  it('uses the username of the record when none is typed', async () => {
    const terminal = openingTerminal(gateway, server.id);
    await asked(terminal);
    answer(terminal, '', sshd.password);
    await terminal.frame('session');
    terminal.close(1000);
  });

  it('prompts again after wrong answers, three times in all, then ends with 1011', async () => {
    const terminal = openingTerminal(gateway, server.id);
    await asked(terminal);
    answer(terminal, '', 'wrong');
    for (const count of [2, 3]) {
      const again = await asked(terminal, count);
      expect(again?.['prompts']).toEqual([{ text: 'Password', echo: false }]);
      expect(again?.['instructions']).toContain('refused the password');
      answer(terminal, 'wrong');
    }
    expect(await terminal.frame('error')).toMatchObject({ code: 'host_auth_failed', stage: 'auth' });
    expect((await terminal.closed()).code).toBe(1011);
    expect(promptsOf(terminal)).toHaveLength(3);
  });

  it('opens a shell when the second answer is right', async () => {
    const terminal = openingTerminal(gateway, server.id);
    await asked(terminal);
    answer(terminal, sshd.username, 'wrong');
    await asked(terminal, 2);
    answer(terminal, sshd.password);
    await terminal.frame('session');
    terminal.close(1000);
  });

  it('closes the connection to the host at once when the person leaves', async () => {
    await untilNobodyIsThere();
    const terminal = openingTerminal(gateway, server.id);
    await asked(terminal);
    expect(await sshd.sessionProcesses()).not.toEqual([]);
    terminal.close(1001);
    await untilNobodyIsThere();
  });

  it.each([
    ['too few', ['only one']],
    ['too many', ['one', 'two', 'three']],
    ['no', []],
  ])('closes with 1008 for %s answers', async (_what, answers) => {
    const terminal = openingTerminal(gateway, server.id);
    await asked(terminal);
    answer(terminal, ...answers);
    expect((await terminal.closed()).code).toBe(1008);
    await untilNobodyIsThere();
  });

  it('gives the person longer than SERVICE_SSH_CONNECT_TIMEOUT', async () => {
    const terminal = openingTerminal(gateway, server.id);
    await asked(terminal);
    const peer = await startSilentPeer();
    const silent = await gateway.addServer({ name: 'silent', port: peer.port });
    expect(await openingTerminal(gateway, silent.id).frame('error')).toMatchObject({
      code: 'connect_timeout',
    });
    await peer.stop();
    answer(terminal, sshd.username, sshd.password);
    await terminal.frame('session');
    terminal.close(1000);
  });

  it('leaves no typed secret in database, audit or log', async () => {
    const terminal = openingTerminal(gateway, server.id);
    await asked(terminal);
    answer(terminal, 'a name nobody has', 'typed-and-wrong');
    await asked(terminal, 2);
    answer(terminal, sshd.password);
    await asked(terminal, 3);
    terminal.close(1000);
    await untilNobodyIsThere();
    const kept = await Promise.all(['', '-wal'].map((end) => readFile(`${database.url}${end}`, 'latin1')));
    const { body } = await gateway.admin.call('GET', '/api/auth/audit?limit=500');
    for (const text of [...kept, JSON.stringify(body), log.lines.join('\n')]) {
      expect(text).not.toBe('');
      for (const secret of [sshd.password, 'typed-and-wrong']) expect(text).not.toContain(secret);
    }
  });
});

describe('The test of a server without stored credentials', () => {
  it('succeeds as far as the host key, and says that it did not authenticate', async () => {
    await untilNobodyIsThere();
    const told = signInsAt(sshd);
    const { success, stages } = await testOf(gateway.admin, server.id);
    expect(success).toBe(true);
    expect(stages.map(({ name }) => name)).toEqual(['resolve', 'tcp', 'handshake', 'host_key', 'auth']);
    expect(stages.at(-1)?.detail).toMatch(/^Not tried/);
    await untilNobodyIsThere();
    expect(signInsAt(sshd)).toBe(told);
  });
});

describe('A jump host without stored credentials', () => {
  it('prompts under its own name, and the server behind it uses its stored credential', async () => {
    const bastion = await addHost(gateway, { name: 'bastion', sshd, ...TYPED });
    const inner = await addHost(gateway, { name: 'behind', sshd, jump_via_id: bastion.id });
    const terminal = openingTerminal(gateway, inner.id);
    expect(await asked(terminal)).toMatchObject({ name: 'bastion', prompts: BOTH });
    answer(terminal, sshd.username, sshd.password);
    await terminal.frame('session');
    expect(promptsOf(terminal)).toHaveLength(1);
    terminal.close(1000);
  });

  it('prompts before the server behind it does', async () => {
    const bastion = await addHost(gateway, { name: 'first', sshd, ...TYPED });
    const inner = await addHost(gateway, { name: 'second', sshd, ...TYPED, jump_via_id: bastion.id });
    const terminal = openingTerminal(gateway, inner.id);
    for (const [index, name] of ['first', 'second'].entries()) {
      expect(await asked(terminal, index + 1)).toMatchObject({ name });
      answer(terminal, sshd.username, sshd.password);
    }
    await terminal.frame('session');
    terminal.close(1000);
  });

  it('is named when its password is wrong', async () => {
    const bastion = await addHost(gateway, { name: 'mistyped', sshd, ...TYPED });
    const inner = await addHost(gateway, { name: 'unreached', sshd, jump_via_id: bastion.id });
    const terminal = openingTerminal(gateway, inner.id);
    for (const [count, answers] of [['', 'wrong'], ['wrong'], ['wrong']].entries()) {
      await asked(terminal, count + 1);
      answer(terminal, ...answers);
    }
    expect(await terminal.frame('error')).toMatchObject({ code: 'host_auth_failed', hop: 'mistyped' });
  });
});
