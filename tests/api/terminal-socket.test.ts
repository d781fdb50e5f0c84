import { WSContext } from 'hono/ws';
import { expect, it } from 'vitest';
import type { RawSocket } from '#api/http/env.ts';
import { terminalSocket } from '#api/http/terminal-socket.ts';

const nothing = () => undefined;
const raw: RawSocket = {
  send: nothing,
  close: nothing,
  terminate: nothing,
  ping: nothing,
  pause: nothing,
  resume: nothing,
  on: nothing,
};

it('An unexpected failure of a terminal is logged whole, and tells its client nothing', async () => {
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
      size: { cols: 80, rows: 24 },
      after: () => nothing,
      log: { error: (fields) => logged.push(fields) },
      open: () => Promise.reject(new Error('column secret does not exist')),
    });
    events.onOpen?.(new Event('open'), ws);
  });
  const { said, code } = await closed;
  expect(code).toBe(1011);
  expect(JSON.parse(said)).toEqual({ type: 'error', code: 'internal', message: 'Internal error' });
  expect(logged).toMatchObject([{ err: { message: 'column secret does not exist' } }]);
});
