import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

const NOTIFICATION = 'A'.charCodeAt(0); // PostgreSQL protocol: NotificationResponse

/** In front of PostgreSQL; passes everything on but notifications, as a pooler in transaction mode. Returns its address. */
export async function deafProxy(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.pipe(upstream);
    upstream.on(
      'data',
      withoutNotifications((bytes) => void client.write(bytes)),
    );
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

/** Messages of the server are a type, a length that includes itself, and the content. */
function withoutNotifications(send: (bytes: Buffer) => void): (bytes: Buffer) => void {
  let held = Buffer.alloc(0);
  return (bytes) => {
    held = Buffer.concat([held, bytes]);
    while (held.length >= 5) {
      const end = 1 + held.readUInt32BE(1);
      if (held.length < end) return;
      if (held[0] !== NOTIFICATION) send(held.subarray(0, end));
      held = held.subarray(end);
    }
  };
}
