import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { addHost } from '../../support/features/chain.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

/** `SALLYPORT_TEST_TRANSFERS=20000 npm test -- mixed-transfers` looks longer. */
const TRANSFERS = Number(process.env['SALLYPORT_TEST_TRANSFERS'] ?? 600);
const CLIENTS = 12;
const SIZES = [100_000, 131_072, 262_144, 400_000, 1_500_000];
const WORD_BYTES = 4;
const MOST_WORDS = 1_048_576; // of a file, so that no two words of all files are the same
const END_OF_HEAD = '\r\n\r\n';
const BOUNDARY = 'boundary-of-the-transfers';

interface Person {
  readonly sshd: Sshd;
  readonly token: string;
  readonly server_id: number;
  readonly files: readonly Buffer[];
}

const people: Person[] = [];
const instances: TestGateway[] = [];
let database: FreshDatabase;

beforeAll(async () => {
  database = await migratedDatabaseUrl('postgres');
  for (const untouched of [false, true]) {
    instances.push(await startGateway({ database_url: database.url, untouched }));
  }
  for (const name of ['ann', 'ben']) people.push(await createPerson(name, people.length));
});
afterAll(async () => {
  for (const instance of instances) await instance.close();
  await database?.cleanup();
  for (const { sshd } of people) await sshd.stop();
});

async function createPerson(name: string, index: number): Promise<Person> {
  const [gateway] = instances;
  if (!gateway) throw new Error('No gateway');
  const sshd = await startSshd();
  const { id } = await addHost(gateway, { name, sshd, group: name });
  const files = SIZES.map((size, nth) => wordsOf(index * SIZES.length + nth + 1, size));
  for (const [nth, bytes] of files.entries()) await put(sshd, `file-${nth}`, bytes);
  const { token } = await gateway.user({ username: name, allowed_groups: [name] });
  return { sshd, token, server_id: id, files };
}

/** Each word holds a number that no other word of any file has. */
function wordsOf(file: number, size: number): Buffer {
  const bytes = Buffer.alloc(Math.ceil(size / WORD_BYTES) * WORD_BYTES);
  for (let word = 0; word * WORD_BYTES < bytes.length; word += 1) {
    bytes.writeUInt32LE(file * MOST_WORDS + word, word * WORD_BYTES);
  }
  return bytes.subarray(0, size);
}

async function put({ folder, uid }: Sshd, name: string, bytes: Buffer): Promise<void> {
  await writeFile(join(folder, name), bytes);
  await chown(join(folder, name), uid, uid);
}

/** One request, and the body that its answer has to have. */
interface Asked {
  readonly head: string;
  readonly body: Buffer;
}

interface Line {
  readonly port: number;
  readonly asked: readonly Asked[];
  /** Turns of the event loop between two reads. */
  readonly turns?: number;
  /** The client hangs up, or resets the connection, after so many bytes. */
  readonly most_bytes?: number;
  readonly how?: 'hang up' | 'reset';
}

/** Sends all requests at once. Resolves with what was wrong about the answers. */
async function play({ port, asked, turns = 0, most_bytes, how = 'hang up' }: Line): Promise<string[]> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined); // of a connection that this client has reset
  await once(socket, 'connect');
  socket.write(asked.map(({ head }) => head).join(''));
  const received: Buffer[] = [];
  let bytes_read = 0;
  for await (const bytes of socket) {
    received.push(bytes);
    bytes_read += bytes.length;
    if (bytes_read >= (most_bytes ?? Number.POSITIVE_INFINITY)) {
      if (how === 'reset') socket.resetAndDestroy();
      break;
    }
    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
  }
  return faultsOf(Buffer.concat(received), asked, most_bytes !== undefined);
}

/** Compares each byte with the one that the file has there. */
function faultsOf(received: Buffer, asked: readonly Asked[], may_end_early: boolean): string[] {
  const faults: string[] = [];
  let at = 0;
  for (const { body } of asked) {
    const end_of_head = received.indexOf(END_OF_HEAD, at);
    if (end_of_head === -1) {
      if (!may_end_early) faults.push('an answer is missing');
      break;
    }
    const head = received.toString('latin1', at, end_of_head);
    if (!/^HTTP\/1\.[01] 20[06] /.test(head)) faults.push(head);
    at = end_of_head + END_OF_HEAD.length;
    const got = received.subarray(at, at + body.length);
    if (!got.equals(body.subarray(0, got.length))) faults.push(`foreign bytes after ${head}`);
    if (got.length < body.length && !may_end_early) faults.push(`only ${got.length} bytes after ${head}`);
    at += body.length;
  }
  return faults;
}

