import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Program } from '#core/ports/programs.ts';
import type { SshTarget } from '#core/ports/ssh.ts';
import { runs } from '../../support/hosts/processes.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { startProxy } from '../../support/hosts/tcp.ts';
import { failureOf, NEVER, targetTo, worker } from '../setup.ts';
import { startHostileHost } from '../sftp/protocol/hostile-host.ts';
import { readAll, readText, writeAll, writeRepeatedly } from '../streams.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

const MIB = 1024 * 1024;
const run = (command: string, signal = NEVER, target: SshTarget = targetTo(sshd)): Promise<Program> =>
  worker().programs.run(target, command, { signal });

/** What a program without input says, and how it ends. */
async function outcomeOf({ stdin, stdout, stderr, ended }: Program) {
  stdin.close().catch(() => {});
  const [out, err, end] = await Promise.all([readText(stdout), readText(stderr), ended]);
  return { out, err, end };
}

const exited = (code: number) => ({ kind: 'exit', code, signal: null });

describe('a program', () => {
  it('runs as a command line of the shell, with its two outputs apart', async () => {
    expect(await outcomeOf(await run('echo "to $((1 + 1))"; echo no >&2'))).toEqual({
      out: 'to 2\n',
      err: 'no\n',
      end: exited(0),
    });
  });

  it('reports its exit code', async () => {
    expect((await outcomeOf(await run('exit 3'))).end).toEqual(exited(3));
  });

  it('reports the signal that ended it', async () => {
    expect((await outcomeOf(await run('kill -TERM $$'))).end).toEqual({
      kind: 'exit',
      code: null,
      signal: 'SIGTERM',
    });
  });

  it('gets its input, and the end of it', async () => {
    const program = await run('cat; echo over');
    const content = Buffer.alloc(5 * MIB, 'abc');
    const [output] = await Promise.all([readAll(program.stdout), writeAll(program.stdin, content)]);
    expect(output.equals(Buffer.concat([content, Buffer.from('over\n')]))).toBe(true);
    expect(await program.ended).toEqual(exited(0));
  });

  it('ends though nobody reads an output that is empty', async () => {
    const program = await run('cat; echo over');
    await Promise.all([readAll(program.stdout), program.stdin.close()]);
    expect(await program.ended).toEqual(exited(0));
  });

  it('runs on after it has closed its outputs', async () => {
    const program = await run('exec >&- 2>&-; read -r line; exit 3');
    expect([await readText(program.stdout), await readText(program.stderr)]).toEqual(['', '']);
    await writeAll(program.stdin, Buffer.from('line\n'));
    expect(await program.ended).toEqual(exited(3));
  });

  it('that does not read its input ends, and the input with it', async () => {
    const program = await run('exec true');
    const { done } = writeRepeatedly(program.stdin, Buffer.alloc(MIB), Number.POSITIVE_INFINITY);
    expect(await failureOf(done)).toMatchObject({ code: 'host_disconnected' });
    await Promise.all([program.stdout.cancel(), program.stderr.cancel()]);
    expect(await program.ended).toEqual(exited(0));
  });

  it('leaves no connection behind', async () => {
    await outcomeOf(await run('true'));
    await expect.poll(async () => (await sshd.sessionProcesses()).length).toBe(0);
  });

  it('has no terminal', async () => {
    expect((await outcomeOf(await run('tty'))).out).toContain('not a tty');
  });
});

describe('a program that is faster than its reader', () => {
  it('waits until somebody reads', async () => {
    const mark = join(sshd.folder, 'all-written');
    const program = await run(`head -c ${16 * MIB} /dev/zero; touch ${mark}`);
    const reader = program.stdout.getReader();
    await reader.read();
    await outcomeOf(await run('true')); // meanwhile
    expect(existsSync(mark)).toBe(false);
    reader.releaseLock();
    expect((await readAll(program.stdout)).length).toBeGreaterThan(14 * MIB);
    await program.stderr.cancel();
    expect(await program.ended).toEqual(exited(0));
    expect(existsSync(mark)).toBe(true);
  });

  it('may fill one output while the other is read', async () => {
    const program = await run('for i in $(seq 200); do head -c 65536 /dev/zero; echo $i >&2; done');
    const reader = program.stderr.getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toMatch(/^1\n/);
    reader.releaseLock();
    const errors = readText(program.stderr);
    await outcomeOf(await run(`head -c ${8 * MIB} /dev/zero`)); // meanwhile
    expect((await readAll(program.stdout)).length).toBe(200 * 65536);
    expect(await errors).toMatch(/200\n$/);
    expect(await program.ended).toEqual(exited(0));
  });

  it('runs to its end when its output is not wanted', async () => {
    const program = await run(`head -c ${16 * MIB} /dev/zero; echo over >&2`);
    await program.stdout.cancel();
    expect(await readText(program.stderr)).toBe('over\n');
    expect(await program.ended).toEqual(exited(0));
  });
});

