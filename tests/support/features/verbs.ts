import { TEXT_LIMIT_BYTES } from '#core/limits.ts';
import type { Caller } from '#core/model/accounts/caller.ts';
import type { Services } from '#core/service-types.ts';
import type { LiveSession } from '#core/terminals/live/live-session.ts';
import { OPERATIONS, type Operation } from '../gateway/operations.ts';

/** One verb of a service, and the operation of the document whose marks it enforces. */
export interface Verb {
  readonly marks: Operation;
  /** Calls it about what does not exist, so that an admitted caller changes as little as possible. */
  call(services: Services, caller: Caller): unknown;
}

const NOWHERE = 2_147_483_647;
const BLANK = {} as never; // input that is not looked at, or refused
const PLACE = { server_id: NOWHERE, path: '/x' };
const UPLOAD = { server_id: NOWHERE, upload_id: 'none' };
const ORIGIN = { ip_address: '192.0.2.1', user_agent: '', via: 'page' } as const;
const PAGING = { limit: 1, offset: 0 };
const CODE = '000000';
const { signal: SIGNAL } = new AbortController();
const WATCHED = { signal: SIGNAL, watch() {} };

/** Somebody else's terminal that has ended. */
const ENDED = {
  id: 'ended',
  owner: { user_id: -1, username: 'nobody', credential: { kind: 'session', id: '' } },
  server: { id: null, name: 'gone' },
  is_over: true,
  end() {},
} as unknown as LiveSession; // the verbs look at nothing else of it

const BOUNDS = { server_id: NOWHERE, kind: 'terminal', mode: 'ro' } as const;
const NO_LIMITS = { audit_retention_days: 0, audit_max_entries: 0 };
const CHANGE = { current_password: 'no', new_password: 'no' }; // with it, a stale session may ask, too
const NEW_USER = { username: 'made', password: '', allowed_groups: [], is_admin: false };
const HOOK = { name: 'made', url: 'not a URL', events: ['*' as const], enabled: false, secret: '' };
const TAIL = { kind: 'tail', lines: 1 } as const;
const RENAME = { server_id: NOWHERE, old_path: '/x', new_path: '/y' };
const COPY = { server_id: NOWHERE, source_path: '/x', target_server_id: NOWHERE, target_path: '/y' };
const NEW_UPLOAD = { ...PLACE, filename: '..', overwrite: false, length: 1, metadata: '' };
const SNIPPET = { name: 'made', command: 'ls', description: '', shared: false, confirm: false };
const TOO_LONG = 'x'.repeat(TEXT_LIMIT_BYTES + 1);

async function* nothing(): AsyncGenerator<never> {}

async function searchOnce({ recording_searches }: Services, caller: Caller): Promise<void> {
  const run = await recording_searches.begin(caller, { text: 'xx' });
  await run(SIGNAL, () => undefined);
}

function marksOf(id: string): Operation {
  const marks = OPERATIONS.find((operation) => operation.id === id);
  if (!marks) throw new Error(`No operation ${id}`);
  return marks;
}

function verb(id: string, call: Verb['call'], except: Partial<Operation> = {}): Verb {
  return { marks: { ...marksOf(id), ...except }, call };
}

