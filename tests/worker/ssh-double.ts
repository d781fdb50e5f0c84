import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import ssh2, { type AuthContext, type Connection, type ServerConfig } from 'ssh2';
import { afterEach } from 'vitest';
import type { SshHop, SshTarget } from '#core/ports/ssh.ts';
import { FRESH } from './setup.ts';

/** An SSH host that does what no sshd can be configured to do. */
export interface SshDouble {
  readonly port: number;
  /** Authentication methods that were tried, in order. */
  readonly offered: string[];
  /** The number of open connections. */
  readonly clients: ReadonlySet<Connection>;
  hop(changes?: Partial<SshHop>): SshHop;
  target(changes?: Partial<SshHop>): SshTarget;
}

export interface DoubleOptions {
  /** Accepts everybody by default. */
  readonly decide?: (context: AuthContext, client: Connection) => void;
  readonly algorithms?: ServerConfig['algorithms'];
  readonly host_keys?: readonly string[];
  /** The software that it claims to be. */
  readonly ident?: string;
  readonly connected?: (client: Connection) => void;
}

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** One in 300 ed25519 keys that ssh2 generates is malformed. */
export function freshKey(): string {
  for (;;) {
    const { private: key } = ssh2.utils.generateKeyPairSync('ed25519');
    if (!(ssh2.utils.parseKey(key) instanceof Error)) return key;
  }
}

/** Ends with the test. */
export async function startDouble(options: DoubleOptions = {}): Promise<SshDouble> {
  const {
    decide = (context) => context.accept(),
    host_keys = [freshKey()],
    algorithms,
    connected,
    ident,
  } = options;
  const offered: string[] = [];
  const clients = new Set<Connection>();
  const config = { hostKeys: [...host_keys], ...(algorithms && { algorithms }), ...(ident && { ident }) };
  const server = new ssh2.Server(config, (client) => {
    clients.add(client);
    client.on('error', () => {});
    client.on('close', () => clients.delete(client));
    client.on('authentication', (context) => {
      offered.push(context.method);
      decide(context, client);
    });
    client.on('session', (accept) => {
      const session = accept();
      session.on('pty', (grant) => grant?.());
      session.on('shell', (grant) => grant().write('welcome'));
    });
    connected?.(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  stops.push(() => {
    server.close();
    for (const client of clients) client.end();
  });
  const hop = (changes: Partial<SshHop> = {}): SshHop => ({
    ...{ server_id: 1, name: 'web-1', hostname: '127.0.0.1', port, username: 'deploy' },
    ...FRESH,
    auth: { method: 'password', password: 'one password' },
    ...changes,
  });
  return { port, offered, clients, hop, target: (changes) => ({ hops: [hop(changes)] }) };
}

/** The address of a listening TCP server is an object. */
function portOf(server: { address(): unknown }): number {
  return (server.address() as AddressInfo).port;
}
