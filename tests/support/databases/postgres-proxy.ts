import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

const NOTIFICATION = 'A'.charCodeAt(0); // PostgreSQL protocol: NotificationResponse
const COMMAND_COMPLETE = 'C'.charCodeAt(0);

/** What becomes of a message of the server; `cut` ends the connection without passing it on. */
type Fate = 'pass' | 'drop' | 'cut';

/** What becomes of the messages of one connection. */
interface Watch {
  judge(message: Buffer): Fate;
  /** Hears what the client sends. */
  heard?(bytes: Buffer): void;
}

/** In front of PostgreSQL; passes everything on but notifications, as a pooler in transaction mode. Returns its address. */
export function deafProxy(url: string): Promise<string> {
  return startProxy(url, () => ({
    judge: (message) => (message[0] === NOTIFICATION ? 'drop' : 'pass'),
  }));
}

interface Loss {
  readonly command: string;
  /** Part of a statement that the connection has sent before. */
  readonly after: string;
}

/** In front of PostgreSQL; after `lose`, it cuts the connection in place of the answer to the next such command. */
export async function forgetfulProxy(url: string) {
  let losses = 0;
  let lost: Loss | undefined;
  const address = await startProxy(url, () => {
    let has_sent = false;
    return {
      heard(bytes) {
        has_sent ||= lost !== undefined && bytes.includes(lost.after);
      },
      judge(message) {
        const command = message[0] === COMMAND_COMPLETE ? message.toString('latin1', 5, 11) : '';
        if (!has_sent || command !== lost?.command) return 'pass';
        lost = undefined;
        losses += 1;
        return 'cut';
      },
    };
  });
  return {
    url: address,
    lose(command: 'COMMIT' | 'SELECT' = 'COMMIT', after = '') {
      lost = { command, after };
    },
    losses: () => losses,
  };
}

async function startProxy(url: string, watch: () => Watch): Promise<string> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const { judge, heard = () => undefined } = watch();
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.on('data', heard).pipe(upstream);
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    upstream.on('data', byMessage(judge, { send: (bytes) => void client.write(bytes), cut }));
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const proxied = new URL(url);
  proxied.port = String(typeof address === 'object' && address ? address.port : 0);
  return proxied.href;
}

interface Line {
  send(bytes: Buffer): void;
  cut(): void;
}

/** Messages of the server are a type, a length that includes itself, and the content. */
function byMessage(judge: Watch['judge'], { send, cut }: Line): (bytes: Buffer) => void {
  let held = Buffer.alloc(0);
  return (bytes) => {
    held = Buffer.concat([held, bytes]);
    while (held.length >= 5) {
      const end = 1 + held.readUInt32BE(1);
      if (held.length < end) return;
      const message = held.subarray(0, end);
      held = held.subarray(end);
      const fate = judge(message);
      if (fate === 'cut') return cut();
      if (fate === 'pass') send(message);
    }
  };
}
