import { describe, expect, it } from 'vitest';
import { createActivityRegistry } from '#core/activities/registry.ts';
import { Fault } from '#core/errors.ts';
import { guestOf, sessionDouble, settled } from './session-double.ts';

const KIB = 1024;
const packet = (fill = 120) => new Uint8Array(32 * KIB).fill(fill);

describe('Flow control', () => {
  it('leaves at most 1 MiB unparsed by a client that acks, and continues as it parses', () => {
    const { log, says, attach } = sessionDouble();
    const owner = attach();
    owner.attachment.ack(0);
    let sent = 0;
    for (; !log.includes('pause'); sent += 32 * KIB) {
      says(packet());
      owner.takeAll(); // The network accepts it all; the terminal has not parsed that far.
    }
    expect(sent).toBeLessThanOrEqual(KIB * KIB);
    expect(owner.bytes().length).toBe(sent);
    owner.attachment.ack(sent - 600 * KIB);
    expect(log).toEqual(['pause']);
    owner.attachment.ack(sent - 400 * KIB);
    expect(log).toEqual(['pause', 'resume']);
  });

  it('follows the socket’s buffer for a client that does not ack', () => {
    const { log, says, attach } = sessionDouble();
    const owner = attach();
    while (!log.includes('pause')) says(packet());
    expect(owner.bytes().length).toBeLessThanOrEqual(256 * KIB);
    owner.takeAll();
    expect(log).toEqual(['pause', 'resume']);
  });

  it('refuses an ack of bytes that were never sent', () => {
    const { says, attach } = sessionDouble();
    const { attachment } = attach();
    says('abc');
    expect(() => attachment.ack(4)).toThrow(new Fault('bad_frame', 'More bytes than were sent'));
  });

  it('pauses the socket while the shell accepts no input', () => {
    const { remote, attach, refuseInput } = sessionDouble();
    const { attachment, log } = attach();
    refuseInput();
    attachment.input(new Uint8Array(1));
    remote().drain();
    expect(log).toEqual(['pause input', 'resume input']);
  });

  it('waits for a recording that falls behind', () => {
    const { log, session } = sessionDouble();
    session.congest(true);
    session.congest(false);
    expect(log).toEqual(['pause', 'resume']);
  });
});

describe('Input of a client that gave its name', () => {
  const bytes = (text: string) => Buffer.from(text);

  it('is counted over its sockets, and only once the shell has it', () => {
    const { written, attach, refuseInput } = sessionDouble();
    const first = attach(0, { client_id: 'page' });
    first.attachment.input(bytes('abc'));
    refuseInput();
    first.attachment.input(bytes('d'));
    expect(first.attachment.input(bytes('waits'))).toBe(false);
    first.attachment.detach('dropped');
    first.attachment.input(bytes('late'));
    const again = attach(0, { client_id: 'page' });
    expect([first.begun[0]?.input_bytes, again.begun[0]?.input_bytes]).toEqual([undefined, 4]);
    expect([written.join(''), again.attachment.taken()]).toEqual(['abcd', 4]);
  });

  it('is counted apart from that of another device in between', () => {
    const { attach } = sessionDouble();
    const page = attach(0, { client_id: 'page' });
    page.attachment.input(bytes('abc'));
    attach(0, { client_id: 'phone' }).attachment.input(bytes('12345'));
    page.attachment.input(bytes('too late'));
    expect(attach(0, { client_id: 'page' }).begun[0]?.input_bytes).toBe(3);
  });

  it('is not counted for clients without a name, nor for more than eight', () => {
    const { attach } = sessionDouble();
    const nameless = attach();
    nameless.attachment.input(bytes('a'));
    expect(nameless.attachment.taken()).toBeUndefined();
    attach(0, { client_id: 'first' }).attachment.input(bytes('a'));
    for (let count = 0; count < 8; count += 1) attach(0, { client_id: `device-${count}` });
    expect(attach(0, { client_id: 'first' }).begun[0]?.input_bytes).toBeUndefined();
  });
});

