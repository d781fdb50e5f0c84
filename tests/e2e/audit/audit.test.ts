import { chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AuditAction, type AuditEntry, type AuditRecord } from '#core/model/audit.ts';
import type { RevokedHostKey } from '#core/model/revoked-host-key.ts';
import type { Server } from '#core/model/server.ts';
import type { ImportedServers } from '#core/model/server-transfer.ts';
import type { WebSession } from '#core/model/web-session.ts';
import { readVersion } from '#server/version.ts';
import { chatPath, chooseProvider } from '../../support/agent/asking.ts';
import { LOCAL_MODELS, startModelServer } from '../../support/agent/model-server.ts';
import { eventually } from '../../support/eventually.ts';
import { auditInstance, auditRecord, auditRows } from '../../support/features/audit.ts';
import { PASSPHRASE as BACKUP_PASSPHRASE, exported } from '../../support/features/backups.ts';
import { hostOf, record } from '../../support/features/recordings.ts';
import { enrol } from '../../support/features/totp.ts';
import { zipOf } from '../../support/features/zip-files.ts';
import {
  type Actor,
  describeEachGateway,
  freshAddress,
  logIn,
  type TestGateway,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';
import { IS_BALANCED } from '../../support/gateway/is-balanced.ts';
import { openTerminal, type TerminalClient } from '../../support/gateway/ws.ts';
import { renamed, scanHost } from '../../support/hosts/known-hosts.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd();
  await writeFile(join(sshd.folder, 'notes.txt'), 'one line of text\n');
});
afterAll(() => sshd?.stop());

interface Scene {
  readonly gateway: TestGateway;
  readonly server: Server;
  /** The address of the action, as reported by a trusted proxy. */
  readonly address: string;
}

interface Told {
  readonly username: string;
  readonly detail: string | RegExp;
}

async function sceneOn(gateway: TestGateway): Promise<Scene> {
  const { port, username, password } = sshd;
  const server = await gateway.addServer({ name: 'box', port, username, password });
  return { gateway, server, address: freshAddress() };
}

