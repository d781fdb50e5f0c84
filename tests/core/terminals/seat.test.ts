import { describe, expect, it } from 'vitest';
import type { Fault } from '#core/errors.ts';
import type { Admission } from '#core/terminals/admission.ts';
import type { Attachment, MemberSocket } from '#core/terminals/live/member-socket.ts';
import { createSeats } from '#core/terminals/live/seat.ts';

const MIB = 1024 * 1024;
const STALLED_S = 5 * 60;
const nothing = () => undefined;

/** A seat whose shell opens when the test says so, and whose host accepts what the test lets it accept. */
function setUp() {
  const log: string[] = [];
  const timers: (() => void)[] = [];
  const host = { accepts: true, has_room: true };
  let socket: MemberSocket | undefined;
  const attachment: Attachment = {
    input({ length }) {
      if (host.accepts) log.push(`typed ${length}`);
      else socket?.pauseInput();
      return host.accepts;
    },
    taken: () => 7,
    buffer: () => host.has_room,
    ignoreAcks: nothing,
    resize: ({ cols, rows }) => log.push(`size ${cols} × ${rows}`),
    ack: (bytes) => log.push(`ack ${bytes}`),
    detach: (how) => log.push(`left: ${how}`),
  };
  const admission = {
    role: 'owner',
    attach(given: MemberSocket) {
      socket = given;
      return attachment;
    },
    abandon: (how: string) => log.push(`abandoned: ${how}`),
  } as unknown as Admission; // A seat needs nothing else of it.
  const seats = createSeats((_span_ms, run) => {
    timers.push(run);
    return () => void timers.splice(timers.indexOf(run) >>> 0, 1);
  });
  const seat = seats.at({
    asking: { ask: () => Promise.reject(new Error('not asked')) },
    begin: nothing,
    output: nothing,
    update: nothing,
    pause: () => log.push('paused'),
    resume: () => log.push('resumed'),
    fail: (error) => log.push(`failed: ${error}`),
    refuse(fault: Fault) {
      log.push(`refused: ${fault.code}`);
      seat.leave('dropped');
    },
    ended: ({ kind }) => log.push(kind),
  });
  let open = nothing;
  const request = () => {
    seat.take(({ size }) => {
      log.push(`asked for ${size.cols} × ${size.rows}`);
      return new Promise((resolve) => {
        open = () => void resolve(admission);
      });
    });
  };
  return {
    ...{ log, host, seat, request },
    async open() {
      open();
      await Promise.resolve();
      await Promise.resolve();
    },
    drain: () => socket?.resumeInput(),
    tick: () => timers.shift()?.(),
  };
}

async function seated() {
  const place = setUp();
  place.request();
  await place.open();
  place.log.length = 0;
  return place;
}

describe('A seat at a terminal', () => {
  it('keeps what comes before the shell is open, in order, with size and acks', async () => {
    const { seat, request, open, log } = setUp();
    seat.resize({ cols: 100, rows: 30 });
    request();
    seat.input(new Uint8Array(1));
    seat.ack(0);
    seat.input(new Uint8Array(2));
    seat.resize({ cols: 90, rows: 20 });
    await open();
    expect(log).toEqual(['asked for 100 × 30', 'size 90 × 20', 'ack 0', 'typed 1', 'typed 2']);
  });

  it('is refused to a member who types more than 1 MiB before the shell is open', () => {
    const { seat, request, log } = setUp();
    request();
    seat.input(new Uint8Array(MIB - 1000));
    seat.input(new Uint8Array(1000));
    expect(log.at(-1)).toBe('refused: bad_first_message');
  });

  it('counts the memory of tiny messages, not only their bytes', () => {
    const { seat, request, log } = setUp();
    request();
    for (let count = 0; count < 5000; count += 1) seat.input(new Uint8Array(1));
    expect(log.at(-1)).toBe('refused: bad_first_message');
  });

  it('reduces sizes over 1,000, and ignores those of a hidden pane', async () => {
    const { seat, log } = await seated();
    seat.resize({ cols: 5000, rows: 24 });
    seat.resize({ cols: 0, rows: 24 });
    seat.resize({ cols: 80, rows: 5000 });
    expect(log).toEqual(['size 1000 × 24', 'size 80 × 1000']);
  });

  it('keeps what the host does not accept, until it does', async () => {
    const { seat, host, log, drain } = await seated();
    host.accepts = false;
    seat.input(new Uint8Array(1));
    host.accepts = true; // the seat asks again only when it is told
    seat.input(new Uint8Array(2));
    expect(log).toEqual([]);
    drain();
    expect(log).toEqual(['typed 3', 'resumed']);
  });

  it('gives the host what it has kept in pieces of 32 KiB, however many keys they are', async () => {
    const { seat, host, log, drain } = await seated();
    host.accepts = false;
    for (let count = 0; count < 70_000; count += 1) seat.input(new Uint8Array(1));
    seat.input(new Uint8Array(50_000));
    log.length = 0;
    host.accepts = true;
    drain();
    expect(log).toEqual(['typed 32768', 'typed 32768', 'typed 4464', 'typed 50000', 'resumed']);
  });

  it('is read only 1 MiB further once a second while the host accepts nothing', async () => {
    const { seat, host, log, tick } = await seated();
    host.accepts = false;
    seat.input(new Uint8Array(MIB));
    expect(log).toEqual(['paused']);
    tick();
    expect(log).toEqual(['paused', 'resumed']);
    seat.input(new Uint8Array(MIB - 1000));
    expect(log).toEqual(['paused', 'resumed']);
    seat.input(new Uint8Array(1000));
    expect(log).toEqual(['paused', 'resumed', 'paused']);
  });

  it('is refused to a member whose input has found no room for 5 minutes', async () => {
    const { seat, host, log, tick } = await seated();
    Object.assign(host, { accepts: false, has_room: false });
    seat.input(new Uint8Array(1));
    for (let second = 0; second < STALLED_S; second += 1) tick();
    expect(log.filter((line) => line !== 'paused')).toEqual([]);
    tick();
    expect(log.filter((line) => line !== 'paused')).toEqual(['refused: bad_frame', 'left: dropped']);
  });

  it('takes nothing for a member who has left, and gives up a shell that opens later', async () => {
    const { seat, request, open, log } = setUp();
    request();
    seat.leave('closed');
    await open();
    seat.input(new Uint8Array(1));
    expect(log).toEqual(['asked for 80 × 24', 'abandoned: closed']);
  });

  it('asks for no shell once the member has left', () => {
    const { seat, request, log } = setUp();
    seat.leave('dropped');
    request();
    expect(log).toEqual([]);
  });
});