describe('a program that is slower than its writer', () => {
  it('makes the writer wait', async () => {
    const go = join(sshd.folder, 'go');
    const program = await run(`until [ -e ${go} ]; do sleep 0.05; done; wc -c`);
    const { written, done } = writeRepeatedly(program.stdin, Buffer.alloc(MIB), 16);
    await expect.poll(written).toBeGreaterThan(0);
    await outcomeOf(await run('true')); // meanwhile
    expect(written()).toBeLessThan(16);
    writeFileSync(go, '');
    expect((await readText(program.stdout)).trim()).toBe(String(16 * MIB));
    await done;
  });
});

describe('a program ends', () => {
  it('with its signal', async () => {
    const stop = new AbortController();
    const reason = new Error('No longer wanted');
    const program = await run('exec sleep 7401', stop.signal);
    await expect.poll(() => runs('sleep 7401')).toBe(true);
    const reading = readText(program.stdout);
    stop.abort(reason);
    await expect(program.ended).rejects.toBe(reason);
    await expect(reading).rejects.toBe(reason);
    await expect.poll(() => runs('sleep 7401')).toBe(false);
  });

  it('when its input is aborted, which is not all of it', async () => {
    const reason = new Error('The sender is gone');
    const program = await run('exec sleep 7402');
    await expect.poll(() => runs('sleep 7402')).toBe(true);
    await program.stdin.abort(reason);
    await expect(program.ended).rejects.toBe(reason);
    await expect.poll(() => runs('sleep 7402')).toBe(false);
  });

  it('before it begins, if its signal has been aborted', async () => {
    const reason = new Error('No longer wanted');
    await expect(run('true', AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('as lost when the line breaks, for all who read and write', async () => {
    const proxy = await startProxy(sshd.port);
    const program = await run('exec sleep 7403', NEVER, targetTo(sshd, { port: proxy.port }));
    const reading = failureOf(readText(program.stdout));
    proxy.cut();
    expect(await program.ended).toMatchObject({ kind: 'lost', fault: { code: 'host_disconnected' } });
    expect(await reading).toMatchObject({ code: 'host_disconnected' });
    const writing = program.stdin.getWriter().write(Buffer.from('late'));
    expect(await failureOf(writing)).toMatchObject({ code: 'host_disconnected' });
    await proxy.stop();
  });

  it('as lost when the host dies with an output that nobody has read', async () => {
    const proxy = await startProxy(sshd.port);
    const program = await run(`head -c ${8 * MIB} /dev/zero`, NEVER, targetTo(sshd, { port: proxy.port }));
    await program.stdout.getReader().read();
    proxy.cut();
    expect(await program.ended).toMatchObject({ kind: 'lost', fault: { code: 'host_disconnected' } });
    await proxy.stop();
  });

  it('with the gateway', async () => {
    const own = worker();
    const program = await own.programs.run(targetTo(sshd), 'exec sleep 7404', { signal: NEVER });
    own.close();
    expect(await program.ended).toMatchObject({ kind: 'lost', fault: { code: 'shutting_down' } });
  });
});

describe('a host', () => {
  it('that runs no programs says so', async () => {
    const hostile = await startHostileHost({});
    expect(await failureOf(run('true', NEVER, hostile.target))).toMatchObject({ code: 'shell_refused' });
    await hostile.stop();
  });

  it('that ignores the window is disconnected', async () => {
    const CHUNK = Buffer.alloc(32_000);
    const hostile = await startHostileHost({
      exec(channel) {
        const { outgoing } = channel as unknown as { outgoing: { window: number } };
        for (let sent = 0; sent < 16 * MIB; sent += CHUNK.length) {
          outgoing.window = 2 ** 30; // ssh2's server side is told that there is always room
          channel.write(CHUNK);
        }
      },
    });
    const program = await run('true', NEVER, hostile.target);
    expect(await program.ended).toMatchObject({ kind: 'lost', fault: { code: 'ssh_protocol' } });
    await hostile.stop();
  });
});