function send({ address }: Scene, actor: Actor, method: string, path: string, body?: unknown) {
  return actor.fetch(path, {
    method,
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function ask<T = unknown>(scene: Scene, actor: Actor, method: string, path: string, body?: unknown) {
  const response = await send(scene, actor, method, path, body);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text || 'null') as T;
}

async function idOf(actor: Actor): Promise<number> {
  return (await actor.call<{ id: number }>('GET', '/api/auth/me')).body.id;
}

function terminalOf({ gateway, server, address }: Scene, actor: Actor, id = server.id): TerminalClient {
  return openTerminal(`${gateway.url}/api/ws/terminal/${id}?cols=80&rows=24`, {
    headers: { authorization: `Bearer ${actor.token}`, 'x-forwarded-for': address },
  });
}

/** A user with this name, and an administrator’s action on them. */
async function administer(scene: Scene, username: string, method: string, path: string, body?: unknown) {
  const id = await idOf(await scene.gateway.user({ username }));
  await ask(scene, scene.gateway.admin, method, `/api/auth/users/${id}${path}`, body);
  return { username: 'admin', detail: `${username} (#${id})` };
}

/** A user with this name, and their action on files. */
async function changeFiles(scene: Scene, username: string, [method, verb, body]: [string, string, object?]) {
  const user = await scene.gateway.user({ username, allowed_groups: ['lab'] });
  await ask(scene, user, method, `/api/files/${scene.server.id}/${verb}`, body);
  return username;
}

/** A separate file. */
async function newFile(name: string): Promise<string> {
  const path = join(sshd.folder, name);
  await writeFile(path, 'x');
  await chown(path, sshd.uid, sshd.uid);
  return path;
}

function socketOf({ gateway, address }: Scene, actor: Pick<Actor, 'token'>, path: string): TerminalClient {
  return openTerminal(`${gateway.url}/api/ws/terminal/${path}`, {
    headers: { authorization: `Bearer ${actor.token}`, 'x-forwarded-for': address },
  });
}

async function sessionOf(scene: Scene, user: Actor) {
  const { session_id } = await terminalOf(scene, user).frame('session');
  return { session_id: String(session_id) };
}

async function shareOne(scene: Scene, username: string) {
  const user = await scene.gateway.user({ username, allowed_groups: ['lab'] });
  const { session_id } = await sessionOf(scene, user);
  const path = `/api/terminal/share/${session_id}`;
  const { token } = await ask<{ token: string }>(scene, user, 'POST', path);
  return { user, session_id, token, detail: `${labelOf(scene)} of ${username}, session ${session_id}` };
}

async function joinShare(scene: Scene, username: string) {
  const { token, detail } = await shareOne(scene, `host of ${username}`);
  const client = socketOf(scene, await scene.gateway.user({ username }), `join/${token}`);
  await client.frame('joined');
  return { client, detail };
}

async function newSnippet(scene: Scene, username: string) {
  const user = await scene.gateway.user({ username });
  const input = { name: 'Look', command: 'cat secret' };
  const { id } = await ask<{ id: number }>(scene, user, 'POST', '/api/snippets', input);
  return { id, user };
}

async function newWebhook(scene: Scene, name: string): Promise<{ id: number; label: string }> {
  const input = { name, url: 'https://hooks.invalid/services/secret' };
  const { id } = await ask<{ id: number }>(scene, scene.gateway.admin, 'POST', '/api/webhooks', input);
  return { id, label: `${name} (#${id})` };
}

const detailOfSnippet = (id: number) => `Look (#${id})`;

const downloadPath = ({ server }: Scene) =>
  `/api/files/${server.id}/download?path=${encodeURIComponent(join(sshd.folder, 'notes.txt'))}`;
const labelOf = ({ server }: Scene) => `box (#${server.id})`;

function recordedServer({ gateway }: Scene): Promise<Server> {
  return hostOf(gateway, sshd, { name: 'recorded', record_sessions: true });
}

/** A user with this name, and a recording of theirs. */
async function recordOf(scene: Scene, username: string) {
  const user = await scene.gateway.user({ username, allowed_groups: ['lab'] });
  const client = terminalOf(scene, user, (await recordedServer(scene)).id);
  await client.frame('session');
  const { id } = await record(user, client, { keys: 'echo a-$((1 + 1))\r', sees: /a-2/ });
  return { id, user };
}

/** Asks the agent about a server of its own; the model calls one tool. */
async function askedAgent(scene: Scene, username: string) {
  const { gateway } = scene;
  const { db, tables } = gateway.store;
  const models = await startModelServer();
  try {
    models.script({ calls: [{ tool: 'nothing', arguments: { path: '/a' } }] }, { says: ['Nothing.'] });
    await chooseProvider(gateway, models);
    const server = await gateway.addServer({ name: username, agent_enabled: true });
    const user = await gateway.user({ username, allowed_groups: [server.group] });
    await (await send(scene, user, 'POST', chatPath(server.id), { message: 'Why?' })).text();
    return { username, detail: `${server.name} (#${server.id})` };
  } finally {
    await db.delete(tables.agent_settings);
    await models.stop();
  }
}

/** An embedded session of a user with this name. */
async function embedded(scene: Scene, username: string) {
  const { server } = scene;
  const minter = await scene.gateway.user({ username, allowed_groups: ['lab'] });
  const input = { server_id: server.id, kind: 'files', mode: 'ro' };
  const { ticket } = await ask<{ ticket: string }>(scene, minter, 'POST', '/api/auth/embed-ticket', input);
  const session = await ask<{ access_token: string }>(
    scene,
    scene.gateway.anonymous,
    'POST',
    '/api/auth/embed-session',
    { ticket },
  );
  return { token: session.access_token, label: `files (ro) of ${labelOf(scene)}` };
}

const escaped = (text: string) => text.replaceAll(/[()]/g, '\\$&');

/** Done by no user: by the gateway itself, or by a host. */
const DONE_BY_NOBODY = [
  'audit_recover',
  'audit_trimmed',
  'directory_unavailable', // needs a directory: tests/e2e/accounts/ldap.test.ts
  'gateway_start',
  'host_key_learn',
  'host_key_pin',
  'host_key_rotate',
  'quick_key_pin',
  'secrets_reseal',
  'server_parts_remove',
] as const;
type DoneBySomebody = Exclude<AuditAction, (typeof DONE_BY_NOBODY)[number]>;

const GONE_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';

/** How each action happens: a new action is added here. */
const DEEDS: Readonly<Record<DoneBySomebody, (scene: Scene) => Promise<Told>>> = {
  async agent_ask(scene) {
    return askedAgent(scene, 'asker');
  },
  async agent_settings_test(scene) {
    const address = {
      provider: 'ollama',
      base_url: 'http://127.0.0.1:1',
      model: '',
      allow_private_address: true,
    };
    await ask(scene, scene.gateway.admin, 'POST', '/api/agent/settings/test', address);
    return { username: 'admin', detail: 'ollama at http://127.0.0.1:1' };
  },
  async agent_settings_update(scene) {
    const settings = { provider: null, base_url: '', model: 'later', allow_private_address: false };
    await ask(scene, scene.gateway.admin, 'PUT', '/api/agent/settings', { ...settings, api_key: 'secret' });
    return { username: 'admin', detail: 'model, api_key' };
  },
  async agent_tool(scene) {
    const { detail } = await askedAgent(scene, 'tool user');
    return { username: 'tool user', detail: `${detail}: nothing {"path":"/a"}` };
  },
  async api_key_create(scene) {
    const owner = await scene.gateway.user({ username: 'key-maker' });
    const key = await ask<{ key_prefix: string }>(scene, owner, 'POST', '/api/auth/api-keys', { name: 'ci' });
    return { username: 'key-maker', detail: `ci (${key.key_prefix}…)` };
  },
  async api_key_revoke(scene) {
    const owner = await scene.gateway.user({ username: 'key-breaker' });
    const { body } = await owner.call<{ id: number; key_prefix: string }>('POST', '/api/auth/api-keys', {
      name: 'ci',
    });
    await ask(scene, owner, 'DELETE', `/api/auth/api-keys/${body.id}`);
    return { username: 'key-breaker', detail: `ci (${body.key_prefix}…)` };
  },
  async audit_export(scene) {
    const { admin } = scene.gateway;
    await (
      await send(
        scene,
        admin,
        'GET',
        '/api/auth/audit/export?format=ndjson&username=someone&since=2020-01-01',
      )
    ).text();
    return { username: 'admin', detail: 'ndjson, by username, since' };
  },
  async backup_export(scene) {
    const input = { passphrase: BACKUP_PASSPHRASE };
    await ask(scene, scene.gateway.admin, 'POST', '/api/backup/export', input);
    return { username: 'admin', detail: /^\d+ servers, \d+ users/ };
  },
  async embed_end(scene) {
    const { token, label } = await embedded(scene, 'embed ender');
    await ask(scene, scene.gateway.actor(token), 'DELETE', '/api/auth/embed-session');
    return { username: 'embed ender', detail: label };
  },
  async embed_start(scene) {
    const { label } = await embedded(scene, 'embed starter');
    return { username: 'embed starter', detail: new RegExp(`^${escaped(label)}, by a session, until 20`) };
  },
  async embed_ticket(scene) {
    const { label } = await embedded(scene, 'embed minter');
    return { username: 'embed minter', detail: label };
  },
  async backup_restore(scene) {
    const { admin } = scene.gateway;
    const bundle = await exported(admin);
    const input = { bundle, passphrase: BACKUP_PASSPHRASE, mode: 'merge' };
    await ask(scene, admin, 'POST', '/api/backup/restore', input);
    return { username: 'admin', detail: /^merge: skipped \d+ servers, \d+ users/ };
  },
  async branding_reset(scene) {
    await ask(scene, scene.gateway.admin, 'DELETE', '/api/branding');
    return { username: 'admin', detail: '' };
  },
  async branding_update(scene) {
    const { admin } = scene.gateway;
    await ask(scene, admin, 'PUT', '/api/branding', { tagline: 'a new one', colors: { accent: '#112233' } });
    return { username: 'admin', detail: 'tagline, colors' };
  },
  async host_key_accept(scene) {
    const { gateway, server } = scene;
    await gateway.admin.call('POST', `/api/servers/${server.id}/test`);
    const pinned = await sshd.hostFingerprint();
    const host_key = /ssh-ed25519 \S+/.exec(await scanHost(sshd.port))?.[0];
    await ask(scene, gateway.admin, 'PUT', `/api/servers/${server.id}/host-key`, { host_key });
    return { username: 'admin', detail: `${labelOf(scene)}: ${pinned}, instead of ${pinned}` };
  },
  async host_key_clear(scene) {
    const { gateway, server } = scene;
    await gateway.admin.call('POST', `/api/servers/${server.id}/test`);
    await ask(scene, gateway.admin, 'DELETE', `/api/servers/${server.id}/host-key`);
    return { username: 'admin', detail: `${labelOf(scene)}: ${await sshd.hostFingerprint()}` };
  },
  async host_key_import(scene) {
    const { admin } = scene.gateway;
    const { id } = await scene.gateway.addServer({ name: 'known', hostname: 'known.example' });
    const text = renamed(await scanHost(sshd.port), 'known.example');
    await ask(scene, admin, 'POST', '/api/servers/host-keys/import', { text });
    return { username: 'admin', detail: `known (#${id}): ${await sshd.hostFingerprint()}` };
  },
  async host_key_revoke(scene) {
    const text = `@revoked gone.example ${GONE_KEY}`;
    await ask(scene, scene.gateway.admin, 'POST', '/api/servers/host-keys/import', { text });
    return { username: 'admin', detail: /^[01]: SHA256:\S{43}$/ };
  },
  async host_key_revoke_undo(scene) {
    const { admin } = scene.gateway;
    const path = '/api/servers/host-keys/revoked';
    await ask(scene, admin, 'POST', '/api/servers/host-keys/import', {
      text: `@revoked x.example ${GONE_KEY}`,
    });
    const [first] = (await admin.call<RevokedHostKey[]>('GET', path)).body;
    await ask(scene, admin, 'DELETE', `${path}/${first?.id}`);
    return { username: 'admin', detail: `#${first?.id}: ${first?.fingerprint}` };
  },
  async login(scene) {
    await scene.gateway.user({ username: 'arriver' });
    const credentials = { username: 'ARRIVER', password: USER_PASSWORD };
    await ask(scene, scene.gateway.anonymous, 'POST', '/api/auth/login', credentials);
    return { username: 'arriver', detail: 'local' };
  },
  async login_failed(scene) {
    await scene.gateway.user({ username: 'mistyper' });
    const credentials = { username: 'mistyper', password: 'not-the-password' };
    await send(scene, scene.gateway.anonymous, 'POST', '/api/auth/login', credentials);
    return { username: 'mistyper', detail: 'wrong password' };
  },
  async logout(scene) {
    await ask(scene, await scene.gateway.user({ username: 'leaver' }), 'POST', '/api/auth/logout');
    return { username: 'leaver', detail: '' };
  },
  async password_change(scene) {
    const user = await scene.gateway.user({ username: 'changer' });
    const passwords = { new_password: 'changed-password-1', current_password: USER_PASSWORD };
    await ask(scene, user, 'POST', '/api/auth/change-password', passwords);
    return { username: 'changer', detail: '' };
  },
  async proof_failed(scene) {
    const guesser = await scene.gateway.user({ username: 'guesser' });
    const guess = { new_password: 'another-password-4', current_password: 'not-the-password' };
    await send(scene, guesser, 'POST', '/api/auth/change-password', guess);
    return { username: 'guesser', detail: 'current password' };
  },
  async quick_key_accept(scene) {
    const user = await scene.gateway.user({ username: 'quick-trusting' });
    const client = socketOf(scene, user, 'quick');
    const { port, username, password } = sshd;
    client.raw.once('open', () => client.send({ type: 'open', host: '127.0.0.1', port, username, password }));
    await client.frame('session');
    const [pin] = await ask<{ id: number }[]>(scene, user, 'GET', '/api/terminal/host-keys');
    const host_key = /ssh-ed25519 \S+/.exec(await scanHost(port))?.[0];
    await ask(scene, user, 'PUT', `/api/terminal/host-keys/${pin?.id}`, { host_key });
    const known = await sshd.hostFingerprint();
    return { username: 'quick-trusting', detail: `127.0.0.1:${port}: ${known}, instead of ${known}` };
  },
  async quick_key_forget(scene) {
    const user = await scene.gateway.user({ username: 'quick-forgetful' });
    const client = socketOf(scene, user, 'quick');
    const { port, username, password } = sshd;
    client.raw.once('open', () => client.send({ type: 'open', host: '127.0.0.1', port, username, password }));
    await client.frame('session');
    const [pin] = await ask<{ id: number }[]>(scene, user, 'GET', '/api/terminal/host-keys');
    await send(scene, user, 'DELETE', `/api/terminal/host-keys/${pin?.id}`);
    return { username: 'quick-forgetful', detail: `127.0.0.1:${port}: ${await sshd.hostFingerprint()}` };
  },
  async recording_close(scene) {
    const { id } = await recordOf(scene, 'on-record');
    const what = `sha256 [0-9a-f]{64}, \\d+ bytes, recorded \\(#\\d+\\)`;
    return { username: 'on-record', detail: new RegExp(`^#${id} \\d{4}-\\d\\d/\\S+\\.cast: ${what}$`) };
  },
  async recording_delete(scene) {
    const { id, user } = await recordOf(scene, 'off-record');
    await ask(scene, user, 'DELETE', `/api/recordings/${id}`);
    return {
      username: 'off-record',
      detail: new RegExp(`^#${id} of off-record on recorded \\(#\\d+\\), started 20\\S+Z$`),
    };
  },
  async recording_search(scene) {
    const user = await scene.gateway.user({ username: 'searcher' });
    const response = await send(scene, user, 'POST', '/api/recordings/search', { text: 'rm -rf' });
    await response.text();
    return { username: 'searcher', detail: '"rm -rf"' };
  },
  async recording_stop(scene) {
    const { dir } = scene.gateway.config.recordings;
    await rm(dir, { recursive: true, force: true });
    await writeFile(dir, 'in the way');
    const user = await scene.gateway.user({ username: 'unrecorded', allowed_groups: ['lab'] });
    const server = await recordedServer(scene);
    await terminalOf(scene, user, server.id).closed();
    await rm(dir);
    const detail = `recorded (#${server.id}): session refused because it cannot be recorded`;
    return { username: 'unrecorded', detail };
  },
  async recording_view(scene) {
    const { id, user } = await recordOf(scene, 'reader');
    await (await send(scene, user, 'GET', `/api/recordings/${id}/text`)).text();
    return { username: 'reader', detail: new RegExp(`^#${id} of reader on .*: read as text$`) };
  },
  async recovery_code_use(scene) {
    const [totp_code] = (await enrol(await scene.gateway.user({ username: 'unlucky' }))).recovery_codes;
    const credentials = { username: 'unlucky', password: USER_PASSWORD, totp_code };
    await ask(scene, scene.gateway.anonymous, 'POST', '/api/auth/login', credentials);
    return { username: 'unlucky', detail: '' };
  },
  async recovery_codes_renew(scene) {
    const user = await scene.gateway.user({ username: 'renewer' });
    const code = (await enrol(user)).nextCode();
    await ask(scene, user, 'POST', '/api/auth/totp/recovery-codes', { code });
    return { username: 'renewer', detail: '' };
  },
  async server_create(scene) {
    const fields = { name: 'new', hostname: 'h.example', username: 'u', password: 'p' };
    const { id } = await ask<Server>(scene, scene.gateway.admin, 'POST', '/api/servers', fields);
    return { username: 'admin', detail: `new (#${id})` };
  },
  async server_delete(scene) {
    await ask(scene, scene.gateway.admin, 'DELETE', `/api/servers/${scene.server.id}`);
    return { username: 'admin', detail: labelOf(scene) };
  },
  async server_export(scene) {
    const all = await ask<Server[]>(scene, scene.gateway.admin, 'GET', '/api/servers/export');
    return { username: 'admin', detail: `${all.length} servers` };
  },
  async server_import(scene) {
    const servers = [{ name: 'brought', hostname: 'h.example', username: 'u', password: 'p' }];
    const path = '/api/servers/import';
    const { created } = await ask<ImportedServers>(scene, scene.gateway.admin, 'POST', path, { servers });
    return { username: 'admin', detail: `1: brought (#${created[0]?.id})` };
  },
  async server_update(scene) {
    const patch = { description: 'a new one', password: 'a-new-one' };
    await ask(scene, scene.gateway.admin, 'PUT', `/api/servers/${scene.server.id}`, patch);
    return { username: 'admin', detail: `${labelOf(scene)}: description, password` };
  },
  async session_revoke(scene) {
    const user = await scene.gateway.user({ username: 'tidy' });
    await scene.gateway.signIn('tidy', USER_PASSWORD);
    const { body } = await user.call<WebSession[]>('GET', '/api/auth/sessions');
    const other = body.find(({ current }) => !current);
    await ask(scene, user, 'DELETE', `/api/auth/sessions/${other?.id}`);
    const which = `${other?.id.slice(0, 8)}… from ${other?.ip_address}, started ${other?.created_at}`;
    return { username: 'tidy', detail: `an own session: ${which}` };
  },
  async settings_reset(scene) {
    const { admin } = scene.gateway;
    await ask(scene, admin, 'PUT', '/api/settings', { values: { resume_seconds: 4711 } });
    await ask(scene, admin, 'POST', '/api/settings/reset', { keys: ['resume_seconds', 'log_level'] });
    return { username: 'admin', detail: 'resume_seconds' };
  },
  async audit_limits(scene) {
    const values = { audit_retention_days: 36_500, audit_max_entries: 0 };
    await ask(scene, scene.gateway.admin, 'PUT', '/api/settings', { values });
    return { username: 'admin', detail: 'audit_retention_days: 36500, audit_max_entries: 0' };
  },
  async settings_update(scene) {
    const values = { resume_seconds: 4711, log_level: 'warn' };
    await ask(scene, scene.gateway.admin, 'PUT', '/api/settings', { values });
    return { username: 'admin', detail: 'resume_seconds, log_level' };
  },
  async sftp_chmod(scene) {
    const path = await newFile('chmod.txt');
    const username = await changeFiles(scene, 'moder', ['POST', 'chmod', { path, mode: '640' }]);
    return { username, detail: `${labelOf(scene)}: ${path} to 640` };
  },
  async sftp_connect(scene) {
    const { server, gateway } = scene;
    const { username, password } = sshd;
    const user = await gateway.user({ username: 'typist', allowed_groups: ['lab'] });
    await gateway.admin.call('PUT', `/api/servers/${server.id}`, { auth_method: 'prompt', password: '' });
    await ask(scene, user, 'POST', `/api/files/${server.id}/connect`, { username, password });
    return { username: 'typist', detail: `${labelOf(scene)} as ${username}` };
  },
  async sftp_copy(scene) {
    const source_path = await newFile('copied.txt');
    const target_path = join(sshd.folder, `copy-${scene.server.id}.txt`);
    const input = { source_path, target_server_id: scene.server.id, target_path, overwrite: true };
    const username = await changeFiles(scene, 'copier', ['POST', 'copy-to', input]);
    return { username, detail: new RegExp(`copied\\.txt.*copy-${scene.server.id}\\.txt`) };
  },
  async sftp_delete(scene) {
    const path = await newFile('deleted.txt');
    const username = await changeFiles(scene, 'deleter', [
      'DELETE',
      `delete?path=${encodeURIComponent(path)}`,
    ]);
    return { username, detail: `${labelOf(scene)}: ${path}` };
  },
  async sftp_download(scene) {
    const user = await scene.gateway.user({ username: 'fetcher', allowed_groups: ['lab'] });
    await (await send(scene, user, 'GET', downloadPath(scene))).text();
    return { username: 'fetcher', detail: `${labelOf(scene)}: ${join(sshd.folder, 'notes.txt')}` };
  },
  async sftp_extract(scene) {
    const path = await newFile('packed.zip');
    await writeFile(path, zipOf([{ name: 'a.txt', content: 'a' }]));
    const target_path = join(sshd.folder, `extracted-${scene.server.id}`);
    const input = { path, target_path, overwrite: true };
    const user = await scene.gateway.user({ username: 'unpacker', allowed_groups: ['lab'] });
    await (await send(scene, user, 'POST', `/api/files/${scene.server.id}/extract`, input)).text();
    return { username: 'unpacker', detail: `${labelOf(scene)}: ${path} to ${target_path}` };
  },
  async sftp_mkdir(scene) {
    const path = join(sshd.folder, `made-${scene.server.id}`);
    const username = await changeFiles(scene, 'maker', ['POST', 'mkdir', { path, parents: true }]);
    return { username, detail: `${labelOf(scene)}: ${path}` };
  },
  async sftp_rename(scene) {
    const old_path = await newFile('old.txt');
    const new_path = join(sshd.folder, `new-${scene.server.id}.txt`);
    const input = { old_path, new_path, overwrite: true };
    const username = await changeFiles(scene, 'renamer', ['POST', 'rename', input]);
    return { username, detail: `${labelOf(scene)}: ${old_path} to ${new_path}` };
  },
  async sftp_upload(scene) {
    const user = await scene.gateway.user({ username: 'sender', allowed_groups: ['lab'] });
    const body = new FormData();
    for (const name of ['one.txt', 'two.txt']) body.append('files', new File(['x'], name));
    const path = `/api/files/${scene.server.id}/upload?path=${encodeURIComponent(sshd.folder)}`;
    await user.fetch(path, { method: 'POST', body, headers: { 'x-forwarded-for': scene.address } });
    const paths = ['one.txt', 'two.txt'].map((name) => join(sshd.folder, name)).join(', ');
    return { username: 'sender', detail: `${labelOf(scene)}: ${paths}` };
  },
  async sftp_write(scene) {
    const path = await newFile('written.txt');
    const username = await changeFiles(scene, 'writer', ['PUT', 'write', { path, content: 'secret text' }]);
    return { username, detail: `${labelOf(scene)}: ${path}` };
  },
  async sftp_zip(scene) {
    const user = await scene.gateway.user({ username: 'packer', allowed_groups: ['lab'] });
    const paths = [await newFile('packed.txt'), join(sshd.folder, 'notes.txt')];
    await (await send(scene, user, 'POST', `/api/files/${scene.server.id}/download-zip`, { paths })).text();
    return { username: 'packer', detail: `${labelOf(scene)}: ${paths.join(', ')}` };
  },
  async snippet_create(scene) {
    const { id } = await newSnippet(scene, 'noter');
    return { username: 'noter', detail: detailOfSnippet(id) };
  },
  async snippet_delete(scene) {
    const { id, user } = await newSnippet(scene, 'cleaner');
    await send(scene, user, 'DELETE', `/api/snippets/${id}`);
    return { username: 'cleaner', detail: detailOfSnippet(id) };
  },
  async snippet_update(scene) {
    const { id, user } = await newSnippet(scene, 'reviser');
    await ask(scene, user, 'PUT', `/api/snippets/${id}`, { command: 'another secret' });
    return { username: 'reviser', detail: `${detailOfSnippet(id)}: command` };
  },
  async step_up(scene) {
    const user = await scene.gateway.user({ username: 'confirmer' });
    await ask(scene, user, 'POST', '/api/auth/step-up', { password: USER_PASSWORD });
    return { username: 'confirmer', detail: '' };
  },
  async terminal_close(scene) {
    const user = await scene.gateway.user({ username: 'closer', allowed_groups: ['lab'] });
    const client = terminalOf(scene, user);
    await client.frame('session');
    client.close(1000);
    return { username: 'closer', detail: /^box \(#\d+\) after \d+ s$/ };
  },
  async terminal_end(scene) {
    const user = await scene.gateway.user({ username: 'ender', allowed_groups: ['lab'] });
    const { session_id } = await sessionOf(scene, user);
    await send(scene, user, 'DELETE', `/api/terminal/sessions/${session_id}`);
    return { username: 'ender', detail: `${labelOf(scene)} of ender, session ${session_id}` };
  },
  async terminal_join(scene) {
    const { detail } = await joinShare(scene, 'joiner');
    return { username: 'joiner', detail: `${detail}: rw` };
  },
  async terminal_leave(scene) {
    const { client, detail } = await joinShare(scene, 'share-leaver');
    client.close(1000);
    return { username: 'share-leaver', detail };
  },
  async terminal_open(scene) {
    const user = await scene.gateway.user({ username: 'opener', allowed_groups: ['lab'] });
    const client = terminalOf(scene, user);
    await client.frame('session');
    client.close(1000);
    return { username: 'opener', detail: labelOf(scene) };
  },
  async terminal_refuse(scene) {
    const user = await scene.gateway.user({ username: 'barred', allowed_groups: ['lab'] });
    const { server, gateway } = scene;
    await gateway.admin.call('PUT', `/api/servers/${server.id}`, { ssh_enabled: false });
    expect((await terminalOf(scene, user).closed()).code).toBe(4003);
    return { username: 'barred', detail: /^(box|server) \(#\d+\): ssh_disabled$/ };
  },
  async terminal_resume(scene) {
    const user = await scene.gateway.user({ username: 'wanderer', allowed_groups: ['lab'] });
    const { session_id } = await sessionOf(scene, user);
    const elsewhere = await scene.gateway.signIn('wanderer', USER_PASSWORD);
    await socketOf(scene, elsewhere, `resume/${session_id}`).frame('session');
    return { username: 'wanderer', detail: `${labelOf(scene)} of wanderer, session ${session_id}` };
  },
  async terminal_share(scene) {
    const { detail } = await shareOne(scene, 'sharer');
    return { username: 'sharer', detail: `${detail}: rw` };
  },
  async terminal_unshare(scene) {
    const { user, session_id, detail } = await shareOne(scene, 'unsharer');
    await send(scene, user, 'DELETE', `/api/terminal/share/${session_id}`);
    return { username: 'unsharer', detail };
  },
  async terminal_watch(scene) {
    const user = await scene.gateway.user({ username: 'watched', allowed_groups: ['lab'] });
    const { session_id } = await sessionOf(scene, user);
    await socketOf(scene, scene.gateway.admin, `watch/${session_id}`).frame('joined');
    return { username: 'admin', detail: `${labelOf(scene)} of watched, session ${session_id}: ro` };
  },
  async totp_disable(scene) {
    const user = await scene.gateway.user({ username: 'careless' });
    const code = (await enrol(user)).nextCode();
    await send(scene, user, 'POST', '/api/auth/totp/disable', { code });
    return { username: 'careless', detail: '' };
  },
  async totp_enable(scene) {
    const user = await scene.gateway.user({ username: 'careful' });
    const fetchFrom = (path: string, init: RequestInit = {}) => {
      const headers = { ...init.headers, 'x-forwarded-for': scene.address };
      return user.fetch(path, { ...init, headers });
    };
    await enrol({ ...user, call: callWith(fetchFrom) });
    return { username: 'careful', detail: '' };
  },
  async totp_reset(scene) {
    return administer(scene, 'lost-phone', 'PUT', '/totp-reset');
  },
  async user_create(scene) {
    const fields = { username: 'Créée', password: 'created-password-1', allowed_groups: ['lab'] };
    const { id } = await ask<{ id: number }>(scene, scene.gateway.admin, 'POST', '/api/auth/users', fields);
    return { username: 'admin', detail: `Créée (#${id})` };
  },
  async user_delete(scene) {
    const { detail, ...actor } = await administer(scene, 'doomed', 'DELETE', '');
    return { ...actor, detail: `${detail}; with it: API keys: 0, snippets: 0` };
  },
  async user_groups(scene) {
    const groups = { allowed_groups: ['secret-project'] };
    return administer(scene, 'mover', 'PUT', '/groups', groups);
  },
  async user_password_reset(scene) {
    const password = { password: 'reset-password-1' };
    return administer(scene, 'forgetful', 'PUT', '/password', password);
  },
  async user_unlock(scene) {
    return administer(scene, 'unlocked', 'DELETE', '/lock');
  },
  async user_update(scene) {
    const patch = { is_admin: true, must_change_password: false };
    const { detail, ...actor } = await administer(scene, 'risen', 'PATCH', '', patch);
    return { ...actor, detail: `${detail}: is_admin: true, must_change_password: false` };
  },
  async webhook_create(scene) {
    const { label } = await newWebhook(scene, 'made');
    return { username: 'admin', detail: `${label} to https://hooks.invalid` };
  },
  async webhook_delete(scene) {
    const { id, label } = await newWebhook(scene, 'gone');
    await send(scene, scene.gateway.admin, 'DELETE', `/api/webhooks/${id}`);
    return { username: 'admin', detail: label };
  },
  async webhook_replay(scene) {
    const { admin } = scene.gateway;
    const { id, label } = await newWebhook(scene, 'again');
    await ask(scene, admin, 'POST', `/api/webhooks/${id}/test`);
    const deliveries = await ask<{ id: number }[]>(scene, admin, 'GET', `/api/webhooks/${id}/deliveries`);
    const first = deliveries.at(-1)?.id;
    await ask(scene, admin, 'POST', `/api/webhooks/deliveries/${first}/replay`);
    return { username: 'admin', detail: `${label}: delivery #${first}` };
  },
  async webhook_test(scene) {
    const { id, label } = await newWebhook(scene, 'tried');
    await ask(scene, scene.gateway.admin, 'POST', `/api/webhooks/${id}/test`);
    return { username: 'admin', detail: label };
  },
  async webhook_update(scene) {
    const { id, label } = await newWebhook(scene, 'turned');
    const patch = { url: 'https://other.invalid/', secret: 'hush', enabled: false };
    await ask(scene, scene.gateway.admin, 'PUT', `/api/webhooks/${id}`, patch);
    return { username: 'admin', detail: `${label}: url, enabled, secret` };
  },
};

function callWith(fetchFrom: Actor['fetch']): Actor['call'] {
  return async <T>(method: string, path: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const json = body === undefined ? {} : { body: JSON.stringify(body), headers };
    const response = await fetchFrom(path, { method, ...json });
    return { status: response.status, headers: response.headers, body: (await response.json()) as T };
  };
}

const isDoneBySomebody = (action: AuditAction): action is DoneBySomebody =>
  !DONE_BY_NOBODY.some((nobody) => nobody === action);
const DONE_BY_SOMEBODY = AuditAction.options.filter(isDoneBySomebody);

const query = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

async function entries({ admin }: TestGateway, fields: Record<string, string>): Promise<AuditEntry[]> {
  return (await admin.call<AuditEntry[]>('GET', `/api/auth/audit?${query(fields)}`)).body;
}

describeEachGateway(
  'Every action',
  (gateway) => {
    it.each(DONE_BY_SOMEBODY)('%s is recorded with user, address and target', async (action) => {
      const scene = await sceneOn(gateway());
      const { username, detail } = await DEEDS[action](scene);
      const { db, tables } = gateway().store;
      const [user] = await db.select().from(tables.users).where(eq(tables.users.username, username));
      const found = await eventually(async () => {
        const all = await entries(gateway(), { action, search: scene.address });
        expect(all).toHaveLength(1);
        return all[0];
      });
      expect(found).toMatchObject({ username, user_id: user?.id, ip_address: scene.address });
      expect(found?.detail).toEqual(typeof detail === 'string' ? detail : expect.stringMatching(detail));
      expect(Date.now() - Date.parse(found?.created_at ?? '')).toBeLessThan(60_000);
    });

    it('gateway_start is the first entry of each run', async () => {
      const [first] = await auditRows(gateway().store);
      expect(first).toMatchObject({ action: 'gateway_start', user_id: null, seq: 1 });
      expect(first?.detail).toBe(`version ${readVersion()}, instance ${gateway().config.instance_id}`);
    });

    it.each([
      ['host_key_pin', 'when it is met for the first time', /^box \(#\d+\): SHA256:\S+$/],
      ['host_key_learn', 'when it has proved further keys', /^box \(#\d+\): SHA256:\S+$/],
    ] as const)('%s is recorded for the host itself, %s', async (action, _when, detail) => {
      const scene = await sceneOn(gateway());
      await gateway().admin.call('POST', `/api/servers/${scene.server.id}/test`);
      const found = await eventually(async () => {
        const [first] = await entries(gateway(), { action, search: labelOf(scene) });
        return first ?? Promise.reject(new Error('Not yet'));
      });
      expect(found).toMatchObject({ user_id: null, username: '', ip_address: '' });
      expect(found.detail).toMatch(detail);
    });

    it('is one of the known actions', async () => {
      const recorded = new Set((await auditRows(gateway().store)).map(({ action }) => action));
      expect(
        [...recorded].filter((action) => !AuditAction.options.some((known) => known === action)),
      ).toEqual([]);
    });
  },
  { env: LOCAL_MODELS },
);

describeEachGateway('A failed login', (gateway) => {
  async function failedBy(username: string, password: string, totp_code?: string): Promise<AuditEntry> {
    const before = await auditRows(gateway().store);
    await logIn(gateway().anonymous, username, password, totp_code);
    const after = await auditRows(gateway().store);
    const [row, ...more] = after.slice(before.length);
    if (!row || more.length > 0) throw new Error(`${after.length - before.length} entries`);
    return row;
  }

  it('of an unknown name is recorded without a user', async () => {
    const row = await failedBy('Nobody-Here', 'x');
    expect(row).toMatchObject({ user_id: null, username: 'Nobody-Here', detail: 'unknown name' });
  });

  it('is recorded with 64 printable characters of the typed name', async () => {
    const row = await failedBy(`\u0000bad\r\n\u001b[31m${'x'.repeat(200)}`, 'x');
    expect(row.username).toBe(`bad[31m${'x'.repeat(57)}`);
  });

  it('is recorded with the address that the proxy saw, whatever the client claims', async () => {
    await gateway().anonymous.fetch('/api/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '198.51.100.7, 203.0.113.8' },
      body: JSON.stringify({ username: 'spoofer', password: 'wrong' }),
    });
    expect(await entries(gateway(), { username: 'spoofer' })).toMatchObject([{ ip_address: '203.0.113.8' }]);
  });

  it('of a disabled account says so', async () => {
    const id = await idOf(await gateway().user({ username: 'resting' }));
    await gateway().admin.call('PATCH', `/api/auth/users/${id}`, { disabled: true });
    expect(await failedBy('resting', USER_PASSWORD)).toMatchObject({
      user_id: id,
      detail: 'the account is disabled',
    });
  });

  it('by a wrong code says so', async () => {
    await enrol(await gateway().user({ username: 'two-steps' }));
    expect(await failedBy('two-steps', USER_PASSWORD, '000000')).toMatchObject({
      username: 'two-steps',
      detail: 'wrong 2FA code',
    });
  });

  it('of a locked account says so', async () => {
    await gateway().user({ username: 'locked' });
    for (let count = 0; count < 10; count += 1) await logIn(gateway().anonymous, 'locked', 'wrong');
    expect(await failedBy('locked', USER_PASSWORD)).toMatchObject({ detail: 'the account is locked' });
  });
});

describeEachGateway('What is not recorded', (gateway) => {
  const path = () => encodeURIComponent(join(sshd.folder, 'notes.txt'));

  it('is a directory listing, a stat, a text read, or any other read', async () => {
    const { gateway: on, server } = await sceneOn(gateway());
    const recorded = async () =>
      (await auditRows(on.store)).filter(({ action }) => !action.startsWith('host_key_')); // The action of a host.
    const before = await recorded();
    for (const asked of [
      `/api/files/${server.id}/ls?path=${encodeURIComponent(sshd.folder)}`,
      `/api/files/${server.id}/stat?path=${path()}`,
      `/api/files/${server.id}/read?path=${path()}`,
      '/api/servers',
      '/api/auth/me',
      '/api/auth/users',
      '/api/auth/sessions',
      '/api/auth/audit',
      '/api/auth/audit/verify',
    ]) {
      expect({ asked, status: (await on.admin.call('GET', asked)).status }).toEqual({ asked, status: 200 });
    }
    expect(await recorded()).toEqual(before);
  });

  // Each instance remembers what it has recorded.
  it.skipIf(IS_BALANCED)('is a further range that a player reads of one file', async () => {
    const scene = await sceneOn(gateway());
    for (const range of ['bytes=0-3', 'bytes=4-7', 'bytes=8-']) {
      const part = await gateway().admin.fetch(downloadPath(scene), { headers: { range } });
      expect(part.status).toBe(206);
      await part.text();
    }
    const label = `box (#${scene.server.id})`;
    expect(await entries(gateway(), { action: 'sftp_download', search: label })).toHaveLength(1);
  });

  it('is a refused download', async () => {
    const scene = await sceneOn(gateway());
    const missing = `/api/files/${scene.server.id}/download?path=/no/such/file`;
    expect((await gateway().admin.call('GET', missing)).status).toBe(404);
    const label = `box (#${scene.server.id})`;
    expect(await entries(gateway(), { action: 'sftp_download', search: label })).toEqual([]);
  });

  it('is any secret: password, key, code, token, credential', async () => {
    const secrets = await useSecrets(await sceneOn(gateway()));
    const rows = (await auditRows(gateway().store)).map(({ hash, chain_id, created_at, ...row }) => row);
    const text = JSON.stringify(rows).toLowerCase();
    for (const [what, secret] of secrets) {
      expect(secret, what).toMatch(/.{6}/);
      expect({ what, told: text.includes(secret.toLowerCase()) }).toEqual({ what, told: false });
    }
  });
});

/** Sends a secret wherever one can be sent; returns the secrets. */
async function useSecrets(scene: Scene): Promise<[string, string][]> {
  const { gateway, server } = scene;
  const { admin } = gateway;
  await logIn(gateway.anonymous, 'admin', 'zebra-wrong-password');
  await admin.call('POST', '/api/auth/users', { username: 'kept', password: 'zebra-new-password' });
  const kept = await gateway.signIn('kept', 'zebra-new-password');
  const changed = { new_password: 'zebra-changed-password', current_password: 'zebra-new-password' };
  await kept.call('POST', '/api/auth/change-password', changed);
  const key = await kept.call<{ key: string; id: number }>('POST', '/api/auth/api-keys', { name: 'kept' });
  await gateway.actor(key.body.key).call('GET', '/api/servers');
  const factor = await enrol(kept);
  const [recovery_code = ''] = factor.recovery_codes;
  await logIn(gateway.anonymous, 'kept', 'zebra-changed-password', recovery_code);
  const pending = await logIn(gateway.anonymous, 'kept', 'zebra-changed-password');
  const code = factor.nextCode();
  const pending_actor = gateway.actor(pending.body.access_token);
  const signed_in = await pending_actor.call<{ access_token: string }>('POST', '/api/auth/totp/verify', {
    code,
  });
  const { encrypted_private_key, passphrase } = sshd;
  const credentials = { password: 'zebra-host-password', private_key: encrypted_private_key, passphrase };
  expect((await admin.call('PUT', `/api/servers/${server.id}`, credentials)).status).toBe(200);
  await admin.call('PUT', `/api/servers/${server.id}`, { password: sshd.password });
  const reset = { password: 'zebra-reset-password' };
  await admin.call('PUT', `/api/auth/users/${await idOf(kept)}/password`, reset);
  await kept.call('DELETE', `/api/auth/api-keys/${key.body.id}`);
  const socket = await admin.call<{ ticket: string }>('POST', '/api/auth/ws-ticket');
  const url = `${gateway.url}/api/ws/terminal/${server.id}?cols=80&rows=24&ticket=${socket.body.ticket}`;
  const client = openTerminal(url);
  await client.frame('session');
  client.type('echo zebra-typed-in-the-shell; exit\n');
  await client.closed();
  await gateway.anonymous.fetch(`${downloadPath(scene)}&token=${admin.token}`);
  return [
    ['a wrong password', 'zebra-wrong-password'],
    ['any password', 'zebra-'],
    ['an API key', key.body.key],
    ['a TOTP secret', factor.secret],
    ['a TOTP code', code],
    ['a recovery code', recovery_code],
    ['a pending token', pending.body.access_token],
    ['a session token', signed_in.body.access_token],
    ['an administrator’s token', admin.token],
    ['a private key', encrypted_private_key.split('\n')[2] ?? ''],
    ['a passphrase', passphrase],
    ['a host’s password', sshd.password],
    ['a ticket', socket.body.ticket],
  ];
}

const TRICKY = ['100%', 'a_b', "o'brien", 'c:\\temp', '"quoted"', 'NEAR(x)', 'x* OR y', '%', '_', "'", '\\'];

describeEachGateway('A refused terminal', (gateway) => {
  // Each instance remembers what it has recorded.
  it.skipIf(IS_BALANCED)(
    'is recorded once a minute for the same refusal, so that nobody can flood the log',
    async () => {
      const user = await gateway().user({ username: 'insistent' });
      for (let id = 1000; id < 1010; id += 1) {
        const socket = openTerminal(`${gateway().url}/api/ws/terminal/${id}`, {
          headers: { authorization: `Bearer ${user.token}` },
        });
        expect((await socket.closed()).code).toBe(4004);
      }
      const found = await entries(gateway(), { username: 'insistent', action: 'terminal_refuse' });
      expect(found.map(({ detail }) => detail)).toEqual(['server (#1000): server_not_found']);
    },
  );
});

describeEachGateway('Reading the log', (gateway) => {
  it.each(['0000-01-01', '1969-12-31', '9999-12-31T23:59:59-12:00'])(
    'refuses an impossible year: %s',
    async (since) => {
      const { status, body } = await gateway().admin.call('GET', `/api/auth/audit?${query({ since })}`);
      expect([status, body['code']]).toEqual([422, 'validation']);
    },
  );

  const day = (text: string) => `2020-03-${text}.000Z`;

  async function fill(records: readonly Partial<AuditRecord>[]): Promise<void> {
    const instance = await auditInstance(gateway().store);
    for (const record of records) await instance.append(auditRecord(record));
  }
  const details = async (fields: Record<string, string>) =>
    (await entries(gateway(), fields)).map(({ detail }) => detail);

  beforeAll(() =>
    fill([
      { username: 'Ödön Å', detail: 'whole' },
      { username: 'Ödön Åström', detail: 'longer' },
      {
        username: 'finder',
        detail: 'Příliš ŽLUŤOUČKÝ kůň',
        action: 'server_update',
        ip_address: '203.0.113.77',
      },
      { username: 'finder', detail: 'a letter: Ž' },
      ...TRICKY.map((text) => ({ username: 'tricky', action: 'logout', detail: `<${text}>` })),
      { username: 'tricky', action: 'logout', detail: 'axb, 100 percent, obrien, c:temp, quoted, NEAR, x y' },
      ...['01T00:00:00', '01T23:00:00', '02T00:00:00', '02T00:00:01', '03T00:00:00'].map((at) => ({
        username: 'dated',
        detail: at,
        created_at: day(at),
      })),
      ...Array.from({ length: 120 }, (_, i) => ({
        username: 'pages',
        detail: String(i),
        created_at: day('10T00:00:00'),
      })),
    ]),
  );

  it.each(['Ödön Å', 'ÖDÖN å', 'ödön å'])('finds the whole name %s ignoring case', async (username) => {
    expect(await details({ username })).toEqual(['whole']);
  });

  it('finds an action, and nothing for an unknown one', async () => {
    expect(await details({ action: 'server_update', username: 'finder' })).toHaveLength(1);
    expect(await details({ action: 'no_such_action' })).toEqual([]);
  });

  it.each(['žluťoučký', 'ŽLUŤOUČKÝ', 'Žluť', 'SERVER_UPD', '203.0.113.77', 'FINDER'])(
    'finds %s in name, action, detail or address ignoring case',
    async (search) => {
      const found = await details({ search, username: 'finder', action: 'server_update' });
      expect(found).toEqual(['Příliš ŽLUŤOUČKÝ kůň']);
    },
  );

  it('finds a search of one letter', async () => {
    expect(await details({ search: 'ž', username: 'finder' })).toEqual([
      'a letter: Ž',
      'Příliš ŽLUŤOUČKÝ kůň',
    ]);
  });

  it.each(TRICKY)('takes %s literally', async (text) => {
    const expected = TRICKY.map((one) => `<${one}>`).filter((detail) => detail.includes(text));
    expect((await details({ search: text, username: 'tricky' })).sort()).toEqual(expected.sort());
  });

  it.each([
    [{ since: '2020-03-02' }, ['03T00:00:00', '02T00:00:01', '02T00:00:00']],
    [{ until: '2020-03-02' }, ['01T23:00:00', '01T00:00:00']],
    [
      { since: '2020-03-01', until: '2020-03-03' },
      ['02T00:00:01', '02T00:00:00', '01T23:00:00', '01T00:00:00'],
    ],
    [{ since: '2020-03-02T01:00:00+02:00', until: '2020-03-02T00:00:00Z' }, ['01T23:00:00']],
    [{ since: '2020-03-01T19:00:01-05:00', until: '2020-03-02T12:00:00Z' }, ['02T00:00:01']],
    [{ since: '2020-03-03', until: '2020-03-02' }, []],
  ])('bounds the time by %o', async (bounds: Record<string, string>, expected) => {
    expect(await details({ username: 'dated', ...bounds })).toEqual(expected);
  });

  it.each([
    'since=yesterday',
    'since=2020-13-01',
    'until=2020-03-02T01:00:00',
    'limit=0',
    'limit=501',
    'limit=-1',
    'limit=1.5',
    'limit=ten',
    'offset=-1',
  ])('refuses %s with 422', async (asked) => {
    const { status, body } = await gateway().admin.call('GET', `/api/auth/audit?${asked}`);
    expect({ status, code: body['code'] }).toEqual({ status: 422, code: 'validation' });
    expect(body['errors']).toMatchObject([{ path: asked.split('=')[0] }]);
  });

  it('pages through the newest first, including entries of the same time', async () => {
    const read: string[] = [];
    for (let offset = 0; offset < 140; offset += 35) {
      const fields = query({ username: 'pages', limit: '35', offset: String(offset) });
      const { body, headers } = await gateway().admin.call<AuditEntry[]>('GET', `/api/auth/audit?${fields}`);
      expect(headers.get('x-total-count')).toBe('120');
      read.push(...body.map(({ detail }) => detail));
    }
    expect(read).toEqual(Array.from({ length: 120 }, (_, i) => String(119 - i)));
  });

  it('returns 100 entries by default, and at most 500', async () => {
    expect(await details({ username: 'pages' })).toHaveLength(100);
    expect(await details({ username: 'pages', limit: '500' })).toHaveLength(120);
    expect(await details({ username: 'pages', offset: '1000' })).toEqual([]);
  });

  it('shows the fields of the contract and no other', async () => {
    const [first] = await entries(gateway(), { limit: '1' });
    expect(Object.keys(first ?? {})).toEqual([
      'id',
      'user_id',
      'username',
      'action',
      'detail',
      'ip_address',
      'created_at',
      'hash',
    ]);
  });

  it('lists every action that is recorded', async () => {
    const { body } = await gateway().admin.call('GET', '/api/auth/audit/actions');
    expect(body).toEqual([...AuditAction.options].sort());
  });

  it.each(['', '/actions', '/export', '/verify', '/verified'])(
    'is for administrators only: %s',
    async (path) => {
      const { db, tables } = gateway().store;
      const known = await db.select().from(tables.users).where(eq(tables.users.username, 'nosy'));
      const user = known[0]
        ? await gateway().signIn('nosy', USER_PASSWORD)
        : await gateway().user({ username: 'nosy' });
      const refused = await user.call('GET', `/api/auth/audit${path}`);
      expect({ status: refused.status, body: refused.body }).toEqual({
        status: 403,
        body: { detail: 'Admin only', code: 'admin_only' },
      });
      expect((await gateway().anonymous.call('GET', `/api/auth/audit${path}`)).status).toBe(401);
    },
  );
});

const DANGEROUS = [
  "=cmd|'/C calc'!A0",
  '+1+1',
  '-2+3',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  ' =1',
  '＝1',
  '=HYPERLINK("http://evil.example","x, y")',
];
const AWKWARD = ['a "quote"', 'a, comma', 'two\nlines', 'two\r\nlines', 'žluť 🐎', "it's", ''];

describeEachGateway('The export', (gateway) => {
  const fetchExport = (fields: Record<string, string>) =>
    gateway().admin.fetch(`/api/auth/audit/export?${query(fields)}`);

  beforeAll(async () => {
    const instance = await auditInstance(gateway().store);
    for (const text of [...DANGEROUS, ...AWKWARD]) {
      await instance.append(auditRecord({ username: 'cells', detail: text }));
      await instance.append(auditRecord({ username: text, detail: 'in a name' }));
    }
    const many = Array.from({ length: 2500 }, (_, i) => auditRecord({ username: 'many', detail: String(i) }));
    await Promise.all(many.map((record) => instance.append(record)));
  });

  it('is a CSV attachment with a header row', async () => {
    const response = await fetchExport({ username: 'cells' });
    expect(response.headers.get('content-type')).toMatch(/^text\/csv; charset=utf-8/);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="audit.csv"');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const [names, ...rows] = parseCsv(await response.text());
    expect(names?.join()).toBe('id,created_at,user_id,username,action,detail,ip_address,hash');
    expect(rows).toHaveLength(DANGEROUS.length + AWKWARD.length);
    expect(rows.filter((row) => row.length !== names?.length)).toEqual([]);
  });

  it('in CSV neutralizes spreadsheet formulas, and changes nothing else', async () => {
    const [, ...rows] = parseCsv(await (await fetchExport({ username: 'cells' })).text());
    const expected = [...DANGEROUS.map((text) => `'${text}`), ...AWKWARD];
    expect(rows.map((row) => row[5]).reverse()).toEqual(expected);
    const [, ...named] = parseCsv(await (await fetchExport({ search: 'in a name' })).text());
    expect(named.map((row) => row[3]).reverse()).toEqual(expected);
  });

  it('neutralizes a username that an administrator really chose', async () => {
    const username = "=cmd|'/C calc'!A0";
    const user = { username, password: 'formula-password-1' };
    const { status, body } = await gateway().admin.call('POST', '/api/auth/users', user);
    expect(status).toBe(201);
    const text = await (await fetchExport({ action: 'user_create' })).text();
    expect(parseCsv(text)[1]?.[5]).toBe(`'${username} (#${body['id']})`);
  });

  it('in NDJSON contains the matching entries as they are listed', async () => {
    const response = await fetchExport({ format: 'ndjson', username: 'CELLS' });
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="audit.ndjson"');
    expect(parseLines(await response.text())).toEqual(
      await entries(gateway(), { username: 'cells', limit: '500' }),
    );
  });

  it('contains more than a page, newest first, each entry once', async () => {
    const text = await (await fetchExport({ format: 'ndjson', username: 'many' })).text();
    const read = parseLines(text).map(({ detail }) => detail);
    expect(read).toEqual(Array.from({ length: 2500 }, (_, i) => String(2499 - i)));
  });

  it('is streamed', async () => {
    const { headers, body } = await fetchExport({ format: 'ndjson', username: 'many' });
    expect(headers.get('content-length')).toBeNull();
    const reader = body?.getReader();
    const first = await reader?.read();
    const lines = new TextDecoder().decode(first?.value).split('\n').length;
    expect(lines).toBeGreaterThan(1);
    expect(lines).toBeLessThan(2500);
    await reader?.cancel();
  });

  it('is itself recorded, with the names of its filters', async () => {
    await (await fetchExport({ username: 'many', search: 'zebra', until: '2020-01-01' })).text();
    const [newest] = await entries(gateway(), { action: 'audit_export', limit: '1' });
    expect(newest).toMatchObject({ username: 'admin', detail: 'csv, by username, search, until' });
  });

  it('refuses another format with 422', async () => {
    expect((await fetchExport({ format: 'xml' })).status).toBe(422);
  });
});

function parseLines(text: string): AuditEntry[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** RFC 4180, strictly: CRLF ends a record, quotes are doubled. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const match = cell.exec(text);
    if (!match) throw new Error(`No CSV at ${at}: ${JSON.stringify(text.slice(at, at + 60))}`);
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
