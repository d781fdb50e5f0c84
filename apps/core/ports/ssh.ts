import type { Fault } from '../errors.ts';
import type { EncodingName } from '../lib/text/encodings.ts';
import type { ConnectionTest, Stage, TestEvent } from '../model/hosts/connection-test.ts';
import type { HopConnection } from '../model/hosts/hop-connection.ts';
import type { AlgorithmSet } from '../model/hosts/server.ts';
import type { HostKeyVerdict } from '../policy/host-key.ts';
import type { ShellKeeping } from './keeping.ts';

export interface StoredKey {
  readonly private_key: string;
  readonly passphrase: string;
}

/** The declared method; what else is stored answers only a host that goes on after it with partial success (RFC 4252 §5.1). */
export type SshAuth =
  | { readonly method: 'password'; readonly password: string; readonly key?: StoredKey | undefined }
  | ({ readonly method: 'key'; readonly password?: string | undefined } & StoredKey)
  /** Nothing is stored: somebody is asked, or nothing is offered. */
  | { readonly method: 'prompt' };

/** One server on the way, with its credentials in the clear; kept only while dialling. */
export interface SshHop {
  readonly server_id: number;
  readonly name: string;
  readonly hostname: string;
  readonly port: number;
  readonly username: string;
  readonly auth: SshAuth;
  readonly algorithms: AlgorithmSet;
  /** The pinned and the announced keys, as base64 of their blobs; their types are requested first. */
  readonly known_host_keys: readonly string[];
  /** Changes with every edit of the record and every cleared pin, so that older connections are not reused. */
  readonly revision: string;
  /** The record of the server is deleted: only `known_host_keys` are accepted. */
  readonly is_kept?: true;
  /** Set for a quick connection: its host key is pinned for this user, it has no server record, and its errors quote no host. */
  readonly quick_user_id?: number;
  /** Whether an address may be dialled; undefined allows all. */
  readonly isAllowedAddress?: (address: string) => boolean | Promise<boolean>;
}

/** Where to dial: bastions first, the destination last. Never empty. */
export interface SshTarget {
  readonly hops: readonly [SshHop, ...SshHop[]];
  /** The user whose typed password it contains; nobody else shares its connections. */
  readonly owner?: string;
  /** The user who dials; undefined for the gateway itself. */
  readonly user_id?: number | undefined;
}

export interface PresentedHostKey {
  /** Base64 of the key blob (RFC 4253 §6.6). */
  readonly host_key: string;
  /** `SHA256:` and unpadded base64, as OpenSSH prints it. */
  readonly fingerprint: string;
}

/** Asked by the dialler at each hop before any credential is sent. */
export interface HostKeys {
  /** Whether the key is known or met for the first time; throws `host_key_changed` otherwise. */
  judge(hop: SshHop, presented: PresentedHostKey): Promise<HostKeyVerdict>;
  /** Called once the host has proved it owns the key; throws `host_key_changed` if another key was pinned first. */
  pin(hop: SshHop, presented: PresentedHostKey): Promise<void>;
  /** Called once the key exchange is over and the host has proved its key. Runs in the background. */
  secured(hop: SshHop, connection: HopConnection): void;
  /** Called with all keys that the host, trusted by `presented`, has proved it owns. Runs in the background. */
  announced(hop: SshHop, presented: PresentedHostKey, keys: readonly PresentedHostKey[]): void;
}

/** A host's question to a person (RFC 4256), or the gateway's for a server without stored credentials. */
export interface Question {
  /** Name of the server that asks. */
  readonly name: string;
  readonly instructions: string;
  /** True when the gateway asks, not the host. */
  readonly is_ours: boolean;
  readonly prompts: readonly Prompt[];
}

export interface Prompt {
  readonly text: string;
  readonly echo: boolean;
  /** What an empty answer means. */
  readonly value?: string;
}

/** Resolves with one answer for each prompt; rejects when `signal` aborts. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<readonly string[]>;

export interface PtySize {
  readonly cols: number;
  readonly rows: number;
}

/** How the programs of a host write. */
export interface TerminalKind {
  /** `TERM` of the shell. */
  readonly type: string;
  readonly encoding: EncodingName;
}

