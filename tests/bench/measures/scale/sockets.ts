import { WebSocket } from 'ws';
import type { GatewayProcess } from '../../gateway-process.ts';

/** A terminal whose host echoes each key. */
export interface Line {
  readonly socket: WebSocket;
  readonly session_id: string;
}

const AT_ONCE = 40;

/** Resolves with the first byte of output, or at once when `is_resumed`: the prompt was seen before. */
export function openLine({ url, token }: GatewayProcess, path: string, is_resumed = false): Promise<Line> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/ws/terminal/${path}`, ['sallyport.v1'], {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
  });
  let session_id = '';
  return new Promise((resolve, reject) => {
    socket.on('message', (data: Buffer, is_binary) => {
      if (!is_binary) session_id = JSON.parse(data.toString()).session_id ?? session_id;
      if (session_id !== '' && (is_binary || is_resumed)) resolve({ socket, session_id });
    });
    socket.once('error', reject);
    socket.once('close', (code) => reject(new Error(`A terminal was closed with ${code}`)));
  });
}

export async function openLines(count: number, open: (index: number) => Promise<Line>): Promise<Line[]> {
  const lines: Line[] = [];
  while (lines.length < count) {
    const batch = Math.min(AT_ONCE, count - lines.length);
    lines.push(...(await Promise.all(Array.from({ length: batch }, (_, i) => open(lines.length + i)))));
  }
  return lines;
}

/** Microseconds from a key to its echo, one key after the other. */
export async function echoTimes({ socket }: Line, keys: number): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < keys; count += 1) {
    const began = performance.now();
    const echoed = new Promise<void>((resolve) => {
      const hear = (_data: Buffer, is_binary: boolean) => {
        if (!is_binary) return;
        socket.off('message', hear);
        resolve();
      };
      socket.on('message', hear);
    });
    socket.send(Buffer.from('x'));
    await echoed;
    times.push((performance.now() - began) * 1000);
  }
  return times;
}

/** A drop: the shell goes on without its socket. */
export function drop({ socket }: Line): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
    socket.terminate();
  });
}