describe('A client that does not want to take over', () => {
  const quietly = (client_id: string) => ({ client_id, take_over: false });

  it('is refused while another one has the terminal, which stays', () => {
    const { attach, says } = sessionDouble();
    const phone = attach(0, { client_id: 'phone' });
    expect(() => attach(0, quietly('page'))).toThrow(new Fault('terminal_in_use'));
    says('still here');
    expect([phone.bytes().toString(), phone.ends]).toEqual(['still here', []]);
  });

  it('replaces its own previous socket, and continues where nobody is', () => {
    const { attach } = sessionDouble();
    const first = attach(0, { client_id: 'page' });
    const second = attach(0, quietly('page'));
    expect(first.ends).toMatchObject([{ fault: { code: 'terminal_taken_over' } }]);
    second.attachment.detach('dropped');
    expect(attach(0, quietly('phone')).begun).toHaveLength(1);
  });
});

describe('Resume', () => {
  it('replays exactly what was missed, then continues', () => {
    const { says, attach } = sessionDouble();
    const first = attach();
    says('before ');
    first.attachment.detach('dropped');
    says('meanwhile ');
    const again = attach(7);
    says('after');
    expect(again.begun).toMatchObject([{ offset: 7, screen_bytes: undefined }]);
    expect(again.bytes().toString()).toBe('meanwhile after');
  });

  it('lets the shell run while its owner is disconnected, even if it was paused', () => {
    const { log, says, attach } = sessionDouble();
    const { attachment } = attach();
    while (!log.includes('pause')) says(packet());
    attachment.detach('dropped');
    expect(log).toEqual(['pause', 'resume']);
  });

  it('sends the current screen when the missed output is no longer kept', async () => {
    const { says, attach } = sessionDouble();
    attach().attachment.detach('dropped');
    for (let count = 0; count < 60; count += 1) says(packet());
    const again = attach(5);
    await settled();
    const end = 60 * 32 * KIB;
    expect(again.begun).toMatchObject([{ offset: end, screen_bytes: 1000 }]);
    says('after');
    expect(again.bytes().subarray(1000).toString()).toBe('after');
  });

  it('leaves out the scrollback when it cannot be drawn', async () => {
    const render = async (_user_id: number, take: () => unknown, { scrollback }: { scrollback: boolean }) => {
      take();
      if (scrollback) throw new Error('hangs');
      return Buffer.from('screen');
    };
    const { attach } = sessionDouble({ screens: { render } });
    attach().attachment.detach('dropped');
    const again = attach('screen');
    await settled();
    expect(again.bytes().toString()).toMatch(/screen$/);
    expect(again.told).not.toContainEqual(expect.objectContaining({ code: 'screen_blank' }));
  });

  it('keeps the client’s own scrollback when no screen can be drawn', async () => {
    const { attach } = sessionDouble({ screens: { render: () => Promise.reject(new Error('hangs')) } });
    attach().attachment.detach('dropped');
    const again = attach('screen');
    await settled();
    expect(again.told).toContainEqual(expect.objectContaining({ code: 'screen_blank' }));
    expect(again.bytes().toString()).not.toContain('\x1b[3J');
  });

  it('pauses the shell while the current screen is drawn', async () => {
    let drawn: (screen: Uint8Array) => void = () => undefined;
    const render = (_user_id: number, take: () => unknown) => {
      take();
      return new Promise<Uint8Array>((resolve) => {
        drawn = resolve;
      });
    };
    const { log, says, attach } = sessionDouble({ screens: { render } });
    attach().attachment.detach('dropped');
    const again = attach('screen');
    await settled();
    while (!log.includes('pause')) says(packet());
    drawn(new Uint8Array(10));
    await settled();
    for (let count = 0; count < 40; count += 1) again.takeAll();
    expect(again.bytes().length).toBeGreaterThanOrEqual(900 * KIB);
    expect(log).toEqual(['pause', 'resume']);
  });

  it('ends the shell when nobody reconnects in time', async () => {
    const { log, clock, attach } = sessionDouble({ limits: { resume_ms: 5000 } });
    attach().attachment.detach('dropped');
    await clock.pass(4000);
    expect(log).toEqual([]);
    await clock.pass(1000);
    expect(log).toEqual(['close', 'over: left', 'forgotten']);
  });

  it('ends the shell at once when its owner closes it', () => {
    const { log, says, attach } = sessionDouble();
    const { attachment, ends } = attach();
    attachment.detach('closed');
    says('unheard');
    expect(ends).toEqual([]);
    expect(log).toEqual(['close', 'over: left', 'forgotten']);
  });

  it('still delivers the last output and the exit to an owner who reconnects', () => {
    const { log, says, remote, attach } = sessionDouble();
    attach().attachment.detach('dropped');
    says('last words');
    remote().end({ kind: 'exit', code: 3, signal: null });
    const again = attach(0);
    expect(again.bytes().toString()).toBe('last words');
    expect(again.ends).toEqual([{ kind: 'exit', code: 3, signal: null }]);
    expect(log).toEqual(['over: exit']);
    again.attachment.detach('closed');
    expect(log).toEqual(['over: exit', 'forgotten']);
  });

  it('may deliver the last output over a slow connection after the shell has ended', async () => {
    const { says, remote, clock, attach, log } = sessionDouble();
    attach().attachment.detach('dropped');
    for (let count = 0; count < 36; count += 1) says(packet());
    remote().end({ kind: 'exit', code: 3, signal: null });
    await clock.pass(119_000);
    const owner = attach();
    owner.attachment.ack(0);
    owner.takeAll();
    for (let acked = 0; owner.ends.length === 0; acked = owner.bytes().length) {
      await clock.pass(50_000);
      owner.attachment.ack(acked);
      owner.takeAll();
    }
    expect(owner.bytes().length).toBe(36 * packet().length);
    expect(owner.ends).toEqual([{ kind: 'exit', code: 3, signal: null }]);
    owner.attachment.detach('closed');
    expect(log).toContain('forgotten');
  });

  it('waits for the reply to its close frame while the client still reads', async () => {
    const { says, remote, clock, attach, log } = sessionDouble({ limits: { resume_ms: 5000 } });
    const owner = attach();
    owner.attachment.ack(0);
    for (let count = 0; count < 20; count += 1) says(packet());
    remote().end({ kind: 'exit', code: 0, signal: null });
    owner.takeAll();
    owner.attachment.ack(owner.bytes().length);
    expect(owner.ends).toHaveLength(1);
    await clock.pass(119_000);
    expect(log).not.toContain('forgotten');
    owner.attachment.detach('dropped');
    await clock.pass(5001);
    expect(log).toContain('forgotten');
  });

  it('does not keep an ended shell forever, however often its owner reconnects', async () => {
    const { says, remote, clock, attach, log } = sessionDouble();
    attach().attachment.detach('dropped');
    for (let count = 0; count < 36; count += 1) says(packet());
    remote().end({ kind: 'exit', code: 3, signal: null });
    for (let count = 0; count < 10 && !log.includes('forgotten'); count += 1) {
      await clock.pass(100_000);
      const { attachment } = attach();
      attachment.ack(0);
      attachment.detach('dropped');
    }
    expect(log).toContain('forgotten');
  });

  it('still delivers an exit whose connection broke before it was acknowledged', async () => {
    const { log, clock, says, remote, attach } = sessionDouble();
    const lost = attach();
    says('never seen');
    remote().end({ kind: 'exit', code: 0, signal: null });
    expect(lost.ends).toHaveLength(1); // As far as the gateway knows.
    lost.attachment.detach('dropped');
    const again = attach(0);
    expect(again.bytes().toString()).toBe('never seen');
    again.attachment.detach('dropped');
    await clock.pass(121_000);
    expect(log).toEqual(['over: exit', 'forgotten']);
  });

  it('by a second device takes the terminal over and closes the first socket', () => {
    const { says, session, attach } = sessionDouble();
    const first = attach();
    const second = attach(0);
    expect(first.ends).toMatchObject([{ fault: { code: 'terminal_taken_over' } }]);
    first.attachment.detach('dropped'); // Ignored from now on.
    first.attachment.input(Buffer.from('x'));
    says('for the second');
    expect(first.bytes().length).toBe(0);
    expect(second.bytes().toString()).toBe('for the second');
    expect(session.participants).toBe(1);
  });
});

