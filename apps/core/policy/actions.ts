import type { Scope } from '../model/accounts/api-key.ts';
import type { EmbedDemand } from './embed.ts';

export type Access = 'user' | 'admin';

/** Exemptions that a route may declare. */
export type Allowance = 'password_change' | 'pending_2fa' | 'demo_write' | 'token_in_query' | 'metrics_token';

/** What must be true of a caller. A route's marks in the document say the same. */
export interface Demand {
  readonly access: Access;
  /** The scope an API key needs; `session` allows no API key, `any` asks for none. */
  readonly scope: Scope | 'session' | 'any';
  readonly allow?: readonly Allowance[];
  /** The session must have been signed in to, or confirmed, recently. */
  readonly fresh?: boolean;
  /** The embedded sessions that are admitted; absent: none. */
  readonly embed?: EmbedDemand | undefined;
  /** Whether visitors of a demo may do it; absent: they may not. */
  readonly demo?: boolean;
  /** The switch of the server that must be on. */
  readonly needs?: 'ssh' | 'sftp' | 'agent';
}

const READ = { access: 'user', scope: 'read' } as const;
const FILES = { access: 'user', scope: 'files' } as const;
const TERMINAL = { access: 'user', scope: 'terminal' } as const;
const SESSION = { access: 'user', scope: 'session' } as const;
const ADMIN = { access: 'admin', scope: 'admin' } as const;
const IN_FILES = { kind: 'files' } as const;
const IN_WRITABLE_FILES = { kind: 'files', writes: true } as const;
const IN_TERMINAL = { kind: 'terminal' } as const;

/** Everything a caller can ask for, and what it demands. The first line of each verb names its action. */
export const ACTIONS = {
  read: { ...READ, demo: true },
  see_own_account: { ...READ, allow: ['password_change'], demo: true },
  change_own_password: { ...SESSION, allow: ['password_change'] },
  read_own_sign_ins: { ...SESSION, demo: true },
  change_own_sessions: SESSION,
  change_own_sign_in: { ...SESSION, fresh: true },
  confirm_second_factor: { ...SESSION, fresh: true, demo: true },
  complete_sign_in: { ...SESSION, fresh: true, allow: ['pending_2fa'], demo: true },

  read_administration: { ...ADMIN, demo: true },
  administer: ADMIN,
  /** For effects that outlast a session, so that a stolen token alone is not enough. */
  administer_confirmed: { access: 'admin', scope: 'session', fresh: true },

  read_files: { ...FILES, embed: IN_FILES, demo: true, needs: 'sftp' },
  write_files: { ...FILES, embed: IN_WRITABLE_FILES, needs: 'sftp' },
  connect_to_files: { ...FILES, embed: IN_FILES, needs: 'sftp' },
  get_file_ticket: { ...FILES, embed: IN_FILES, needs: 'sftp' },
  list_uploads: { ...FILES, demo: true, needs: 'sftp' },
  see_upload: { ...FILES, embed: IN_WRITABLE_FILES, demo: true, needs: 'sftp' },

  open_terminal: { ...TERMINAL, embed: IN_TERMINAL, demo: true, needs: 'ssh' },
  resume_terminal: { ...TERMINAL, embed: IN_TERMINAL, demo: true },
  join_terminal: { ...TERMINAL, demo: true },
  watch_terminal: { ...ADMIN, demo: true },
  share_terminal: { ...TERMINAL, demo: true },
  end_terminal: TERMINAL,
  /** Visitors of a demo must not choose which hosts it connects to. */
  quick_connect: TERMINAL,
  change_own_host_keys: TERMINAL,
  get_socket_ticket: { ...TERMINAL, embed: IN_TERMINAL },
  /** The other instance decides what the socket may do. */
  relay_socket: { access: 'user', scope: 'any', embed: IN_TERMINAL, demo: true },

  test_server: TERMINAL,
  change_snippets: TERMINAL,
  search_recordings: READ,
  get_recording_ticket: READ,
  delete_recording: TERMINAL,

  see_agent: { ...TERMINAL, demo: true },
  ask_agent: { ...TERMINAL, needs: 'agent' },
  change_chat: TERMINAL,

  /** The scope that it needs depends on what is embedded. */
  get_embed_ticket: { access: 'user', scope: 'any' },
  keep_embed: { ...SESSION, embed: { kind: 'any' } },
} as const satisfies Readonly<Record<string, Demand>>;

export type Action = keyof typeof ACTIONS;

export function demandOf(action: Action): Demand {
  return ACTIONS[action];
}