export interface ShellRequest {
  readonly size: PtySize;
  /** `xterm-256color` and UTF-8 by default; the shell takes and gives UTF-8 in any case. */
  readonly terminal?: TerminalKind | undefined;
  /** Aborting ends everything that was started. */
  readonly signal: AbortSignal;
  readonly ask: Ask;
  readonly watch?: StageWatch | undefined;
  readonly banner?: BannerWatch | undefined;
  readonly secured?: SecuredWatch | undefined;
}

/** Called as each stage begins; `hop` names the server when there are several. */
export type StageWatch = (stage: Stage, hop: string | undefined) => void;

/** Called with what a host says before it lets the user in (RFC 4252 §5.4), as printable text; `name` is its server. */
export type BannerWatch = (banner: { readonly name: string; readonly text: string }) => void;

/** Called with each hop of the way whose host key was accepted and proved. */
export type SecuredWatch = (connection: HopConnection) => void;

export interface Shells {
  /** Dials, authenticates and starts a login shell on a pty. */
  open(target: SshTarget, request: ShellRequest): Promise<Shell>;
}

export type ShellEnd =
  | { readonly kind: 'exit'; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: 'lost'; readonly fault: Fault };

export interface ShellListener {
  data(bytes: Uint8Array): void;
  /** The shell accepts input again after `write` returned false. */
  drain(): void;
  /** Called once, after the last byte of output. */
  end(end: ShellEnd): void;
}

/** A remote shell; output waits, paused, until `start`. */
export interface Shell {
  start(listener: ShellListener): void;
  /** False when the caller should wait for `drain`. */
  write(bytes: Uint8Array): boolean;
  resize(size: PtySize): void;
  /** Stops extending the channel window, so that the remote program blocks. */
  pause(): void;
  resume(): void;
  close(): void;
  /** Undefined for a shell that ends with this process. */
  readonly keeping?: ShellKeeping | undefined;
}

export interface Prober {
  /** Dials every hop in order and reports each stage; host failures never throw. */
  test(target: SshTarget, options?: TestOptions): Promise<ConnectionTest>;
  /** Probes one hop for the monitor; host failures never throw. */
  probe(hop: SshHop, options: ProbeOptions): Promise<Probe>;
}

export interface TestOptions {
  readonly signal?: AbortSignal;
  readonly watch?: (event: TestEvent) => void;
}

/** The connection to a bastion, over which further hops are probed; the caller closes it. */
export interface Way {
  close(): void;
}

export interface ProbeOptions {
  /** Connects through this bastion; undefined connects directly. */
  readonly over: Way | undefined;
  /** `host_key`: no credential is sent. */
  readonly as_far_as: 'host_key' | 'auth';
  /** Keeps the connection open, because others are probed through it. */
  readonly keep: boolean;
  readonly signal: AbortSignal;
  /** Limit for the whole probe, not counting the wait for a slot. */
  readonly timeout_ms: number;
  /** Waits for a key exchange slot (the expensive part); call the result to release it. */
  readonly place: (signal: AbortSignal) => Promise<() => void>;
}

export interface Probe {
  /** Why it is offline; undefined when it is online. */
  readonly fault: Fault | undefined;
  /** Time to connect to the host; null when there was no connection. */
  readonly latency_ms: number | null;
  readonly host_key_verified: boolean | null;
  /** When true, the failure may be the host refusing the credential. */
  readonly credential_sent: boolean;
  /** Present when `keep` was requested and authentication succeeded. */
  readonly way: Way | undefined;
}

/** Who needs a private key: users share the threads fairly, and the work ends when the signal aborts. */
export interface KeyAsker {
  /** Undefined for the gateway itself. */
  readonly user_id?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PrivateKeys {
  /** Throws `unreadable_private_key` with the reason, or `too_many_key_jobs`. */
  assertReadable(private_key: string, passphrase: string, asker?: KeyAsker): Promise<void>;
}
