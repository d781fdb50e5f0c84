import { chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Transport } from '#core/model/accounts/caller.ts';
import type { WebSession } from '#core/model/accounts/web-session.ts';
import { AuditAction } from '#core/model/audit/audit.ts';
import type { RevokedHostKey } from '#core/model/hosts/revoked-host-key.ts';
import type { Server } from '#core/model/hosts/server.ts';
import type { ImportedServers } from '#core/model/hosts/server-transfer.ts';
import { chatPath, chooseProvider } from '../../support/agent/asking.ts';
import { startModelServer } from '../../support/agent/model-server.ts';
import { PASSPHRASE as BACKUP_PASSPHRASE, exported } from '../../support/features/backups.ts';
import { hostOf, record } from '../../support/features/recordings.ts';
import { enrol } from '../../support/features/totp.ts';
import { zipOf } from '../../support/features/zip-files.ts';
import { type Actor, USER_PASSWORD } from '../../support/gateway/gateway.ts';
import { renamed, scanHost } from '../../support/hosts/known-hosts.ts';
import { ask, downloadPath, idOf, labelOf, type Scene, send, socketOf, sshd, terminalOf } from './scene.ts';

interface Recorded {
  readonly username: string;
  readonly detail: string | RegExp;
  /** `page` if it is not named. */
  readonly via?: Transport;
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
export const DEEDS: Readonly<Record<DoneBySomebody, (scene: Scene) => Promise<Recorded>>> = {
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
    return { username: 'tool user', detail: `${detail}: nothing {"path":"/a"}`, via: 'agent' };
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
    return { username: 'embed ender', detail: label, via: 'embed' };
  },
  async embed_start(scene) {
    const { label } = await embedded(scene, 'embed starter');
    const detail = new RegExp(`^${escaped(label)}, by a session, until 20`);
    return { username: 'embed starter', detail, via: 'embed' };
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
    return { username, detail: `${labelOf(scene)}: ${path} (11 bytes)` };
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
export const DONE_BY_SOMEBODY = AuditAction.options.filter(isDoneBySomebody);
