import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Shell } from '#core/ports/ssh.ts';
import { systemClock as clock } from '#server/adapters/clock.ts';
import { createKeeperClient } from '#worker/keeper/client/keeper-client.ts';
import { openKeeper } from '#worker/keeper/keeper.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { request, targetTo, trustAll, watch } from '../setup.ts';

const MIB = 1024 * 1024;
const log = { debug() {}, info() {}, warn() {}, error() {} };

let sshd: Sshd;
let dir: string;
beforeAll(async () => {
  sshd = await startSshd();
  dir = mkdtempSync(join(tmpdir(), 'keeper-'));
});
afterAll(async () => {
  await sshd.stop();
  rmSync(dir, { recursive: true });
});

it('A paste of megabytes into a program that reads nothing ends nobody’s terminal', async () => {
  const options = { dir, clock, log, version: '1' };
  const keeper = await openKeeper({ ...options, idle_exit_ms: undefined });
  const { shells, close } = createKeeperClient({
    ...options,
    start: () => undefined,
    host_keys: trustAll(),
    background: { run: (_what, work) => void work.catch(() => undefined) },
    connect_timeout_ms: 10_000,
    lang: undefined,
  });
  const open = () => shells.open(targetTo(sshd), request());
  const other = watch(await open());
  const pasting = await open();
  const { pasted, has_ended } = pasteInto(pasting);
  await pasted;
  other.type('echo al""ive\n');
  await other.shows('alive');
  expect([has_ended(), other.ends()]).toEqual([false, 0]);
  close();
  keeper.close();
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
