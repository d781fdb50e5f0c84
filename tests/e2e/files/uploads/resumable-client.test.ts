import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Upload, type UploadOptions } from 'tus-js-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';

const MIB = 1024 * 1024;
const CONTENT = randomBytes(20 * MIB + 3);

let sshd: Sshd;
let root: string;
let folders = 0;

beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());
beforeEach(async () => {
  folders += 1;
  root = join(sshd.folder, `files-${folders}`);
  await mkdir(root);
  await chown(root, sshd.uid, sshd.uid);
});

describe.each(['', '/ssh'])('tus-js-client, the gateway at %j', (root_path) => {
  let gateway: TestGateway;
  let endpoint: string;

  beforeAll(async () => {
    gateway = await startGateway({ env: { SERVICE_ROOT_PATH: root_path } });
    const { port, username, password } = sshd;
    const { id } = await gateway.addServer({ port, username, password });
    endpoint = `${gateway.url}/api/files/${id}/uploads`;
  });
  afterAll(() => gateway?.close());

  const content = () => readFileSync(join(root, 'a b.bin'));

  /** Resolves when the client has finished. */
  function prepare(bytes: Buffer, options: UploadOptions = {}) {
    let settle: (error?: Error) => void = () => undefined;
    const done = new Promise<void>((resolve, reject) => {
      settle = (error) => (error ? reject(error) : resolve());
    });
    const upload = new Upload(bytes, {
      endpoint,
      retryDelays: null,
      headers: { Authorization: `Bearer ${gateway.admin.token}` },
      metadata: { filename: 'a b.bin', path: root, filetype: 'text/plain' },
      onSuccess: () => settle(),
      onError: settle,
      ...options,
    });
    return { upload, done };
  }

  it.each([
    ['in one piece', {}],
    ['in pieces', { chunkSize: 3 * MIB }],
  ])('sends a file %s', async (_what, options) => {
    const { upload, done } = prepare(CONTENT, options);
    upload.start();
    await done;
    expect(upload.url).toMatch(new RegExp(`^${endpoint}/[\\w-]+$`));
    expect([content().equals(CONTENT), readdirSync(root)]).toEqual([true, ['a b.bin']]);
  });

  it('sends an empty file', async () => {
    const { upload, done } = prepare(Buffer.alloc(0));
    upload.start();
    await done;
    expect(content()).toHaveLength(0);
  });

  it('pauses and resumes where it stopped', async () => {
    const paused = await pauseHalfWay();
    // A cancelled PATCH may arrive after its successor, which gets 423: clients retry that by default.
    const retryDelays = [0, 1000, 3000];
    const { upload, done } = prepare(CONTENT, { uploadUrl: paused, retryDelays });
    upload.start();
    await done;
    expect([content().equals(CONTENT), readdirSync(root)]).toEqual([true, ['a b.bin']]);
  });

  it('cancels an upload', async () => {
    const paused = await pauseHalfWay();
    await Upload.terminate(paused, { headers: { Authorization: `Bearer ${gateway.admin.token}` } });
    expect(readdirSync(root)).toEqual([]);
  });

  it('gets the reason of a refusal', async () => {
    const { upload, done } = prepare(CONTENT, { metadata: { filename: '..', path: root } });
    upload.start();
    await expect(done).rejects.toMatchObject({ message: expect.stringContaining('invalid_name') });
  });

  /** The URL of an unfinished upload. */
  async function pauseHalfWay(): Promise<string> {
    const { promise, resolve } = deferred<void>();
    const { upload } = prepare(CONTENT, { chunkSize: 2 * MIB, onChunkComplete: () => resolve() });
    upload.start();
    await promise;
    await upload.abort();
    if (!upload.url) throw new Error('It has no address');
    return upload.url;
  }
});

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
