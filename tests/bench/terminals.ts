import { spawn } from 'node:child_process';
import { WebSocket } from 'ws';
import type { GatewayProcess } from './gateway-process.ts';
import { quantileOf } from './measure.ts';
import { type SshAccess, sshOptions } from './programs.ts';

const ECHOES = 2000;
const WARM_UP = 500;
const TAIL_BYTES = 512; // what may follow the mark: the prompt's own control sequences

/** A remote shell as its user meets it: bytes in, bytes out. */
export interface Terminal {
  write(text: string): void;
  /** Replaces the listener. */
  onData(listener: (bytes: Buffer) => void): void;
  close(): void;
}

export async function openSshTerminal(access: SshAccess): Promise<Terminal> {
  const args = ['-tt', ...sshOptions(access), '-p', String(access.port), `${access.username}@127.0.0.1`];
  const child = spawn('ssh', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let listener: (bytes: Buffer) => void = () => undefined;
  child.stdout.on('data', (bytes: Buffer) => listener(bytes));
  return ready({
    write: (text) => child.stdin.write(text),
    onData: (next) => {
      listener = next;
    },
    close: () => child.kill(),
  });
}

export async function openGatewayTerminal(
  { url, token }: GatewayProcess,
  server_id: number,
): Promise<Terminal> {
  const socket = new WebSocket(
    `${url.replace('http', 'ws')}/api/ws/terminal/${server_id}?cols=80&rows=24`,
    ['sallyport.v1'],
    {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
    },
  );
  let listener: (bytes: Buffer) => void = () => undefined;
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) listener(data);
  });
  await new Promise((resolve, reject) => {
    socket.once('message', resolve);
    socket.once('error', reject);
  });
  return ready({
    write: (text) => socket.send(Buffer.from(text)),
    onData: (next) => {
      listener = next;
    },
    close: () => socket.close(1000),
  });
}

/** Silences the prompt, so that only what is measured comes back. */
async function ready(terminal: Terminal): Promise<Terminal> {
  const seen = sees(terminal, 'READY-2');
  terminal.write("PS1=''; stty -echo -opost; echo READY-$((1 + 1))\r");
  await seen;
  return terminal;
}

function sees(
  terminal: Terminal,
  mark: string,
  count: (bytes: number) => void = () => undefined,
): Promise<void> {
  return new Promise((resolve) => {
    let tail = '';
    terminal.onData((bytes) => {
      count(bytes.length);
      tail = (tail + bytes.subarray(-TAIL_BYTES).toString('latin1')).slice(-TAIL_BYTES);
      if (tail.includes(mark)) resolve();
    });
  });
}

/** MB/s of `cat`. */
export async function throughput(terminal: Terminal, path: string): Promise<number> {
  let total = 0;
  const started = performance.now();
  const done = sees(terminal, 'DONE-4', (bytes) => {
    total += bytes;
  });
  terminal.write(`cat ${path}; echo DONE-$((2 + 2))\r`);
  await done;
  return total / 1000 / (performance.now() - started);
}

/** Microseconds from a key to its echo by the remote terminal; asked by quantile. */
export async function echoTimes(open: () => Promise<Terminal>): Promise<(quantile: number) => number> {
  const terminal = await open();
  terminal.write('stty echo; sleep 600\r'); // the terminal driver echoes; nobody reads
  await new Promise((resolve) => setTimeout(resolve, 300)); // sleep says nothing when it is there
  const times: number[] = [];
  for (let count = 0; count < ECHOES + WARM_UP; count += 1) {
    const started = performance.now();
    const echoed = new Promise<void>((resolve) => terminal.onData(() => resolve()));
    terminal.write('x');
    await echoed;
    if (count >= WARM_UP) times.push((performance.now() - started) * 1000);
  }
  terminal.close();
  return (quantile) => quantileOf(times, quantile);
}
