import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { openPatch, tusCaller } from '../../support/features/tus.ts';
import { type Actor, ADMIN_PASSWORD, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const GIB = 1024 * 1024 * 1024;
const LONG = { timeout: 60_000 };
const LONGEST_MS = 240_000; // on a busy machine, each of the transfers takes a while to begin

let sshd: Sshd;
let database: FreshDatabase;
let one: TestGateway;
let other: TestGateway;
let admin: Actor; // At the other instance.
let folders = 0;

beforeAll(async () => {
  sshd = await startSshd();
  database = await migratedDatabaseUrl('sqlite');
  one = await startGateway({ database_url: database.url });
  other = await startGateway({ database_url: database.url, untouched: true });
  admin = await other.signIn('admin', ADMIN_PASSWORD);
});
afterAll(async () => {
  await one?.close();
  await other?.close();
  await database?.cleanup();
  await sshd?.stop();
});

interface Scene {
  readonly jail: string;
  readonly server: Server;
}

async function setScene(): Promise<Scene> {
  folders += 1;
  const jail = join(sshd.folder, `jail-${folders}`);
  await mkdir(jail);
  await writeFile(join(jail, 'large'), '');
  await truncate(join(jail, 'large'), 16 * GIB);
  for (const path of [jail, join(jail, 'large')]) await chown(path, sshd.uid, sshd.uid);
  const { port, username, password } = sshd;
  const name = `box-${folders}`;
  const server = await one.addServer({ name, port, username, password, sftp_allowed_paths: [jail] });
  return { jail, server };
}

/** Starts on one instance; resolves with its end once it is in progress. */
type Begin = (scene: Scene) => Promise<{ readonly ending: Promise<unknown> }>;

const hasPart = (path: string) => readdirSync(path).some((name) => name.startsWith('.sallyport-'));
const codeOf = async (answered: Promise<Response>) => (await (await answered).json()).code;

async function untilPartIn(path: string): Promise<void> {
  await expect.poll(() => hasPart(path), LONG).toBe(true);
}

/** A PATCH whose sender holds back the rest. */
const append: Begin = async ({ jail, server }) => {
  const tus = tusCaller(one.admin, server.id);
  const upload = await tus.begin({ path: jail, filename: 'new', length: 100_000 });
  const patch = openPatch(one.url + upload, { token: one.admin.token, offset: 0, length: 100_000 });
  patch.write(randomBytes(10_000));
  await tus.beyond(upload, 0);
  return { ending: patch.answered.then(({ statusCode }) => statusCode) };
};

/** A form whose sender holds back the rest. */
const send: Begin = async ({ jail, server }) => {
  const head = '--b\r\nContent-Disposition: form-data; name="files"; filename="new"\r\n\r\nsome';
  const content = Buffer.concat([Buffer.from(head), randomBytes(256 * 1024)]); // a small file is sent once it is whole
  const body = new ReadableStream({ start: (controller) => controller.enqueue(content) });
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit; // Its types lack duplex.
  const answered = one.admin.fetch(
    `/api/files/${server.id}/upload?${new URLSearchParams({ path: jail })}`,
    init,
  );
  await untilPartIn(jail);
  return { ending: codeOf(answered) };
};

/** The client reads nothing yet. */
const download: Begin = async ({ jail, server }) => {
  const path = `/api/files/${server.id}/download?${new URLSearchParams({ path: join(jail, 'large') })}`;
  const { body } = await one.admin.fetch(path);
  const reader = body?.getReader();
  await reader?.read();
  const toEnd = async () => {
    while (!(await reader?.read())?.done);
  };
  return {
    ending: toEnd().then(
      () => 'whole',
      () => 'broken off',
    ),
  };
};

const copy: Begin = async ({ jail, server }) => {
  const wanted = {
    source_path: join(jail, 'large'),
    target_server_id: server.id,
    target_path: join(jail, 'new'),
  };
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(wanted),
  };
  const answered = one.admin.fetch(`/api/files/${server.id}/copy-to`, init);
  await untilPartIn(jail);
  return { ending: codeOf(answered) };
};

const UNDER_WAY: readonly [string, Begin, unknown][] = [
  ['a resumable upload', append, 409],
  ['an upload', send, 'transfer_ended'],
  ['a download', download, 'broken off'],
  ['a copy', copy, 'transfer_ended'],
];

describe('A server that is changed through another instance', () => {
  it.each<[string, Partial<Server>]>([
    ['becomes read-only', { sftp_read_only: true }],
    ['allows other directories', { sftp_allowed_paths: ['/elsewhere'] }],
    ['disables SFTP', { sftp_enabled: false }],
  ])(
    'and %s ends every transfer in progress without a result',
    async (_what, change) => {
      const begun = [];
      for (const [what, begin] of UNDER_WAY) {
        const scene = await setScene();
        begun.push({ what, scene, ...(await begin(scene)) });
      }
      for (const { scene } of begun) {
        expect((await admin.call('PUT', `/api/servers/${scene.server.id}`, change)).status).toBe(200);
      }
      const endings = begun.map(async ({ what, scene, ending }) => {
        return [what, await ending, existsSync(join(scene.jail, 'new'))];
      });
      expect(await Promise.all(endings)).toEqual(UNDER_WAY.map(([what, , ending]) => [what, ending, false]));
      const others = begun.filter(({ what }) => what !== 'a resumable upload'); // its part is kept for a day
      for (const { scene } of others) await expect.poll(() => hasPart(scene.jail), LONG).toBe(false);
    },
    LONGEST_MS,
  );
});