describe('The end of a terminal', () => {
  it('is sent once, after the last byte', () => {
    const { log, says, remote, session, attach } = sessionDouble();
    const owner = attach();
    owner.attachment.ack(0);
    for (let count = 0; count < 20; count += 1) says(packet());
    remote().end({ kind: 'exit', code: 0, signal: null });
    expect(owner.ends).toEqual([]); // Most of it is still queued in this process.
    owner.takeAll();
    session.end(new Fault('terminal_ended'));
    expect(owner.bytes().length).toBe(20 * 32 * KIB);
    expect(owner.ends).toEqual([{ kind: 'exit', code: 0, signal: null }]);
    expect(log.filter((line) => line.startsWith('over'))).toEqual(['over: exit']);
  });

  it('by an administrator or the owner reaches guests at once too', async () => {
    const { session, attach, join } = sessionDouble();
    const [owner, guest] = [attach(), join(guestOf('bob'))];
    await settled();
    session.end(new Fault('terminal_ended', 'Signed out'));
    const told = [{ kind: 'refused', fault: { detail: 'Signed out' } }];
    expect([owner.ends, guest.ends]).toMatchObject([told, told]);
  });

  it('follows the idle timeout; input and output count as activity', async () => {
    const { log, clock, says, attach } = sessionDouble({ limits: { idle_ms: 10_000 } });
    const { attachment, ends } = attach();
    await clock.pass(6000);
    says('x');
    await clock.pass(6000);
    attachment.input(Buffer.from('x'));
    await clock.pass(9000);
    expect(ends).toEqual([]);
    await clock.pass(1500);
    expect(ends).toMatchObject([{ fault: { code: 'idle_timeout' } }]);
    expect(log).toContain('over: idle_timeout');
  });
});

