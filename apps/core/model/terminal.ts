import { z } from 'zod';
import { asciiHostName } from '../lib/network/host-name.ts';
import { Id, Instant, line } from './fields.ts';
import { terminalFields } from './hosts/server.ts';

/** WebSocket subprotocol of terminals. */
export const TERMINAL_SUBPROTOCOL = 'sallyport.v1';

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

/** For a client that asks for none. */
export const DEFAULT_TERMINAL_SIZE: TerminalSize = { cols: 80, rows: 24 };

/** `rw` may type; `ro` may only watch. */
export const ShareMode = z.enum(['rw', 'ro']);
export type ShareMode = z.infer<typeof ShareMode>;

export const ParticipantInfo = z
  .object({
    id: z.string().describe('Id of this member; the same user may be attached twice'),
    username: z.string(),
    role: z.enum(['owner', 'guest', 'watcher']).describe('`watcher`: an administrator who is watching'),
    mode: ShareMode,
    typing: z.boolean().describe('Whether this member typed within the last seconds'),
    you: z.boolean(),
  })
  .meta({ id: 'TerminalParticipant' });
export type ParticipantInfo = z.infer<typeof ParticipantInfo>;

export const TerminalSession = z
  .object({
    id: z.string(),
    server_id: Id.nullable().describe('Null for quick connect'),
    server_name: z.string(),
    username: z.string().describe('The owner'),
    started_at: Instant,
    last_activity: Instant.describe(
      'Last input or output; a few seconds old for a session on another instance',
    ),
    participants: z.int().describe('Number of attached members; 0 while the owner is away and can resume it'),
    recording: z.boolean(),
    own: z.boolean().describe('Whether it belongs to the caller'),
  })
  .meta({ id: 'TerminalSession' });
export type TerminalSession = z.infer<typeof TerminalSession>;

/** What all instances know about a session on one of them. */
export interface TerminalSessionRow {
  readonly id: string;
  /** Run of the instance that holds it. */
  readonly run_id: string;
  readonly user_id: number;
  readonly username: string;
  readonly server_id: number | null;
  readonly server_name: string;
  /** Null until the shell is open. */
  readonly started_at: string | null;
  readonly last_activity: string;
  readonly participants: number;
  readonly recording: boolean;
  /** SHA-256 of the share's token. */
  readonly share_digest: string | null;
  /** The shell has ended; its owner can still fetch the last output. */
  readonly over: boolean;
  /** How long a keeper holds the shell when its instance has ended; null when nobody does. */
  readonly kept_ms: number | null;
  /** Its instance has ended, and another one may continue it until then. */
  readonly kept_until: string | null;
}

export const ShareInput = z
  .strictObject({
    mode: ShareMode.default('rw').describe('The highest mode a guest can ask for'),
    expires_in: z.int().min(1).max(31_536_000).optional().describe('Seconds; absent: valid until revoked'),
  })
  .meta({ id: 'ShareInput' });
export type ShareInput = z.infer<typeof ShareInput>;

export const Share = z
  .object({
    token: z.string(),
    mode: ShareMode,
    server: z.string(),
    participants: z.int().describe('Number of attached members'),
    expires_at: Instant.nullable(),
  })
  .meta({ id: 'Share' });
export type Share = z.infer<typeof Share>;

/** Host and credentials of a quick connection; never stored. */
export const QuickTarget = z.object({
  host: line(1, 255).overwrite(asciiHostName),
  port: z.int().min(1).max(65_535).default(22),
  username: line(1, 150),
  password: z.string().max(1024).optional(),
  private_key: z.string().max(32_768).optional(),
  passphrase: z.string().max(1024).optional(),
  ...terminalFields,
});
export type QuickTarget = z.infer<typeof QuickTarget>;

/** A host key that a user pinned through quick connect. */
export interface QuickHostKeyRow {
  readonly id: number;
  readonly user_id: number;
  /** The host as typed, in lower case. */
  readonly hostname: string;
  readonly port: number;
  /** Base64 of the key blob (RFC 4253 §6.6). */
  readonly host_key: string;
  readonly fingerprint: string;
  readonly created_at: string;
}

export const QuickHostKey = z
  .object({
    id: Id,
    hostname: z.string(),
    port: z.int(),
    fingerprint: z.string().describe('`SHA256:…`, as OpenSSH prints it'),
    created_at: Instant,
  })
  .meta({ id: 'QuickHostKey' });
export type QuickHostKey = z.infer<typeof QuickHostKey>;

/** A running gateway, as other instances on the same database reach it. */
export interface InstanceRow {
  /** New for every start. */
  readonly run_id: string;
  readonly instance_id: string;
  /** Origin and root path for the other instances. */
  readonly url: string;
  /** Host name, because an address such as 127.0.0.1 differs per machine. */
  readonly machine: string;
  /** Proves that a gateway with our secret key published this URL, because tokens are sent to it. */
  readonly proof: string;
  /** How far its clock is ahead of the database; null from an older version. */
  readonly clock_skew_ms: number | null;
  /** Null while it has none, and from an older version. */
  readonly recordings_directory_id: string | null;
  /** Null from a version before 0.7. */
  readonly version: string | null;
}
