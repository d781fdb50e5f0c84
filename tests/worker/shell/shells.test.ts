import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { startProxy } from '../../support/hosts/tcp.ts';
import { failureOf, hopTo, request, type Screen, targetTo, watch, worker } from '../setup.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

const open = async (target = targetTo(sshd)): Promise<Screen> =>
  watch(await worker().shells.open(target, request()));

describe('a shell', () => {
  it('is a login shell on a pty of the requested size and type', async () => {
    const screen = await open();
    screen.type('shopt -q login_shell && echo "login=yes $TERM $(stty size)"\n');
    await screen.shows('login=yes xterm-256color 24 80');
  });

  it('echoes its input', async () => {
    const screen = await open();
    screen.type('echo mar""ker\n');
    await screen.shows('echo mar""ker');
    await screen.shows('marker\r\n');
  });

  it('resizes the pty', async () => {
    const screen = await open();
    screen.shell.resize({ cols: 132, rows: 43 });
    screen.type('echo "now $(stty size)"\n');
    await screen.shows('now 43 132');
  });

  it('reports the exit code', async () => {
    const screen = await open();
    screen.type('exit 7\n');
    expect(await screen.ended).toEqual({ kind: 'exit', code: 7, signal: null });
  });

  it('reports the signal that ended the shell', async () => {
    const screen = await open();
    screen.type('kill -KILL $$\n');
    expect(await screen.ended).toEqual({ kind: 'exit', code: null, signal: 'SIGKILL' });
  });

  it('ends once, after the last byte of output', async () => {
    const screen = await open();
    screen.type('head -c 3000000 /dev/zero | tr "\\0" x; echo; echo last""word; exit\n');
    await screen.ended;
    expect(screen.bytes().length).toBeGreaterThan(3_000_000);
    expect(screen.text()).toContain('lastword');
    expect(screen.ends()).toBe(1);
  });

  it('buffers its output until there is a listener', async () => {
    const shell = await worker().shells.open(targetTo(sshd), request());
    shell.write(Buffer.from('echo ear""ly; exit 3\n'));
    await new Promise(setImmediate);
    const screen = watch(shell);
    expect(await screen.ended).toMatchObject({ code: 3 });
    expect(screen.text()).toContain('early');
  });

  it('passes bytes that are not UTF-8 unchanged', async () => {
    const screen = await open();
    screen.type('printf "\\377\\376<\\303>"; exit\n');
    await screen.ended;
    expect(screen.bytes().includes(Buffer.from([0xff, 0xfe, 0x3c, 0xc3, 0x3e]))).toBe(true);
  });
});

describe('flow control', () => {
  it('blocks the remote program while paused, and loses nothing', async () => {
    const screen = await open();
    const total = 40_000_000;
    screen.type(`stty -opost; echo rea""dy; read -r; head -c ${total} /dev/zero | tr "\\0" x; exit\n`);
    await screen.shows('ready');
    screen.shell.pause();
    screen.type('\n');
    const writer = await sleepingWriter();
    expect(writer.written).toBeLessThan(total / 2);
    screen.shell.resume();
    await screen.ended;
    expect(screen.bytes().length).toBeGreaterThanOrEqual(total);
  });
});

/** Waits until `tr` has stopped writing, by its own count of bytes. */
async function sleepingWriter(): Promise<{ written: number }> {
  let before = -1;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (const pid of await sshd.sessionProcesses()) {
      const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
      if (name.trim() !== 'tr') continue;
      const written = Number(/wchar: (\d+)/.exec(await readFile(`/proc/${pid}/io`, 'utf8'))?.[1]);
      if (written > 0 && written === before) return { written };
      before = written;
    }
  }
}

describe('the end of a connection', () => {
  it('to a host that dies is reported as host_disconnected', async () => {
    const own = await startSshd();
    const screen = await open(targetTo(own));
    screen.type('echo rea""dy\n');
    await screen.shows('ready');
    await own.killSessions();
    const end = await screen.ended;
    expect(end).toMatchObject({ kind: 'lost', fault: { code: 'host_disconnected' } });
    await own.stop();
  });

  it('through a jump host that dies ends the shell', async () => {
    const bastion = await startSshd();
    const screen = await open({ hops: [hopTo(bastion, { name: 'bastion' }), hopTo(sshd)] });
    screen.type('echo rea""dy\n');
    await screen.shows('ready');
    await bastion.killSessions();
    const end = await screen.ended;
    expect(end).toMatchObject({
      kind: 'lost',
      fault: { code: 'host_disconnected', options: { hop: 'bastion' } },
    });
    await bastion.stop();
  });

  it('delivers what arrived before it was cut', async () => {
    const proxy = await startProxy(sshd.port);
    const screen = await open(targetTo(sshd, { port: proxy.port }));
    screen.type('echo bef""ore\n');
    await screen.shows('before');
    proxy.cut();
    expect(await screen.ended).toMatchObject({ kind: 'lost' });
    await proxy.stop();
  });

  it('follows the shell, and is reported once', async () => {
    const proxy = await startProxy(sshd.port);
    const screen = await open(targetTo(sshd, { port: proxy.port }));
    screen.shell.close();
    screen.shell.close();
    expect(await screen.ended).toEqual({ kind: 'exit', code: null, signal: null });
    await proxy.idle();
    expect(screen.ends()).toBe(1);
    await proxy.stop();
  });

  it('follows when the shell ends by itself', async () => {
    const proxy = await startProxy(sshd.port);
    const screen = await open(targetTo(sshd, { port: proxy.port }));
    screen.type('exit\n');
    await screen.ended;
    await proxy.idle();
    await proxy.stop();
  });

  it('ignores later writes', async () => {
    const screen = await open();
    screen.type('exit\n');
    await screen.ended;
    expect(screen.shell.write(Buffer.from('too late'))).toBe(true);
  });

  it('is reported at the stage shell when the host allows no sessions', async () => {
    const strict = await startSshd({ config: ['MaxSessions 0'] });
    const failure = await failureOf(worker().shells.open(targetTo(strict), request()));
    await strict.stop();
    expect(failure).toMatchObject({ code: 'shell_refused', stage: 'shell' });
  });

  it('follows an abort while the shell is opening', async () => {
    const proxy = await startProxy(sshd.port);
    const abort = new AbortController();
    const opening = worker().shells.open(
      targetTo(sshd, { port: proxy.port }),
      request({ signal: abort.signal }),
    );
    setTimeout(() => abort.abort(new Error('gone')), 30);
    await expect(opening).rejects.toThrow('gone');
    await proxy.idle();
    await proxy.stop();
  });

  it('follows when the worker closes', async () => {
    const own = worker();
    const screen = watch(await own.shells.open(targetTo(sshd), request()));
    own.close();
    expect(await screen.ended).toMatchObject({ kind: 'lost', fault: { code: 'shutting_down' } });
  });
});
