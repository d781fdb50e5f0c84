import type { Schemas } from '#client/client.ts';
import type { Server } from '../servers.ts';

export type AuthMethod = Server['auth_method'];
export type AlgorithmSet = Server['algorithms'];

/** Whether terminals are recorded: by the gateway's setting, or by one of this server's own. */
export const RECORDINGS = ['follow', 'always', 'never'] as const;
export type Recording = (typeof RECORDINGS)[number];

/** The fields of the form, as a new server has them. */
const NEW = {
  name: '',
  hostname: '',
  port: 22,
  username: '',
  auth_method: 'password',
  group: '',
  tags: [],
  description: '',
  jump_via_id: null,
  ssh_enabled: true,
  sftp_enabled: true,
  sftp_read_only: false,
  sftp_allowed_paths: [],
  algorithms: 'default',
  terminal_type: 'xterm-256color',
  terminal_encoding: 'utf-8',
  record_sessions: null,
  agent_enabled: false,
} as const satisfies Partial<Server>;

type FieldName = keyof typeof NEW;
type Stored = Pick<Server, FieldName>;

/** The fields that the form keeps in another shape than the gateway: lists and numbers as text. */
interface Typed {
  readonly port: string;
  readonly tags: readonly string[];
  readonly jump_via_id: number;
  readonly sftp_allowed_paths: string;
  readonly record_sessions: Recording;
}

/** Empty while unchanged. */
export const NO_SECRETS = {
  password: '',
  private_key: '',
  passphrase: '',
  forget_password: false,
  forget_private_key: false,
};

export type ServerDraft = Readonly<Omit<Stored, keyof Typed> & Typed & typeof NO_SECRETS>;

export const DRAFT_FIELDS = Object.keys({ ...NEW, ...NO_SECRETS }) as readonly (keyof ServerDraft)[];

/** The fields that most servers leave at their defaults. */
export const MORE_FIELDS = [
  ...(['jump_via_id', 'tags', 'description'] as const),
  ...(['ssh_enabled', 'sftp_enabled', 'sftp_read_only', 'sftp_allowed_paths'] as const),
  ...(['algorithms', 'terminal_type', 'terminal_encoding', 'record_sessions', 'agent_enabled'] as const),
] satisfies readonly (keyof ServerDraft)[];

/** Returns whether any of these fields differs from its default. */
export function hasMore(draft: ServerDraft): boolean {
  const fresh = draftOf(undefined);
  return MORE_FIELDS.some((field) => JSON.stringify(draft[field]) !== JSON.stringify(fresh[field]));
}

export function draftOf(server: Server | undefined): ServerDraft {
  const stored: Readonly<Stored> = pickFields(server ?? { ...NEW, tags: [], sftp_allowed_paths: [] });
  return {
    ...stored,
    ...NO_SECRETS,
    port: String(stored.port),
    tags: stored.tags,
    jump_via_id: stored.jump_via_id ?? 0,
    sftp_allowed_paths: stored.sftp_allowed_paths.join('\n'),
    record_sessions: recordingOf(stored.record_sessions),
  };
}

/** `Object.fromEntries` forgets the names: they are those of `NEW`. */
function pickFields<T extends Record<FieldName, unknown>>(from: T): Pick<T, FieldName> {
  const names = Object.keys(NEW) as FieldName[];
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, FieldName>;
}

function recordingOf(record_sessions: boolean | null): Recording {
  if (record_sessions === null) return 'follow';
  return record_sessions ? 'always' : 'never';
}

export function inputOf(draft: ServerDraft): Schemas['ServerInput'] {
  return { ...fieldsOf(draft), ...secretsOf(draft) };
}

/** A secret that was not typed is left out, which keeps the stored one. */
export function patchOf(draft: ServerDraft): Schemas['ServerPatch'] {
  const { password, private_key, passphrase } = secretsOf(draft);
  return {
    ...fieldsOf(draft),
    ...secret('password', password, draft.forget_password),
    ...secret('private_key', private_key, draft.forget_private_key),
    ...secret('passphrase', passphrase, draft.forget_private_key),
  };
}

/** Only those of the chosen method, because an error in a hidden field could not be shown. A key may need a password as well. */
function secretsOf({ auth_method, password, private_key, passphrase }: ServerDraft) {
  return {
    password: auth_method === 'prompt' ? '' : password,
    private_key: auth_method === 'key' ? private_key : '',
    passphrase: auth_method === 'key' ? passphrase : '',
  };
}

function fieldsOf(draft: ServerDraft): Stored {
  return {
    ...pickFields(draft),
    name: draft.name.trim() || draft.hostname.trim(),
    hostname: draft.hostname.trim(),
    port: Number(draft.port),
    username: draft.username.trim(),
    terminal_type: draft.terminal_type.trim(),
    group: draft.group.trim(),
    tags: [...draft.tags],
    jump_via_id: draft.jump_via_id || null,
    sftp_allowed_paths: partsOf(draft.sftp_allowed_paths, '\n'),
    record_sessions: draft.record_sessions === 'follow' ? null : draft.record_sessions === 'always',
  };
}

function secret<K extends string>(name: K, typed: string, forget: boolean): { [P in K]?: string } {
  if (!forget && typed === '') return {};
  return keyed(name, forget ? '' : typed);
}

/** A computed key widens to string: this is the only key. */
function keyed<K extends string>(name: K, value: string): { [P in K]?: string } {
  return { [name]: value } as { [P in K]?: string };
}

function partsOf(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
