import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyAudit } from '#core/audit/verification/verify.ts';
import { createAuditSeal } from '#core/crypto/audit-seal.ts';
import { createKeyring } from '#core/crypto/keyring.ts';
import type { Overview } from '#core/model/overview.ts';
import { postgresKit as kit } from '#db/kit/postgres.ts';
import { openStore } from '#db/open-store.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Store } from '#db/store.ts';
import { readVersion } from '#server/version.ts';
import { eventually } from '../../support/eventually.ts';
import { shellOn, socketTo } from '../../support/features/shells.ts';
import { openPatch, tusCaller } from '../../support/features/tus.ts';
import { type Actor, createActor, logIn, SECRET_KEY, USER_PASSWORD } from '../../support/gateway/gateway.ts';
import { migrateFurther, useEverything } from '../../support/gateway/later-version.ts';
import { type Load, startLoad } from '../../support/gateway/load.ts';
import { whyNoRelease } from '../../support/gateway/release.ts';
import type { RunningGateway } from '../../support/gateway/running-gateway.ts';
import {
  addUser,
  type Belongings,
  done,
  makeBelongings,
  prepareTwoVersions,
  type TwoVersions,
} from '../../support/gateway/two-versions.ts';
import { openTerminal, type TerminalClient } from '../../support/gateway/ws.ts';
import { eventOf } from '../../support/hosts/webhook-receiver.ts';

const PIECE = 64 * 1024;
const CONTENT = randomBytes(3 * PIECE);
const ROUNDS = 6; // of the load, after each step

const missing = whyNoRelease();
if (missing !== undefined)
  process.stderr.write(`The upgrade from the released version is not tested: ${missing}\n`);

interface Scene extends TwoVersions, Belongings {
  readonly store: Store;
  readonly load: Load;
  readonly released: RunningGateway;
  readonly upload: string;
}

const at = ({ url }: { readonly url: string }, { token }: Actor) => createActor(url, token);

/** The id of each delivery that has reached a path. */
const deliveriesTo = ({ receiver }: TwoVersions, path: string) =>
  receiver.received(path).map(({ headers }) => headers['x-service-delivery']);

async function fire({ receiver }: TwoVersions, admin: Actor, path: string): Promise<void> {
  const hooks = await done<{ id: number; name: string }[]>(admin, 'GET', '/api/webhooks');
  await done(admin, 'POST', `/api/webhooks/${hooks.find(({ name }) => name === path)?.id}/test`);
  await receiver.hears(path);
}

/** The released version alone, at work. */
async function begin(versions: TwoVersions): Promise<Scene> {
  const released = await versions.start('released');
  const belongings = await makeBelongings(versions);
  const { admin, ann, server_id } = belongings;
  const { folder } = versions;
  const tus = tusCaller(ann, server_id);
  const upload = await tus.begin({ path: folder, filename: 'whole.bin', length: CONTENT.length });
  await tus.append(upload, 0, CONTENT.subarray(0, PIECE));
  await done(admin, 'PUT', '/api/settings', { values: { quick_connect: false } });
  await fire(versions, admin, '/refused');
  const load = startLoad({ actor: admin, server_id, folder });
  const store = openStore(versions.database.url);
  return { ...versions, ...belongings, released, upload, load, store };
}

/** Both versions at work on one database, which then changes again. */
async function runBeside(scene: Scene) {
  const { released, load, admin, ann, server_id, sshd } = scene;
  const present = await scene.start('present');
  await load.more(ROUNDS);
  const { instances } = await done<Overview>(at(present, admin), 'GET', '/api/overview');
  await migrateFurther(scene.store);
  const fields = {
    name: 'of the new version',
    hostname: '127.0.0.1',
    port: sshd.port,
    username: sshd.username,
  };
  const { id } = await done<{ id: number }>(at(present, admin), 'POST', '/api/servers', {
    ...fields,
    password: sshd.password,
  });
  const unexpected = await useEverything(at(released, admin), id); // edits it, which would end what the load saves
  const listings = [
    await at(released, admin).call('GET', `/api/files/${id}/ls?path=/`),
    await at(present, ann).call('GET', `/api/files/${server_id}/ls?path=/`),
  ];
  const quickConnect = async (gateway: RunningGateway) =>
    (await at(gateway, admin).call('GET', '/api/config')).body['quick_connect'];
  const was_off = (await quickConnect(present)) === false; // the released version has stored it
  await done(at(present, admin), 'PUT', '/api/settings', { values: { quick_connect: true } });
  await eventually(async () => expect(await quickConnect(released)).toBeUndefined()); // on
  const bob = await addUser(at(released, admin), released.url, 'bob');
  const { client: withdrawn } = await shellOn(released, server_id, bob);
  const { id: bob_id } = await done(bob, 'GET', '/api/auth/me');
  await done(at(present, admin), 'PUT', `/api/auth/users/${bob_id}/groups`, { allowed_groups: [] });
  await load.more(ROUNDS);
  return { present, instances, unexpected, listings, was_off, withdrawn: await withdrawn.closed() };
}

