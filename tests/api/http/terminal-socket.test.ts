import { WSContext } from 'hono/ws';
import { expect, it } from 'vitest';
import type { RawSocket } from '#api/http/env.ts';
import { terminalSocket } from '#api/routes/terminals/socket.ts';
import type { Admission } from '#core/terminals/admission.ts';
import type { Attachment, MemberSocket } from '#core/terminals/live/member-socket.ts';
import { createSeats } from '#core/terminals/live/seat.ts';
import { eventually } from '../../support/eventually.ts';

const nothing = () => undefined;
const ENDED = 1000;
const raw: RawSocket = {
  send: nothing,
  close: nothing,
  terminate: nothing,
  ping: nothing,
  pause: nothing,
  resume: nothing,
  on: nothing,
};

it('An unexpected terminal failure is logged in full and reveals nothing to the client', async () => {
  const logged: object[] = [];
  const closed = new Promise<{ said: string; code: number | undefined }>((resolve) => {
    let said = '';
    const ws = new WSContext<RawSocket>({
      raw,
      readyState: 1,
      send: (data) => {
        said += String(data);
      },
      close: (code) => resolve({ said, code }),
    });
    const events = terminalSocket({
      first: { kind: 'size', size: { cols: 80, rows: 24 } },
      seats: createSeats(() => nothing),
      after: () => nothing,
      log: { error: (fields) => logged.push(fields) },
      admit: () => Promise.reject(new Error('column secret does not exist')),
    });
    events.onOpen?.(new Event('open'), ws);
  });
  const { said, code } = await closed;
  expect(code).toBe(1011);
  expect(JSON.parse(said)).toEqual({ type: 'error', code: 'internal', message: 'Internal error' });
  expect(logged).toMatchObject([{ err: { message: 'column secret does not exist' } }]);
});

/** A socket that is attached when the test says so. */
function setUp(takes: (bytes: Uint8Array) => boolean = () => true) {
  const log: string[] = [];
  let socket: MemberSocket | undefined;
  const attachment: Attachment = {
    input(bytes) {
      const is_taken = takes(bytes);
      if (is_taken) log.push(`typed ${Buffer.from(bytes)}`);
      else socket?.pauseInput();
      return is_taken;
    },
    taken: () => undefined,
    buffer: () => true,
    ignoreAcks: nothing,
    resize: nothing,
    ack: nothing,
    detach: (how) => log.push(`left: ${how}`),
  };
  const admission = {
    role: 'owner',
    attach(given: MemberSocket) {
      socket = given;
      log.push('entered');
      return attachment;
    },
    abandon: (how: string) => log.push(`abandoned: ${how}`),
  } as unknown as Admission; // A socket without a greeting needs nothing else.
  let admit: () => void = nothing;
  const entering = new Promise<Admission>((resolve) => {
    admit = () => resolve(admission);
  });
  const events = terminalSocket({
    first: { kind: 'nothing' },
    seats: createSeats(() => nothing),
    after: () => nothing,
    log: { error: nothing },
    admit: () => entering,
  });
  const refuse = (code?: number) => void (code !== ENDED && log.push(`refused with ${code}`));
  const ws = new WSContext<RawSocket>({ raw, readyState: 1, send: nothing, close: refuse });
  events.onOpen?.(new Event('open'), ws);
  const frame = (text: string) => events.onMessage?.(new MessageEvent('message', { data: text }), ws);
  const message = (text: string) =>
    events.onMessage?.(new MessageEvent('message', { data: new TextEncoder().encode(text).buffer }), ws);
  const end = () => socket?.ended({ kind: 'exit', code: 0, signal: null });
  const close = (code: number) =>
    events.onClose?.(Object.assign(new Event('close'), { code }) as CloseEvent, ws);
  return { log, frame, message, close, admit: () => admit(), drain: () => socket?.resumeInput(), end };
}

it.each([
  [1006, 'dropped'],
  [1000, 'closed'],
] as const)('A closed socket (%i) replaces no other socket', async (code, how) => {
  const { log, admit, close } = setUp();
  close(code);
  admit();
  await eventually(() => expect(log).toEqual([`abandoned: ${how}`]));
});

it.each([
  [1000, 'closed'],
  [1001, 'dropped'],
  [1005, 'dropped'],
  [1006, 'dropped'],
] as const)(
  'A socket closed with %i is %s, even while the exit of its shell is in transit',
  async (code, how) => {
    const { log, admit, close, end } = setUp();
    admit();
    await eventually(() => expect(log).toEqual(['entered']));
    end();
    close(code);
    expect(log).toEqual(['entered', `left: ${how}`]);
  },
);

it('A socket that was refused is read no more, and refuses only once', async () => {
  const { log, frame, message, admit } = setUp();
  admit();
  await eventually(() => expect(log).toEqual(['entered']));
  for (const _again of [1, 2, 3]) frame('{"type": "ack"}');
  message('a');
  expect(log).toEqual(['entered', 'refused with 1008', 'left: dropped']);
});

it('Input that the host does not accept is queued in order, and its socket is still read', async () => {
  let is_full = true;
  const { log, message, admit, close, drain } = setUp(() => !is_full);
  admit();
  await eventually(() => expect(log).toEqual(['entered']));
  message('a');
  message('b');
  is_full = false;
  drain();
  message('c');
  close(1000);
  expect(log).toEqual(['entered', 'typed ab', 'typed c', 'left: closed']);
});
