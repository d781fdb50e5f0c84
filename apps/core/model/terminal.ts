import { z } from 'zod';
import { Id, Instant, line } from './fields.ts';

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
    id: z.string().describe('Of this attendance: the same user may be here twice'),
    username: z.string(),
    role: z.enum(['owner', 'guest', 'watcher']).describe('`watcher`: an administrator who looks on'),
    mode: ShareMode,
    typing: z.boolean().describe('Typed last, within some seconds'),
    you: z.boolean(),
  })
  .meta({ id: 'TerminalParticipant' });
export type ParticipantInfo = z.infer<typeof ParticipantInfo>;

export const TerminalSession = z
  .object({
    id: z.string(),
    server_id: Id.nullable().describe('Null for quick connect'),
    server_name: z.string(),
    username: z.string().describe('Whose it is'),
    started_at: Instant,
    last_activity: Instant.describe('Input or output; of a session on another instance some seconds old'),
    participants: z.int().describe('How many are attached; 0 while its owner is away and may resume it'),
    recording: z.boolean(),
    own: z.boolean().describe('Whether it is the caller’s'),
  })
  .meta({ id: 'TerminalSession' });
export type TerminalSession = z.infer<typeof TerminalSession>;

/** What every instance may know of a session that one of them holds. */
export interface TerminalSessionRow {
  readonly id: string;
  /** Of the instance that holds it. */
  readonly run_id: string;
  readonly user_id: number;
  readonly username: string;
  readonly server_id: number | null;
  readonly server_name: string;
  /** Null until the shell is there. */
  readonly started_at: string | null;
  readonly last_activity: string;
  readonly participants: number;
  readonly recording: boolean;
  /** SHA-256 of the share's token. */
  readonly share_digest: string | null;
  /** The shell is over; only its owner may still come for what it said last. */
  readonly over: boolean;
}

export const ShareInput = z
  .strictObject({
    mode: ShareMode.default('rw').describe('The most that a joiner may ask for'),
    expires_in: z.int().min(1).max(31_536_000).optional().describe('Seconds; without it until revoked'),
  })
  .meta({ id: 'ShareInput' });
export type ShareInput = z.infer<typeof ShareInput>;

export const Share = z
  .object({
    token: z.string(),
    mode: ShareMode,
    server: z.string(),
    participants: z.int().describe('How many are attached now'),
    expires_at: Instant.nullable(),
  })
  .meta({ id: 'Share' });
export type Share = z.infer<typeof Share>;

/** Where a quick connection goes and how it signs in: never stored. */
export const QuickTarget = z.object({
  host: line(1, 255),
  port: z.int().min(1).max(65_535).default(22),
  username: line(1, 150),
  password: z.string().max(1024).optional(),
  private_key: z.string().max(32_768).optional(),
  passphrase: z.string().max(1024).optional(),
});
export type QuickTarget = z.infer<typeof QuickTarget>;

/** The pinned key of a host that one user has reached by quick connect. */
export interface QuickHostKeyRow {
  readonly id: number;
  readonly user_id: number;
  /** As it was typed, lower-cased. */
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

/** A running gateway, as others that share its database may reach it. */
export interface InstanceRow {
  /** New with every start. */
  readonly run_id: string;
  readonly instance_id: string;
  /** Origin and root path under which the others reach it. */
  readonly url: string;
  /** Host name: an address such as 127.0.0.1 is another one on each. */
  readonly machine: string;
  /** That a gateway with our secret says so: tokens are sent to this address. */
  readonly proof: string;
}