/** The code of the last error, and of the close. */
async function endOf(client: TerminalClient) {
  const { code } = await client.closed();
  const errors = client.frames.filter(({ type }) => type === 'error');
  return [errors.at(-1)?.['code'], code];
}

/** The released version is stopped while it has terminals, half an upload and an unanswered webhook. */
async function drain(scene: Scene, present: RunningGateway) {
  const { released, load, admin, ann, key, server_id, upload, folder } = scene;
  const old = at(released, ann);
  const { client } = await shellOn(released, server_id, ann);
  const { client: dropped, session_id } = await shellOn(released, server_id, ann);
  dropped.raw.terminate();
  const relayed = socketTo(present, `resume/${session_id}`, ann);
  await relayed.frame('session');
  const { ticket: for_shell } = await done(old, 'POST', '/api/auth/ws-ticket');
  const path = join(folder, 'client-0.txt');
  const { ticket: for_file } = await done(old, 'POST', `/api/files/${server_id}/ticket`, { path });
  await fire(scene, at(released, admin), '/held');
  const role = async () => (await at(present, admin).call('GET', '/api/health')).body['monitor_role'];
  const roles = [await role()];
  const half = openPatch(released.url + upload, { token: ann.token, offset: PIECE, length: PIECE });
  half.write(CONTENT.subarray(PIECE, PIECE + 1000));

  released.child.kill('SIGTERM');
  const isReady = async () => (await old.call('GET', '/api/health/ready')).body['code'];
  await eventually(async () => expect(await isReady()).toBe('shutting_down'));
  const drained = (await old.call('GET', '/api/servers')).status;
  const ends = await Promise.all([client, relayed].map(endOf));
  half.end(CONTENT.subarray(PIECE + 1000, 2 * PIECE));
  const { statusCode: half_status } = await half.answered;
  const exit = await released.exit;

  await eventually(async () => expect(await role()).toBe('leader'));
  roles.push(await role());
  const signed_in = await logIn(createActor(present.url, ''), 'ann', USER_PASSWORD);
  const by_key = await at(present, key).call('GET', '/api/servers');
  const tus = tusCaller(ann, server_id);
  await tus.append(upload, Number(await tus.offset(upload)), CONTENT.subarray(2 * PIECE));
  const shell = openTerminal(
    `${present.url}/api/ws/terminal/${server_id}?cols=80&rows=24&ticket=${for_shell}`,
  );
  await shell.frame('session');
  shell.close(1000);
  const query = `path=${encodeURIComponent(path)}&ticket=${for_file}`;
  const file = await fetch(`${present.url}/api/files/${server_id}/download?${query}`);
  await scene.receiver.hears('/held', 2);
  await scene.receiver.hears('/refused', 2);
  await load.more(ROUNDS);
  const accepted = [signed_in.status, by_key.status];
  const served = [file.status, (await file.text()).slice(0, 8)];
  return { drained, ends, roles, half_status, exit, accepted, file: served };
}

/** The released version again, on what the newer ones have made of the database, while this one leaves. */
async function goBack(scene: Scene, present: RunningGateway) {
  const { load, ann, key, server_id } = scene;
  const old = await scene.start('released');
  await load.more(ROUNDS);
  present.child.kill('SIGTERM');
  const exit = await present.exit;
  await load.more(ROUNDS);
  await load.stop();
  const { status: signed_in } = await logIn(createActor(old.url, ''), 'ann', USER_PASSWORD);
  const { client } = await shellOn(old, server_id, ann);
  client.close(1000);
  await done(at(old, key), 'GET', '/api/servers');
  const { db, tables } = scene.store;
  const kept = await db.select({ format: tables.database_format.format }).from(tables.database_format);
  const later = kit.table('servers', { later_count: kit.int() });
  const counts = await db.selectDistinct({ later_count: later.later_count }).from(later);
  return { exit, signed_in, output: old.output(), kept, counts, verdict: await verdictOf(scene) };
}

