import { setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Shell } from '#core/ports/ssh.ts';
import { systemClock as clock } from '#server/lib/clock.ts';
import { createKeeperClient, type KeeperClient } from '#worker/keeper/client/keeper-client.ts';
import { type Keeper, openKeeper } from '#worker/keeper/keeper.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { startSilentPeer } from '../../support/hosts/tcp.ts';
import { failureOf, request, targetTo, trustAll, watch } from '../setup.ts';

const MIB = 1024 * 1024;
const log = { debug() {}, info() {}, warn() {}, error() {} };

let sshd: Sshd;
let dir: string;
let keeper: Keeper;
let client: KeeperClient;
beforeAll(async () => {
  sshd = await startSshd();
  dir = mkdtempSync(join(tmpdir(), 'keeper-'));
  const options = { dir, clock, log, version: '1' };
  keeper = await openKeeper({ ...options, idle_exit_ms: undefined });
  client = createKeeperClient({
    ...options,
    start: () => undefined,
    host_keys: trustAll(),
    background: { run: (_what, work) => void work.catch(() => undefined) },
    connect_timeout_ms: 10_000,
    lang: undefined,
  });
});
afterAll(async () => {
  client.close();
  keeper.close();
  await sshd.stop();
  rmSync(dir, { recursive: true });
});

const open = () => client.shells.open(targetTo(sshd), request());

/** Another user's terminal, which must go on. */
async function bystander() {
  const screen = watch(await open());
  return async () => {
    screen.type('echo al""ive\n');
    await screen.shows('alive');
    return screen.ends() === 0;
  };
}

it('A paste of megabytes into a program that reads nothing ends nobody’s terminal', async () => {
  const isAlive = await bystander();
  const { pasted, has_ended } = pasteInto(await open());
  await pasted;
  expect([await isAlive(), has_ended()]).toEqual([true, false]);
});

it('More terminals at once than a keeper opens are refused, and end nobody’s terminal', async () => {
  const isAlive = await bystander();
  const silent = await startSilentPeer();
  const giving_up = new AbortController();
  setMaxListeners(0, giving_up.signal);
  const ask = () =>
    client.shells.open(targetTo(sshd, { port: silent.port }), request({ signal: giving_up.signal }));
  const pending = Array.from({ length: 1000 }, ask);
  for (const one of pending) one.catch(() => undefined);
  expect(await failureOf(ask())).toMatchObject({
    code: 'host_busy',
    detail: 'This gateway is already opening 1,000 terminals',
  });
  giving_up.abort(new Error('gone'));
  expect(await isAlive()).toBe(true);
  await silent.stop();
});

/** Starts a program that reads nothing, and pastes for as long as the shell takes more, as a gateway does. */
function pasteInto(shell: Shell) {
  let has_ended = false;
  let messages = 0;
  let done = () => {};
  const pasted = new Promise<void>((resolve) => {
    done = resolve;
  });
  /** More than the window of the host and the buffer of its connection. */
  const paste = () => {
    shell.write(Buffer.alloc(3 * MIB, 'x'));
    messages += 1;
    if (messages === 2) done();
  };
  shell.start({
    data() {},
    drain: paste,
    end() {
      has_ended = true;
    },
  });
  shell.write(Buffer.from('stty raw -echo; sleep 1000\n'));
  paste();
  return { pasted, has_ended: () => has_ended };
}