describe('The last output of a shell', () => {
  it('is withheld once the right to it is gone', () => {
    const { log, says, remote, session, attach } = sessionDouble();
    const owner = attach();
    owner.attachment.ack(0);
    for (let count = 0; count < 20; count += 1) says(packet());
    remote().end({ kind: 'exit', code: 0, signal: null });
    session.end(new Fault('terminal_ended', 'Signed out'));
    expect(owner.ends).toMatchObject([{ fault: { detail: 'Signed out' } }]);
    owner.takeAll();
    expect(owner.bytes().length).toBeLessThan(20 * 32 * KIB);
    expect(log).toEqual(['pause', 'over: exit', 'forgotten'].filter((line) => log.includes(line)));
  });

  it('is not kept forever for an owner who never fetches it', async () => {
    const { log, clock, says, remote, attach } = sessionDouble({ limits: { resume_ms: 5000 } });
    const owner = attach();
    owner.attachment.ack(0);
    for (let count = 0; count < 20; count += 1) says(packet());
    remote().end({ kind: 'exit', code: 0, signal: null });
    await clock.pass(61_000);
    expect(owner.ends).toMatchObject([{ fault: { code: 'terminal_ended' } }]);
    expect(log).toContain('forgotten');
  });
});

describe('Input that the host does not accept', () => {
  it('pauses every member, including those who join later', () => {
    const { written, remote, attach, refuseInput } = sessionDouble();
    const first = attach();
    refuseInput();
    expect(first.attachment.input(Buffer.from('a'))).toBe(true);
    const second = attach();
    expect(second.attachment.input(Buffer.from('b'))).toBe(false);
    expect(second.log).toEqual(['pause input']);
    remote().drain();
    expect(second.log).toEqual(['pause input', 'resume input']);
    expect(written).toEqual(['a']);
  });
});

