import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import ssh2, { type Connection, type ServerChannel, type SFTPWrapper } from 'ssh2';
import type { SshTarget } from '#core/ports/ssh.ts';
import { FRESH } from '../../setup.ts';

/** A host that breaks rules an sshd keeps; accepts any password. */
export interface HostileHost {
  readonly target: SshTarget;
  stop(): Promise<void>;
}

export interface Misdeeds {
  shell?(channel: ServerChannel, client: Connection): void;
  sftp?(sftp: SFTPWrapper): void;
  exec?(channel: ServerChannel): void;
}

const PEM = { type: 'pkcs1', format: 'pem' } as const;

export async function startHostileHost(misdeeds: Misdeeds): Promise<HostileHost> {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: PEM,
    publicKeyEncoding: PEM,
  });
  const clients = new Set<Connection>();
  const server = new ssh2.Server({ hostKeys: [privateKey] }, (client) => {
    clients.add(client);
    client.on('error', () => {});
    client.on('close', () => clients.delete(client));
    client.on('authentication', (context) => context.accept());
    client.on('session', (accept) => {
      const session = accept();
      session.on('pty', (grant) => grant?.());
      session.on('shell', (grant) => misdeeds.shell?.(grant(), client));
      const { exec } = misdeeds;
      if (exec) session.on('exec', (grant) => exec(grant()));
      session.on('sftp', (grant) => misdeeds.sftp?.(grant()));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    target: targetAt(portOf(server)),
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const client of clients) client.end();
      await closed;
    },
  };
}

function targetAt(port: number): SshTarget {
  const place = { server_id: 1, name: 'hostile', hostname: '127.0.0.1', port };
  return { hops: [{ ...place, ...FRESH, username: 'any', auth: { method: 'password', password: 'any' } }] };
}

/** The address of a listening TCP server is an object. */
function portOf(server: { address(): unknown }): number {
  return (server.address() as AddressInfo).port;
}