/** Verifies with this version: the released one may not know every field of an entry that this one writes. */
async function verdictOf({ store }: Scene) {
  const { audit } = createRepositories(store);
  const seal = createAuditSeal(await createKeyring(SECRET_KEY));
  return await verifyAudit({ audit, seal }, undefined);
}

describe.skipIf(missing)('An upgrade of one instance after the other, under load', () => {
  let scene: Scene;
  let beside: Awaited<ReturnType<typeof runBeside>>;
  let drained: Awaited<ReturnType<typeof drain>>;
  let back: Awaited<ReturnType<typeof goBack>>;
  let versions: TwoVersions;

  beforeAll(async () => {
    versions = await prepareTwoVersions();
    scene = await begin(versions);
    beside = await runBeside(scene);
    drained = await drain(scene, beside.present);
    back = await goBack(scene, beside.present);
  }, 180_000);
  afterAll(async () => {
    await scene?.load.stop();
    await scene?.store.close();
    await versions?.close();
  });

  it('answers every request through the balancer as expected, and loses none', async () => {
    const { load, admin } = scene;
    expect(load.failures).toEqual([]);
    const left = [...load.added].filter((id) => !load.deleted.has(id));
    const servers = await done<{ id: number; name: string }[]>(admin, 'GET', '/api/servers');
    const ours = servers.filter(({ name }) => name.startsWith('client-')).map(({ id }) => id);
    expect(ours.sort()).toEqual(left.sort());
    for (const [path, content] of load.saved) expect(readFileSync(path, 'utf8')).toBe(content);
  });

  it('shows the version of each instance', () => {
    expect(beside.instances.map(({ instance_id, version }) => [instance_id, version])).toEqual([
      ['present', readVersion()],
      ['released', null],
    ]);
  });

  it('leaves the older version working on tables that have changed under it', () => {
    expect(beside.unexpected).toEqual([]);
  });

  it('lets each version use what the other has stored, and hear what it changes', () => {
    expect(beside.listings.map(({ status }) => status)).toEqual([200, 200]);
    expect(beside.was_off).toBe(true);
    expect(beside.withdrawn.code).toBe(4009);
  });

  it('ends the terminals of the older version in the defined way, after requests have moved', () => {
    expect(drained.drained).toBe(200);
    expect(drained.ends).toEqual([
      ['shutting_down', 1012],
      ['shutting_down', 1012],
    ]);
    expect(drained.exit).toBe(0);
  });

  it('hands the monitor over at once', () => {
    expect(drained.roles).toEqual(['follower', 'leader']);
  });

  it('continues uploads, and accepts passwords, API keys and tickets of the older version', () => {
    expect([drained.half_status, ...drained.accepted]).toEqual([204, 200, 200]);
    expect(readFileSync(join(scene.folder, 'whole.bin')).equals(CONTENT)).toBe(true);
    expect(drained.file).toEqual([200, 'client-0']);
  });

  it('delivers each event, again only under the same id', async () => {
    for (const path of ['/refused', '/held']) {
      const [first, ...more] = deliveriesTo(scene, path);
      expect([...new Set(more)]).toEqual([first]);
    }
    const { receiver, load } = scene;
    const told = () => {
      const ids = new Map(receiver.received('/added').map((one) => [one.headers['x-service-delivery'], one]));
      return [...ids.values()].map((one) => Number(eventOf(one).data['id']));
    };
    await eventually(() => expect(told()).toEqual(expect.arrayContaining([...load.added])));
    expect(new Set(told()).size).toBe(told().length);
  });

  it('can be taken back: the older version starts again, and drops nothing of the newer', () => {
    expect(back.exit).toBe(0);
    expect(back.signed_in).toBe(200);
    expect(back.output).toContain('Ignoring unknown columns, probably of a newer version');
    expect(back.counts).toEqual([{ later_count: 7 }]);
    expect(back.kept).toHaveLength(1);
  });

  it('leaves one audit log that verifies as a whole', () => {
    expect(back.verdict).toMatchObject({ ok: true });
  });
});