describe('A guest', () => {
  it('learns that the terminal is recorded', async () => {
    const nothing = () => undefined;
    const later = () => Promise.resolve();
    const { attach, join } = sessionDouble({
      recording: { recording_id: 1, output: nothing, resize: nothing, end: later, abandon: later },
    });
    attach();
    const guest = join(guestOf('bob'));
    await settled();
    expect(guest.told).toContainEqual({ kind: 'recording', active: true });
  });

  it('gets the last output before the exit', async () => {
    const { says, remote, attach, join } = sessionDouble();
    attach();
    const guest = join(guestOf('bob'));
    await settled();
    for (let count = 0; count < 12; count += 1) says(packet());
    says('farewell');
    remote().end({ kind: 'exit', code: 0, signal: null });
    expect(guest.ends).toEqual([]);
    guest.takeAll();
    expect(guest.bytes().subarray(-8).toString()).toBe('farewell');
    expect(guest.ends).toHaveLength(1);
  });

  it('gets the current screen first, then new output', async () => {
    const { says, attach, join } = sessionDouble();
    attach();
    says('present');
    const guest = join(guestOf('bob'));
    says(' and while it was drawn');
    await settled();
    says(' and later');
    expect(guest.begun).toMatchObject([{ size: { cols: 80, rows: 24 } }]);
    expect(guest.bytes().toString()).toBe('present and while it was drawn and later');
  });

  it('shares 8 MiB of queued input with all other guests; the owner has 16 MiB', () => {
    const { attach, join } = sessionDouble();
    const MIB = 1024 * 1024;
    const owner = attach().attachment;
    const [ann, bob] = ['ann', 'bob'].map((id) => join(guestOf(id)).attachment);
    expect([ann?.buffer(6 * MIB), bob?.buffer(6 * MIB), owner.buffer(15 * MIB)]).toEqual([true, false, true]);
    ann?.buffer(-6 * MIB);
    expect([bob?.buffer(0), owner.buffer(2 * MIB)]).toEqual([true, false]);
  });

  it('who only types is still read when another guest has filled the queue', () => {
    const { attach, join } = sessionDouble();
    attach();
    const [ann, bob] = ['ann', 'bob'].map((id) => join(guestOf(id)).attachment);
    expect(ann?.buffer(9 * 1024 * KIB)).toBe(false);
    expect([bob?.buffer(64 * KIB), bob?.buffer(1)]).toEqual([true, false]);
  });

  it('with `ro` can neither type nor resize', async () => {
    const { log, written, attach, join } = sessionDouble();
    attach();
    const { attachment } = join(guestOf('bob', 'ro'));
    await settled();
    attachment.input(Buffer.from('x'));
    attachment.resize({ cols: 10, rows: 10 });
    expect(written).toEqual([]);
    expect(log).toEqual([]);
  });

  it('that stalls slows nobody, and gets a fresh screen once it reads again', async () => {
    const { log, clock, says, attach, join } = sessionDouble();
    const [owner, guest] = [attach(), join(guestOf('slow', 'ro'))];
    await settled();
    for (let count = 0; count < 200; count += 1) {
      says(packet(97));
      owner.takeAll();
    }
    says('the end');
    owner.takeAll();
    expect(log).toEqual([]);
    expect(owner.bytes().length).toBe(200 * 32 * KIB + 7);
    expect(guest.bytes().length).toBeLessThanOrEqual(KIB * KIB);
    guest.takeAll();
    await clock.pass(400);
    guest.takeAll();
    says(' and on');
    expect(guest.bytes().subarray(-14).toString()).toBe('the end and on');
  });

  it('is listed for all members, and so is who types', async () => {
    const { clock, attach, join } = sessionDouble();
    const owner = attach();
    const guest = join(guestOf('bob'));
    await settled();
    guest.attachment.input(Buffer.from('x'));
    const latest = () =>
      owner.told.flatMap((news) => (news.kind === 'participants' ? [news.list] : [])).at(-1);
    expect(latest()).toEqual([
      { id: 'owner', username: 'ann', role: 'owner', mode: 'rw', typing: false, you: true },
      { id: 'bob', username: 'bob', role: 'guest', mode: 'rw', typing: true, you: false },
    ]);
    await clock.pass(4000);
    expect(latest()?.some(({ typing }) => typing)).toBe(false);
    guest.attachment.detach('dropped');
    expect(latest()?.length).toBe(1);
  });

  it('gets the size that the owner sets', async () => {
    const { log, attach, join } = sessionDouble();
    const owner = attach();
    const guest = join(guestOf('bob', 'ro'));
    await settled();
    owner.attachment.resize({ cols: 100, rows: 30 });
    expect(log).toEqual(['resize 100x30']);
    expect(guest.told).toContainEqual({ kind: 'size', size: { cols: 100, rows: 30 } });
    expect(owner.told.filter(({ kind }) => kind === 'size')).toEqual([]);
  });

  it('gets only the last of several sizes within 50 ms, and so does the recording', async () => {
    const sizes: number[] = [];
    const recording = {
      recording_id: 1,
      output() {},
      resize: ({ cols }: { cols: number }) => void sizes.push(cols),
      async end() {},
      async abandon() {},
    };
    const { log, attach, clock } = sessionDouble({ recording });
    const { attachment } = attach();
    attachment.resize({ cols: 80, rows: 24 }); // Unchanged.
    for (let cols = 100; cols < 1000; cols += 1) attachment.resize({ cols, rows: 30 });
    expect(log).toEqual(['resize 100x30']);
    await clock.pass(50);
    expect(log).toEqual(['resize 100x30', 'resize 999x30']);
    expect(sizes).toEqual([100, 999]);
  });

  it('gets the final size when a different one was requested in between', async () => {
    const { attach, join, clock, log } = sessionDouble();
    const owner = attach();
    const guest = join(guestOf('bob'));
    await settled();
    owner.attachment.resize({ cols: 100, rows: 30 });
    guest.attachment.resize({ cols: 60, rows: 20 });
    owner.attachment.resize({ cols: 100, rows: 30 });
    await clock.pass(50);
    expect(log).toEqual(['resize 100x30']);
    expect(guest.told.filter(({ kind }) => kind === 'size')).toHaveLength(2);
  });

  it('gets nothing before its greeting, and then the current size', async () => {
    const { attach, join } = sessionDouble();
    const owner = attach();
    const guest = join(guestOf('bob', 'ro'));
    owner.attachment.resize({ cols: 100, rows: 30 });
    expect(guest.told).toEqual([]);
    await settled();
    expect(guest.begun).toMatchObject([{ size: { cols: 100, rows: 30 } }]);
  });

  it('shares one drawing of the screen with all who wait for it', async () => {
    let renders = 0;
    const render = async (_user_id: number, take: () => unknown) => {
      take();
      renders += 1;
      return new Uint8Array(3);
    };
    const { attach, join } = sessionDouble({ screens: { render } });
    attach();
    const guests = Array.from({ length: 20 }, (_, n) => join(guestOf(`guest ${n}`)));
    await settled();
    expect(guests.every(({ begun }) => begun.length === 1)).toBe(true);
    expect(renders).toBeLessThanOrEqual(2);
  });

  it('who joins as the shell ends still gets the greeting and the last screen', async () => {
    const { says, remote, attach, join } = sessionDouble();
    attach();
    says('the end');
    const guest = join(guestOf('bob'));
    remote().end({ kind: 'exit', code: 0, signal: null });
    await settled();
    expect(guest.begun).toHaveLength(1);
    expect(guest.bytes().toString()).toBe('the end');
    expect(guest.ends).toEqual([{ kind: 'exit', code: 0, signal: null }]);
  });

  it('can be disconnected while it still receives the last output', async () => {
    const { says, remote, attach, join, session } = sessionDouble();
    const owner = attach();
    const guest = join(guestOf('bob'));
    await settled();
    for (let count = 0; count < 14; count += 1) {
      says(packet());
      owner.takeAll();
    }
    remote().end({ kind: 'exit', code: 0, signal: null });
    const before = guest.bytes().length;
    session.dismiss(() => true, new Fault('share_ended'));
    guest.takeAll();
    expect(guest.bytes().length).toBe(before);
    expect(guest.ends).toMatchObject([{ kind: 'refused', fault: { code: 'share_ended' } }]);
  });

  it('continues without a screen that cannot be drawn', async () => {
    const { says, attach, join } = sessionDouble({
      screens: { render: () => Promise.reject(new Error('hangs')) },
    });
    attach();
    const guest = join(guestOf('bob'));
    await settled();
    says('and on');
    expect(guest.told).toContainEqual(expect.objectContaining({ kind: 'notice', code: 'screen_blank' }));
    expect(guest.bytes().toString()).toMatch(/and on$/);
  });

  it('is disconnected when the share ends, and the owner continues', async () => {
    const { log, session, attach, join } = sessionDouble();
    const owner = attach();
    const guest = join(guestOf('bob'));
    const watcher = join(guestOf('root', 'ro', 'watcher'));
    await settled();
    session.dismiss(({ role }) => role === 'guest', new Fault('share_ended'));
    expect(guest.ends).toMatchObject([{ fault: { code: 'share_ended' } }]);
    expect([owner.ends, watcher.ends]).toEqual([[], []]);
    expect(log).toEqual(['left: bob']);
  });
});

describe('The activity registry', () => {
  it('ends the terminals that match, and all of them when the gateway stops', () => {
    const activities = createActivityRegistry();
    const [one, other] = [sessionDouble(), sessionDouble()];
    const [first, second] = [one.attach(), other.attach()];
    activities.addSession(one.session);
    activities.endWhere(({ owner }) => owner.credential.id === 'another', 'Signed out');
    expect(first.ends).toEqual([]);
    activities.endWhere(({ owner }) => owner.credential.id === 'web', 'Signed out');
    expect(first.ends).toMatchObject([{ fault: { code: 'terminal_ended', detail: 'Signed out' } }]);
    activities.addSession(other.session);
    activities.endAll();
    expect(second.ends).toMatchObject([{ fault: { code: 'shutting_down' } }]);
  });
});
