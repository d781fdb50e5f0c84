import type { Fault } from '../errors.ts';
import type { ConnectionTest, Stage, TestEvent } from '../model/connection-test.ts';
import type { AlgorithmSet } from '../model/server.ts';
import type { HostKeyVerdict } from '../policy/host-key.ts';

export type SshAuth =
  | { readonly method: 'password'; readonly password: string }
  | { readonly method: 'key'; readonly private_key: string; readonly passphrase: string }
  /** Nothing is stored: somebody is asked, or nothing is offered. */
  | { readonly method: 'prompt' };

/** One server on the way, with its credentials in clear: lives only as long as the dialling. */
export interface SshHop {
  readonly server_id: number;
  readonly name: string;
  readonly hostname: string;
  readonly port: number;
  readonly username: string;
  readonly auth: SshAuth;
  readonly algorithms: AlgorithmSet;
  /** The pinned key and the announced ones, as base64 of their blobs: their kinds are asked for first. */
  readonly known_host_keys: readonly string[];
  /** Changes with every edit of the record and every cleared pin: what was connected before is not used again. */
  readonly revision: string;
  /** A quick connection, whose host key is pinned for this user; it has no record. */
  readonly quick_user_id?: number;
  /** Whether an address may be dialled; without it, all may. */
  readonly isAllowedAddress?: (address: string) => boolean;
}

/** Where to dial: bastions first, the destination last. Never empty. */
export interface SshTarget {
  readonly hops: readonly [SshHop, ...SshHop[]];
  /** Whose typed password is in it: nobody else shares its connections. */
  readonly owner?: string;
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
  /** Once the host has proved that the key is its own; throws `host_key_changed` if another was pinned meanwhile. */
  pin(hop: SshHop, presented: PresentedHostKey): Promise<void>;
  /** All keys that the host, trusted by `presented`, has proved to be its own; the connection does not wait for it. */
  announced(hop: SshHop, presented: PresentedHostKey, keys: readonly PresentedHostKey[]): void;
}

/** What a host wants to know of a person (RFC 4256), or the gateway for a server that stores nothing. */
export interface Question {
  /** Of the server that asks. */
  readonly name: string;
  readonly instructions: string;
  /** The words are the gateway's, not the host's. */
  readonly is_ours: boolean;
  readonly prompts: readonly Prompt[];
}

export interface Prompt {
  readonly text: string;
  readonly echo: boolean;
  /** What an empty answer means. */
  readonly value?: string;
}

/** One answer for each prompt, once the person has given them; rejects when `signal` aborts. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<readonly string[]>;

export interface PtySize {
  readonly cols: number;
  readonly rows: number;
}

export interface ShellRequest {
  readonly size: PtySize;
  /** Aborting ends whatever was begun. */
  readonly signal: AbortSignal;
  readonly ask: Ask;
  readonly watch?: StageWatch | undefined;
}

/** Told of each stage as it begins; `hop` is the server, where there are several on the way. */
export type StageWatch = (stage: Stage, hop: string | undefined) => void;

export interface Shells {
  /** Dials, authenticates and starts a login shell on a pty. */
  open(target: SshTarget, request: ShellRequest): Promise<Shell>;
}

export type ShellEnd =
  | { readonly kind: 'exit'; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: 'lost'; readonly fault: Fault };

export interface ShellListener {
  data(bytes: Uint8Array): void;
  /** The shell takes input again after `write` returned false. */
  drain(): void;
  /** Comes once, after the last byte of output. */
  end(end: ShellEnd): void;
}

/** A remote shell; output waits, paused, until `start`. */
export interface Shell {
  start(listener: ShellListener): void;
  /** False when the caller should wait for `drain`. */
  write(bytes: Uint8Array): boolean;
  resize(size: PtySize): void;
  /** Stops the channel's window from growing, so that the remote program sleeps. */
  pause(): void;
  resume(): void;
  close(): void;
}

export interface Prober {
  /** Dials every hop in order, telling each stage; never throws for what the host does. */
  test(target: SshTarget, options?: TestOptions): Promise<ConnectionTest>;
  /** One hop, for the monitor; never throws for what the host does. */
  probe(hop: SshHop, options: ProbeOptions): Promise<Probe>;
}

export interface TestOptions {
  readonly signal?: AbortSignal;
  readonly watch?: (event: TestEvent) => void;
}

/** The connection to a bastion, over which further hops are probed; whoever asked for it closes it. */
export interface Way {
  close(): void;
}

export interface ProbeOptions {
  /** Through this bastion, or straight. */
  readonly over: Way | undefined;
  /** `host_key`: no credential is sent. */
  readonly as_far_as: 'host_key' | 'auth';
  /** Others are probed through it: the connection stays. */
  readonly keep: boolean;
  readonly signal: AbortSignal;
  /** For the whole of it, without what is spent waiting for a place. */
  readonly timeout_ms: number;
  /** Waits for a place among those whose keys are being exchanged, which is what costs; the result gives it back. */
  readonly place: (signal: AbortSignal) => Promise<() => void>;
}

export interface Probe {
  /** Why it is offline; undefined when it is online. */
  readonly fault: Fault | undefined;
  /** Until the connection to the host stood; null when it does not. */
  readonly latency_ms: number | null;
  readonly host_key_verified: boolean | null;
  /** What went wrong afterwards may be the host's way of refusing it. */
  readonly credential_sent: boolean;
  /** When `keep` was asked for and authentication succeeded. */
  readonly way: Way | undefined;
}

export interface PrivateKeys {
  /** Throws `unreadable_private_key`, saying what is wrong with it. */
  assertReadable(private_key: string, passphrase: string): Promise<void>;
}
