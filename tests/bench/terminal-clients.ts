import { spawn } from 'node:child_process';
import { WebSocket } from 'ws';
import type { GatewayProcess } from './gateway-process.ts';
import { type SshAccess, sshOptions } from './programs.ts';

const ACK_EVERY_BYTES = 128 * 1024;

/** A remote shell as its user sees it: bytes in, bytes out. */
export interface Terminal {
  /** The process between the user and the host. */
  readonly pid: number;
  write(text: string): void;
  /** Replaces the earlier listener; `lost` is called when it ends by itself. */
  listen(data: (bytes: Buffer) => void, lost: (error: Error) => void): void;
  /** The user stops reading. */
  hold(): void;
  /** The user has read everything, and reads on at once. */
  release(): void;
  close(): void;
}

function createEars() {
  let hear: (bytes: Buffer) => void = () => undefined;
  let lose: (error: Error) => void = () => undefined;
  let lost: Error | undefined;
  return {
    data: (bytes: Buffer) => hear(bytes),
    lost(why: string) {
      lost = new Error(why);
      lose(lost);
    },
    listen(next: typeof hear, when_lost: typeof lose) {
      hear = next;
      lose = when_lost;
      if (lost) lose(lost);
    },
  };
}

export function openSshTerminal(access: SshAccess): Terminal {
  const args = ['-tt', ...sshOptions(access), '-p', String(access.port), `${access.username}@127.0.0.1`];
  const child = spawn('ssh', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ears = createEars();
  child.stdout.on('data', ears.data);
  child.once('exit', (code) => ears.lost(`ssh ended with ${code}`));
  return {
    pid: child.pid ?? 0,
    write: (text) => child.stdin.write(text),
    listen: ears.listen,
    hold: () => child.stdout.pause(),
    release: () => child.stdout.resume(),
    close: () => child.kill(),
  };
}

export interface GatewayTerminalOptions {
  /** Without acks, it pauses by not reading. */
  readonly acks?: boolean;
}

export function openGatewayTerminal(
  { url, token, pid }: GatewayProcess,
  server_id: number,
  { acks = true }: GatewayTerminalOptions = {},
): Terminal {
  const socket = new WebSocket(
    `${url.replace('http', 'ws')}/api/ws/terminal/${server_id}?cols=80&rows=24`,
    ['sallyport.v1'],
    { headers: { authorization: `Bearer ${token}` }, perMessageDeflate: false },
  );
  const flow = acks ? createAcks(socket) : createPauses(socket);
  const ears = createEars();
  let told = '';
  socket.on('message', (data: Buffer, is_binary) => {
    if (!is_binary) {
      told = data.toString();
      return;
    }
    flow.take(data.length);
    ears.data(data);
  });
  socket.once('error', ({ message }) => ears.lost(message));
  socket.once('close', (code) => ears.lost(`A terminal was closed with ${code} after ${told}`));
  return {
    pid,
    write: (text) => socket.send(Buffer.from(text)),
    listen: ears.listen,
    hold: flow.hold,
    release: flow.release,
    close() {
      socket.resume(); // A client that does not read would miss the answer.
      socket.close(1000);
    },
  };
}

interface Flow {
  take(bytes: number): void;
  hold(): void;
  release(): void;
}

/** Like the web terminal, it acknowledges output. */
function createAcks(socket: WebSocket): Flow {
  let received = 0;
  let acked = 0;
  let step = ACK_EVERY_BYTES;
  const ack = () => {
    acked = received;
    socket.send(JSON.stringify({ type: 'ack', bytes: acked }));
  };
  socket.once('open', ack);
  return {
    take(bytes) {
      received += bytes;
      if (received - acked >= step) ack();
    },
    hold() {
      step = Number.POSITIVE_INFINITY;
    },
    release() {
      step = 1;
      ack();
    },
  };
}

function createPauses(socket: WebSocket): Flow {
  return { take: () => undefined, hold: () => socket.pause(), release: () => socket.resume() };
}
