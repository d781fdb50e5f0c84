import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import ssh2, { type Attributes, type Connection, type FileEntry, type SFTPWrapper } from 'ssh2';

/** A host with a directory of 100,000 entries at `/large` and a text of 8 MiB at `/text`; accepts any password. */
export interface LargeHost {
  readonly port: number;
  stop(): Promise<void>;
}

const ENTRIES = 100_000;
const ENTRIES_OF_ANSWER = 500;
const TEXT_BYTES = 8 * 1024 ** 2;
const NO_SUCH_FILE = 2;
const END_OF_FILE = 1;
const PEM = { type: 'pkcs1', format: 'pem' } as const;

const attributesOf = (mode: number, size: number): Attributes => ({
  mode,
  size,
  uid: 1000,
  gid: 1000,
  atime: 1_700_000_000,
  mtime: 1_700_000_000,
});
const DIRECTORY = attributesOf(0o040755, 4096);
const TEXT = attributesOf(0o100644, TEXT_BYTES);
const ENTRY = attributesOf(0o100644, 1234);

/** The names repeat: making new ones would cost more than sending them. */
const SOME_ENTRIES = Array.from({ length: ENTRIES_OF_ANSWER }, (_, nth): FileEntry => {
  const filename = `a file with a name of usual length ${nth}.log`;
  return { filename, longname: `-rw-r--r-- 1 app app 1234 Nov 14 2023 ${filename}`, attrs: ENTRY };
});

export async function startLargeHost(): Promise<LargeHost> {
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
      session.on('shell', (grant) => grant().write('$ '));
      session.on('sftp', (grant) => serveFiles(grant()));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  return {
    port,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const client of clients) client.end();
      await closed;
    },
  };
}

function serveFiles(sftp: SFTPWrapper): void {
  const positions = new Map<string, number>();
  let handles = 0;
  const open = () => {
    handles += 1;
    positions.set(String(handles), 0);
    return Buffer.from(String(handles));
  };
  const describe = (id: number, path: string) => {
    if (path === '/text') sftp.attrs(id, TEXT);
    else if (path === '/' || path === '/large') sftp.attrs(id, DIRECTORY);
    else sftp.status(id, NO_SUCH_FILE);
  };
  sftp.on('REALPATH', (id, path) => {
    const filename = path === '.' ? '/' : path;
    sftp.name(id, [{ filename, longname: '', attrs: DIRECTORY }]);
  });
  sftp.on('STAT', describe);
  sftp.on('LSTAT', describe);
  sftp.on('FSTAT', (id) => sftp.attrs(id, TEXT));
  sftp.on('OPEN', (id) => sftp.handle(id, open()));
  sftp.on('OPENDIR', (id) => sftp.handle(id, open()));
  sftp.on('READ', (id, _handle, offset, length) => {
    if (offset >= TEXT_BYTES) sftp.status(id, END_OF_FILE);
    else sftp.data(id, Buffer.alloc(Math.min(length, TEXT_BYTES - offset), 'text '));
  });
  sftp.on('READDIR', (id, handle) => {
    const at = positions.get(String(handle)) ?? ENTRIES;
    if (at >= ENTRIES) sftp.status(id, END_OF_FILE);
    else sftp.name(id, SOME_ENTRIES);
    positions.set(String(handle), at + ENTRIES_OF_ANSWER);
  });
  sftp.on('CLOSE', (id, handle) => {
    positions.delete(String(handle));
    sftp.status(id, 0);
  });
}