const pick = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;
const below = (most: number) => Math.floor(Math.random() * most);

/** A download of one of the files, whole or a part; the last of a connection ends it. */
function download(options: { is_part?: boolean; is_last?: boolean; version?: '1.0' | '1.1' } = {}): Asked {
  const { is_part = false, is_last = true, version = '1.1' } = options;
  const { token, server_id, files, sshd } = pick(people);
  const nth = below(files.length);
  const bytes = files[nth] ?? Buffer.alloc(0);
  const start = is_part ? below(bytes.length) : 0;
  const end = is_part ? start + 1 + below(bytes.length - start) : bytes.length;
  const path = encodeURIComponent(join(sshd.folder, `file-${nth}`));
  const lines = [
    `GET /api/files/${server_id}/download?path=${path} HTTP/${version}`,
    'Host: x',
    `Authorization: Bearer ${token}`,
    ...(is_part ? [`Range: bytes=${start}-${end - 1}`] : []),
    ...(is_last ? ['Connection: close'] : []),
  ];
  return { head: lines.join('\r\n') + END_OF_HEAD, body: bytes.subarray(start, end) };
}

/** Uploads a file under a new name, or a part of it before the client hangs up; compares what is there then. */
async function upload(port: number, number: number): Promise<string[]> {
  const { token, server_id, files, sshd } = pick(people);
  const bytes = pick(files);
  const name = `upload-${number}`;
  const disposition = `Content-Disposition: form-data; name="files"; filename="${name}"`;
  const begin = Buffer.from(`--${BOUNDARY}\r\n${disposition}\r\n\r\n`);
  const end = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
  const lines = [
    `POST /api/files/${server_id}/upload?path=${encodeURIComponent(sshd.folder)} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${token}`,
    'Connection: close',
    `Content-Type: multipart/form-data; boundary=${BOUNDARY}`,
    `Content-Length: ${begin.length + bytes.length + end.length}`,
  ];
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  const is_whole = number % 2 === 0;
  socket.write(lines.join('\r\n') + END_OF_HEAD);
  socket.write(begin);
  socket.write(is_whole ? bytes : bytes.subarray(0, below(bytes.length)));
  if (is_whole) socket.write(end);
  else socket.end();
  await socket.resume().toArray();
  const path = join(sshd.folder, name);
  const found = existsSync(path) ? await readFile(path) : undefined;
  await rm(path, { force: true });
  if (!is_whole) return found === undefined ? [] : ['a cut-off upload is there'];
  return found?.equals(bytes) ? [] : [`the upload has other bytes: ${found?.length} of ${bytes.length}`];
}

/** One transfer after another, of all kinds. */
function transfer(number: number): Promise<string[]> {
  const port = Number(new URL(pick(instances).url).port);
  const line = (more: Partial<Line> = {}) => play({ port, asked: [download()], ...more });
  const kinds: readonly (() => Promise<string[]>)[] = [
    () => line(),
    () => line({ asked: [download({ is_part: true })] }),
    () => line({ asked: [download({ version: '1.0' })] }),
    () => line({ turns: 1 + below(20) }),
    () => line({ most_bytes: below(1_000_000) }),
    () => line({ most_bytes: below(1_000_000), how: 'reset' }),
    () => line({ asked: [download({ is_last: false }), download({ is_last: false }), download()] }),
    () => line({ asked: [download({ is_last: false, is_part: true }), download()], most_bytes: 300_000 }),
    () => upload(port, number),
  ];
  return (kinds[number % kinds.length] ?? line)();
}

it(`${TRANSFERS} mixed transfers of two people at two instances have no foreign byte`, {
  timeout: 180_000 + TRANSFERS * 100,
}, async () => {
  let started = 0;
  const faults: string[] = [];
  async function client(): Promise<void> {
    while (started < TRANSFERS) {
      started += 1;
      faults.push(...(await transfer(started)));
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client));
  expect(faults).toEqual([]);
});
