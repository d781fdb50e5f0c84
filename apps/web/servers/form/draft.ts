import type { Schemas } from '#client/client.ts';
import type { Server } from '../servers.ts';

export type AuthMethod = Server['auth_method'];
export type AlgorithmSet = Server['algorithms'];

/** Whether terminals are recorded: as the gateway is set, or as this server says. */
export const RECORDINGS = ['follow', 'always', 'never'] as const;
export type Recording = (typeof RECORDINGS)[number];

/** A server as it is typed: lists as text, secrets empty while unchanged. */
export interface ServerDraft {
  readonly name: string;
  readonly hostname: string;
  readonly port: string;
  readonly username: string;
  readonly auth_method: AuthMethod;
  readonly password: string;
  readonly private_key: string;
  readonly passphrase: string;
  readonly forget_password: boolean;
  readonly forget_private_key: boolean;
  readonly group: string;
  readonly tags: string;
  readonly description: string;
  readonly jump_via_id: number;
  readonly ssh_enabled: boolean;
  readonly sftp_enabled: boolean;
  readonly sftp_read_only: boolean;
  readonly sftp_allowed_paths: string;
  readonly algorithms: AlgorithmSet;
  readonly record_sessions: Recording;
  readonly agent_enabled: boolean;
}

/** What is typed once and then stored. */
export const NO_SECRETS = {
  password: '',
  private_key: '',
  passphrase: '',
  forget_password: false,
  forget_private_key: false,
} as const;

const NEW: ServerDraft = {
  ...NO_SECRETS,
  name: '',
  hostname: '',
  port: '22',
  username: '',
  auth_method: 'password',
  group: '',
  tags: '',
  description: '',
  jump_via_id: 0,
  ssh_enabled: true,
  sftp_enabled: true,
  sftp_read_only: false,
  sftp_allowed_paths: '',
  algorithms: 'default',
  record_sessions: 'follow',
  agent_enabled: false,
};

export function draftOf(server: Server | undefined): ServerDraft {
  if (!server) return NEW;
  return {
    ...NEW,
    name: server.name,
    hostname: server.hostname,
    port: String(server.port),
    username: server.username,
    auth_method: server.auth_method,
    group: server.group,
    tags: server.tags.join(', '),
    description: server.description,
    jump_via_id: server.jump_via_id ?? 0,
    ssh_enabled: server.ssh_enabled,
    sftp_enabled: server.sftp_enabled,
    sftp_read_only: server.sftp_read_only,
    sftp_allowed_paths: server.sftp_allowed_paths.join('\n'),
    algorithms: server.algorithms,
    record_sessions: recordingOf(server.record_sessions),
    agent_enabled: server.agent_enabled,
  };
}

function recordingOf(record_sessions: boolean | null): Recording {
  if (record_sessions === null) return 'follow';
  return record_sessions ? 'always' : 'never';
}

export function inputOf(draft: ServerDraft): Schemas['ServerInput'] {
  return { ...fieldsOf(draft), ...secretsOf(draft) };
}

/** An untouched secret stays absent, which means unchanged. */
export function patchOf(draft: ServerDraft): Schemas['ServerPatch'] {
  const { password, private_key, passphrase } = secretsOf(draft);
  return {
    ...fieldsOf(draft),
    ...secret('password', password, draft.forget_password),
    ...secret('private_key', private_key, draft.forget_private_key),
    ...secret('passphrase', passphrase, draft.forget_private_key),
  };
}

/** Only those of the chosen method: what was typed for another one is out of sight, and would be refused unseen. */
function secretsOf({ auth_method, password, private_key, passphrase }: ServerDraft) {
  return {
    password: auth_method === 'password' ? password : '',
    private_key: auth_method === 'key' ? private_key : '',
    passphrase: auth_method === 'key' ? passphrase : '',
  };
}

function fieldsOf(draft: ServerDraft) {
  return {
    name: draft.name.trim(),
    hostname: draft.hostname.trim(),
    port: Number(draft.port),
    username: draft.username.trim(),
    auth_method: draft.auth_method,
    group: draft.group.trim(),
    tags: [...new Set(partsOf(draft.tags, ','))],
    description: draft.description,
    jump_via_id: draft.jump_via_id || null,
    ssh_enabled: draft.ssh_enabled,
    sftp_enabled: draft.sftp_enabled,
    sftp_read_only: draft.sftp_read_only,
    sftp_allowed_paths: partsOf(draft.sftp_allowed_paths, '\n'),
    algorithms: draft.algorithms,
    record_sessions: draft.record_sessions === 'follow' ? null : draft.record_sessions === 'always',
    agent_enabled: draft.agent_enabled,
  };
}

function secret<K extends string>(name: K, typed: string, forget: boolean): { [P in K]?: string } {
  if (!forget && typed === '') return {};
  return keyed(name, forget ? '' : typed);
}

/** A computed key widens to string: this one key is the only one. */
function keyed<K extends string>(name: K, value: string): { [P in K]?: string } {
  return { [name]: value } as { [P in K]?: string };
}

function partsOf(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