/** Every verb of every service that acts for a caller. */
export const VERBS: Readonly<Record<string, Verb>> = {
  'account.me': verb('auth.me', (s, c) => s.account.me(c)),
  'account.changePassword': verb('auth.change_password', (s, c) => s.account.changePassword(c, CHANGE)),
  'step_up.prove': verb('auth.step_up', (s, c) => s.step_up.prove(c, {}, ORIGIN)),
  'sign_in.complete': verb('totp.verify', (s, c) => s.sign_in.complete(c, CODE, ORIGIN)),
  // The operation has two verbs. A pending sign-in is completed by the other one.
  'two_factor.confirm': verb('totp.verify', (s, c) => s.two_factor.confirm(c, CODE), {
    allow: ['demo_write'],
  }),
  'two_factor.state': verb('totp.get', (s, c) => s.two_factor.state(c)),
  'two_factor.setUp': verb('totp.set_up', (s, c) => s.two_factor.setUp(c)),
  'two_factor.renew': verb('totp.renew_recovery_codes', (s, c) => s.two_factor.renew(c, CODE)),
  'two_factor.disable': verb('totp.disable', (s, c) => s.two_factor.disable(c, CODE)),
  'sessions.list': verb('sessions.list', (s, c) => s.sessions.list(c)),
  'sessions.logout': verb('auth.logout', (s, c) => s.sessions.logout(c)),
  'sessions.end': verb('sessions.end', (s, c) => s.sessions.end(c, 'none')),
  'sessions.endAll': verb('sessions.end_all', (s, c) => s.sessions.endAll(c, true)),
  'sessions.listOf': verb('users.sessions', (s, c) => s.sessions.listOf(c, NOWHERE)),
  'sessions.endAllOf': verb('users.end_sessions', (s, c) => s.sessions.endAllOf(c, NOWHERE)),
  'api_keys.list': verb('api_keys.list', (s, c) => s.api_keys.list(c)),
  'api_keys.create': verb('api_keys.create', (s, c) => s.api_keys.create(c, { name: 'made' })),
  'api_keys.revoke': verb('api_keys.revoke', (s, c) => s.api_keys.revoke(c, NOWHERE)),
  'users.list': verb('users.list', (s, c) => s.users.list(c, PAGING)),
  'users.create': verb('users.create', (s, c) =>
    s.users.create(c, { ...NEW_USER, must_change_password: false }),
  ),
  'users.update': verb('users.update', (s, c) => s.users.update(c, NOWHERE, {})),
  'users.remove': verb('users.delete', (s, c) => s.users.remove(c, NOWHERE)),
  'users.setGroups': verb('users.set_groups', (s, c) => s.users.setGroups(c, NOWHERE, BLANK)),
  'users.resetPassword': verb('users.reset_password', (s, c) => s.users.resetPassword(c, NOWHERE, BLANK)),
  'users.resetTotp': verb('users.reset_totp', (s, c) => s.users.resetTotp(c, NOWHERE)),
  'users.unlock': verb('users.unlock', (s, c) => s.users.unlock(c, NOWHERE)),

  'tickets.forSocket': verb('auth.ws_ticket', (s, c) => s.tickets.forSocket(c)),
  // For every caller of a socket, because the other instance decides.
  'tickets.forRelay': verb('terminals.open', (s, c) => s.tickets.forRelay(c), { scope: 'any' }),
  'tickets.forFile': verb('files.ticket', (s, c) => s.tickets.forFile(c, PLACE)),
  'tickets.forArchive': verb('files.ticket', (s, c) => s.tickets.forArchive(c, { ...PLACE, paths: ['/x'] })),
  'tickets.forEmbed': verb('embedding.ticket', (s, c) => s.tickets.forEmbed(c, BOUNDS, 60)),
  'tickets.forRecording': verb('recordings.ticket', (s, c) => s.tickets.forRecording(c, NOWHERE)),
  'embedding.setup': verb('embedding.setup', (s, c) => s.embedding.setup(c)),
  // Which scope it needs depends on what is embedded.
  'embedding.mint': verb('embedding.ticket', (s, c) => s.embedding.mint(c, { ...BOUNDS, expires_in: 60 }), {
    scope: 'terminal',
  }),
  'embedding.renew': verb('embedding.renew', (s, c) => s.embedding.renew(c)),
  'embedding.end': verb('embedding.end', (s, c) => s.embedding.end(c)),

  'audit.page': verb('audit.list', (s, c) => s.audit.page(c, {}, PAGING)),
  'audit.actions': verb('audit.actions', (s, c) => s.audit.actions(c)),
  'audit.export': verb('audit.export', (s, c) => s.audit.export(c, {}, 'csv')),
  'audit.verify': verb('audit.verify', (s, c) => s.audit.verify(c, { from: 'start' })),
  'audit.verified': verb('audit.verified', (s, c) => s.audit.verified(c)),
  'audit.excess': verb('audit.excess', (s, c) => s.audit.excess(c, NO_LIMITS)),
  'settings.list': verb('settings.list', (s, c) => s.settings.list(c)),
  'settings.update': verb('settings.update', (s, c) => s.settings.update(c, {})),
  'settings.reset': verb('settings.reset', (s, c) => s.settings.reset(c, [])),
  'branding.update': verb('branding.update', (s, c) => s.branding.update(c, BLANK)),
  'branding.reset': verb('branding.reset', (s, c) => s.branding.reset(c)),
  'backups.export': verb('backups.export', (s, c) => s.backups.export(c, BLANK)),
  'backups.restore': verb('backups.restore', (s, c) => s.backups.restore(c, BLANK)),
  'overview.get': verb('overview.get', (s, c) => s.overview.get(c, 1)),
  'webhooks.kinds': verb('webhooks.events', (s, c) => s.webhooks.kinds(c)),
  'webhooks.list': verb('webhooks.list', (s, c) => s.webhooks.list(c)),
  'webhooks.create': verb('webhooks.create', (s, c) => s.webhooks.create(c, HOOK)),
  'webhooks.update': verb('webhooks.update', (s, c) => s.webhooks.update(c, NOWHERE, {})),
  'webhooks.remove': verb('webhooks.delete', (s, c) => s.webhooks.remove(c, NOWHERE)),
  'webhooks.test': verb('webhooks.test', (s, c) => s.webhooks.test(c, NOWHERE)),
  'webhooks.deliveries': verb('webhooks.deliveries', (s, c) => s.webhooks.deliveries(c, NOWHERE, PAGING)),
  'webhooks.replay': verb('webhooks.replay', (s, c) => s.webhooks.replay(c, NOWHERE)),

  'directory.list': verb('servers.list', (s, c) => s.directory.list(c, {})),
  'directory.get': verb('servers.get', (s, c) => s.directory.get(c, NOWHERE)),
  'directory.groups': verb('servers.groups', (s, c) => s.directory.groups(c)),
  'server_statuses.list': verb('servers.statuses', (s, c) => s.server_statuses.list(c)),
  'server_statuses.get': verb('servers.status', (s, c) => s.server_statuses.get(c, NOWHERE)),
  'server_events.subscribe': verb('servers.events', async (s, c) =>
    (await s.server_events.subscribe(c)).stop(),
  ),
  'servers.create': verb('servers.create', (s, c) => s.servers.create(c, BLANK)),
  'servers.update': verb('servers.update', (s, c) => s.servers.update(c, NOWHERE, {})),
  'servers.remove': verb('servers.delete', (s, c) => s.servers.remove(c, NOWHERE)),
  'servers.clearHostKey': verb('servers.clear_host_key', (s, c) => s.servers.clearHostKey(c, NOWHERE)),
  'servers.acceptHostKey': verb('servers.accept_host_key', (s, c) =>
    s.servers.acceptHostKey(c, NOWHERE, 'x'),
  ),
  'connection_tests.assertMayTest': verb('servers.test', (s, c) =>
    s.connection_tests.assertMayTest(c, NOWHERE),
  ),
  'connection_tests.test': verb('servers.test', (s, c) => s.connection_tests.test(c, NOWHERE)),
  'server_transfers.exportAll': verb('servers.export', (s, c) => s.server_transfers.exportAll(c)),
  'server_transfers.importAll': verb('servers.import', (s, c) => s.server_transfers.importAll(c, BLANK)),
  'server_transfers.importSshConfig': verb('servers.import_ssh_config', (s, c) =>
    s.server_transfers.importSshConfig(c, { text: '', group: 'lab' }),
  ),
  'host_key_imports.importAll': verb('servers.import_host_keys', (s, c) =>
    s.host_key_imports.importAll(c, ''),
  ),
  'revocations.list': verb('servers.revoked_host_keys', (s, c) => s.revocations.list(c)),
  'revocations.remove': verb('servers.remove_revoked_host_key', (s, c) => s.revocations.remove(c, NOWHERE)),

  'files.home': verb('files.home', (s, c) => s.files.home(c, NOWHERE)),
  'files.list': verb('files.list', (s, c) => s.files.list(c, PLACE)),
  'files.stat': verb('files.stat', (s, c) => s.files.stat(c, PLACE)),
  'files.read': verb('files.read', (s, c) => s.files.read(c, PLACE)),
  'files.search': verb('files.search', (s, c) => s.files.search(c, { ...PLACE, q: 'x', limit: 1 })),
  // Only the agent looks: it reads as people do.
  'looks.excerpt': verb('files.read', (s, c) => s.looks.excerpt(c, { ...PLACE, part: TAIL })),
  'looks.sizes': verb('files.search', (s, c) => s.looks.sizes(c, { ...PLACE, limit: 1 })),
  'looks.recent': verb('files.search', (s, c) => s.looks.recent(c, { ...PLACE, limit: 1 })),
  'looks.space': verb('files.stat', (s, c) => s.looks.space(c, PLACE)),
  'file_connects.connect': verb('files.connect', (s, c) =>
    s.file_connects.connect(c, { ...PLACE, password: '' }),
  ),
  'downloads.download': verb('files.download', (s, c) =>
    s.downloads.download(c, PLACE, { is_head: true, is_continued: false }),
  ),
  'downloads.archive': verb('files.zip', (s, c) =>
    s.downloads.archive(c, { server_id: NOWHERE, paths: ['/x'] }, { is_head: true }),
  ),
  'downloads.assertMayAsk': verb('files.ticket', (s, c) => s.downloads.assertMayAsk(c, NOWHERE, ['/x'])),
  'file_changes.makeDirectory': verb('files.mkdir', (s, c) => s.file_changes.makeDirectory(c, PLACE)),
  'file_changes.rename': verb('files.rename', (s, c) => s.file_changes.rename(c, RENAME)),
  'file_changes.remove': verb('files.delete', (s, c) => s.file_changes.remove(c, PLACE)),
  'file_changes.changeMode': verb('files.chmod', (s, c) =>
    s.file_changes.changeMode(c, { ...PLACE, mode: '?' }),
  ),
  'saves.write': verb('files.write', (s, c) => s.saves.write(c, { ...PLACE, content: TOO_LONG }, {})),
  'old_copies.find': verb('files.old_copies', (s, c) => s.old_copies.find(c, PLACE)),
  'restores.restore': verb('files.restore', (s, c) => s.restores.restore(c, { ...PLACE, copy_path: '/y' })),
  'copies.copy': verb('files.copy_to', (s, c) => s.copies.copy(c, COPY, { signal: SIGNAL })),
  'archives.list': verb('files.archive', (s, c) => s.archives.list(c, PLACE, {})),
  'archives.member': verb('files.archive_member', (s, c) =>
    s.archives.member(c, { ...PLACE, member: 'x' }, { is_head: true, signal: SIGNAL }),
  ),
  'extractions.extract': verb('files.extract', (s, c) =>
    s.extractions.extract(c, { ...PLACE, target_path: '/y' }, WATCHED),
  ),
  'uploads.upload': verb('files.upload', (s, c) =>
    s.uploads.upload(c, { ...PLACE, overwrite: false, signal: SIGNAL }, nothing()),
  ),
  'resumable_uploads.create': verb('uploads.create', (s, c) => s.resumable_uploads.create(c, NEW_UPLOAD)),
  'resumable_uploads.list': verb('uploads.list', (s, c) => s.resumable_uploads.list(c, NOWHERE)),
  'resumable_uploads.show': verb('uploads.show', (s, c) => s.resumable_uploads.show(c, UPLOAD)),
  'resumable_uploads.resume': verb('uploads.show', (s, c) => s.resumable_uploads.resume(c, UPLOAD)),
  'resumable_uploads.append': verb('uploads.continue', (s, c) =>
    s.resumable_uploads.append(c, UPLOAD, BLANK),
  ),
  'resumable_uploads.remove': verb('uploads.remove', (s, c) => s.resumable_uploads.remove(c, UPLOAD)),

  'terminals.assertMayOpen': verb('terminals.open', (s, c) => s.terminals.assertMayOpen(c, NOWHERE)),
  'terminals.open': verb('terminals.open', (s, c) => s.terminals.open(c, NOWHERE, BLANK)),
  'quick_connects.assertEnabled': verb('terminals.quick', (s, c) => s.quick_connects.assertEnabled(c)),
  'quick_connects.open': verb('terminals.quick', (s, c) => s.quick_connects.open(c, BLANK, BLANK)),
  'quick_pins.list': verb('terminals.host_keys', (s, c) => s.quick_pins.list(c)),
  'quick_pins.accept': verb('terminals.accept_host_key', (s, c) => s.quick_pins.accept(c, NOWHERE, 'x')),
  'quick_pins.forget': verb('terminals.forget_host_key', (s, c) => s.quick_pins.forget(c, NOWHERE)),
  'admissions.resume': verb('terminals.resume', (s, c) => s.admissions.resume(c, ENDED, BLANK)),
  'admissions.join': verb('terminals.join', (s, c) => s.admissions.join(c, 'none', 'ro')),
  'admissions.watch': verb('terminals.watch', (s, c) => s.admissions.watch(c, ENDED)),
  'live_terminals.list': verb('terminals.list', (s, c) => s.live_terminals.list(c)),
  'live_terminals.end': verb('terminals.end', (s, c) => s.live_terminals.end(c, ENDED)),
  'shares.share': verb('terminals.share', (s, c) => s.shares.share(c, ENDED, BLANK)),
  'shares.unshare': verb('terminals.unshare', (s, c) => s.shares.unshare(c, ENDED)),
  'snippets.list': verb('snippets.list', (s, c) => s.snippets.list(c)),
  'snippets.create': verb('snippets.create', (s, c) => s.snippets.create(c, SNIPPET)),
  'snippets.update': verb('snippets.update', (s, c) => s.snippets.update(c, NOWHERE, {})),
  'snippets.remove': verb('snippets.delete', (s, c) => s.snippets.remove(c, NOWHERE)),

  'recordings.list': verb('recordings.list', (s, c) => s.recordings.list(c, {}, PAGING)),
  'recordings.get': verb('recordings.get', (s, c) => s.recordings.get(c, NOWHERE)),
  'recordings.elsewhere': verb('recordings.cast', (s, c) => s.recordings.elsewhere(c, NOWHERE)),
  'recordings.elsewhere (to delete)': verb('recordings.delete', (s, c) =>
    s.recordings.elsewhere(c, NOWHERE, 'delete_recording'),
  ),
  'recordings.remove': verb('recordings.delete', (s, c) => s.recordings.remove(c, NOWHERE)),
  'recordings.ticket': verb('recordings.ticket', (s, c) => s.recordings.ticket(c, NOWHERE)),
  'recordings.cast': verb('recordings.cast', (s, c) => s.recordings.cast(c, NOWHERE, 'cast')),
  'recordings.cast (to download)': verb('recordings.download', (s, c) =>
    s.recordings.cast(c, NOWHERE, 'download'),
  ),
  'recordings.text': verb('recordings.text', (s, c) => s.recordings.text(c, NOWHERE)),
  'recordings.replay': verb('recordings.play', (s, c) => s.recordings.replay(c, NOWHERE)),
  'recordings.verify': verb('recordings.verify', (s, c) => s.recordings.verify(c, NOWHERE)),
  'recording_searches.begin': verb('recordings.search', (s, c) => searchOnce(s, c)),

  'agent_settings.get': verb('agent.settings', (s, c) => s.agent_settings.get(c)),
  'agent_settings.update': verb('agent.update_settings', (s, c) => s.agent_settings.update(c, BLANK)),
  'agent_settings.test': verb('agent.test_settings', (s, c) => s.agent_settings.test(c, undefined, SIGNAL)),
  'agent_settings.status': verb('agent.status', (s, c) => s.agent_settings.status(c, undefined)),
  'agent_chats.list': verb('agent.chat', (s, c) => s.agent_chats.list(c, NOWHERE)),
  'agent_chats.ask': verb('agent.ask', (s, c) => s.agent_chats.ask(c, NOWHERE, { message: 'x' })),
  'agent_chats.follow': verb('agent.follow', (s, c) => s.agent_chats.follow(c, NOWHERE, NOWHERE)),
  'agent_chats.cancel': verb('agent.cancel', (s, c) => s.agent_chats.cancel(c, NOWHERE, NOWHERE)),
  'agent_chats.remove': verb('agent.clear', (s, c) => s.agent_chats.remove(c, NOWHERE)),
};

/** What acts for no caller: it proves who calls, serves everybody, or belongs to this process. */
export const WITHOUT_CALLER: readonly string[] = [
  'addresses.sign',
  'addresses.verify',
  'branding.get',
  'branding.image',
  'branding.refresh',
  'callers.fromBearer',
  'callers.fromCredential',
  'connection_tests.end',
  'embedding.exchange',
  'monitor.role',
  'monitor.start',
  'monitor.stop',
  'other_instances.list',
  'overview.start',
  'overview.stop',
  'rate_limits.hit',
  'recordHostKey',
  'seats.at', // other verbs admit the member
  'server_events.close',
  'session_homes.of',
  'session_homes.ofShare',
  'session_homes.refused',
  'settings.onChange',
  'settings.refresh',
  'shares.restore',
  'sign_in.login',
  'tickets.redeemForArchive',
  'tickets.redeemForEmbed',
  'tickets.redeemForFile',
  'tickets.redeemForRecording',
  'tickets.redeemForSocket',
  'typed_answers.answer',
];
