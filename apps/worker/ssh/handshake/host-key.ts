import { createHash } from 'node:crypto';
import type { Client, HostVerifier, ParsedKey } from 'ssh2';
import { Fault, toFault } from '#core/errors.ts';
import type { HostKeyVerdict } from '#core/model/host-key.ts';
import type { HostKeys, PresentedHostKey, SshHop } from '#core/ports/ssh.ts';
import type { Attempt } from '../attempt.ts';

export interface HostKeyOutcome {
  presented(): void;
  refused(fault: Fault): void;
  /** False once the attempt is over: ssh2 must not be answered then. */
  isActive(): boolean;
}

export interface JudgedKey {
  readonly key: PresentedHostKey;
  readonly verdict: HostKeyVerdict;
}

export interface HostKeyCheck {
  /** For ssh2, which asks before it has checked the host's signature. */
  readonly verifier: HostVerifier;
  /** Pins a key met for the first time; to be awaited once the key exchange has proved whose it is. */
  proved(): Promise<void>;
  /** Known once the verdict is. */
  judged(): JudgedKey | undefined;
}

/** Asks the HostKeys port once; a later key exchange of the same connection must present the same key. */
export function createHostKeyCheck(
  host_keys: HostKeys,
  attempt: Attempt,
  outcome: HostKeyOutcome,
): HostKeyCheck {
  let judged: JudgedKey | undefined;
  let unpinned: PresentedHostKey | undefined;
  let accept = () => {};
  const accepted = new Promise<void>((resolve) => {
    accept = resolve;
  });
  return {
    judged: () => judged,
    verifier(blob, verify) {
      const key = describeHostKey(blob);
      if (judged !== undefined) return verify(judged.key.host_key === key.host_key);
      outcome.presented();
      host_keys.judge(attempt.hop, key).then(
        (verdict) => {
          if (!outcome.isActive()) return;
          judged = { key, verdict };
          unpinned = verdict === 'pin' ? key : undefined;
          verify(true);
          accept();
        },
        (error) => outcome.refused(hostKeyFault(error, attempt)),
      );
    },
    async proved() {
      await accepted; // ssh2 obeys what a host sends behind its NEWKEYS, verdict or not
      if (!outcome.isActive()) return;
      const key = unpinned;
      unpinned = undefined;
      if (!key) return;
      await host_keys.pin(attempt.hop, key).catch((error: unknown) => {
        throw hostKeyFault(error, attempt);
      });
    },
  };
}

export function describeHostKey(blob: Buffer): PresentedHostKey {
  const digest = createHash('sha256').update(blob).digest('base64').replaceAll('=', '');
  return { host_key: blob.toString('base64'), fingerprint: `SHA256:${digest}` };
}

function hostKeyFault(error: unknown, attempt: Attempt): Fault {
  const fault = toFault(error);
  const { options } = attempt.fault(fault.code, fault.detail, fault);
  return new Fault(fault.code, fault.detail, { ...fault.options, ...options, stage: 'host_key' });
}

const MAX_KEYS = 16;
const MAX_KEY_BYTES = 16 * 1024;

/** Tells of the keys that a verified host announces (OpenSSH PROTOCOL §2.5); ssh2 has it prove them first. */
export function reportAnnouncedKeys(
  client: Client,
  hop: SshHop,
  { host_keys, judged }: { readonly host_keys: HostKeys; readonly judged: JudgedKey | undefined },
): void {
  if (!judged || judged.verdict === 'unverified') return;
  client.once('hostkeys', (parsed: ParsedKey[]) => {
    const keys = distinctKeys(parsed);
    if (keys.length > 0) host_keys.announced(hop, judged.key, keys);
  });
}

/** A certificate is not a key that a host could be known by. */
function distinctKeys(parsed: readonly ParsedKey[]): PresentedHostKey[] {
  const blobs = parsed
    .filter(({ type }) => !type.includes('-cert-'))
    .map((key) => key.getPublicSSH())
    .filter(({ length }) => length <= MAX_KEY_BYTES);
  const keys = new Map(blobs.map((blob) => [blob.toString('base64'), describeHostKey(blob)]));
  return [...keys.values()].slice(0, MAX_KEYS);
}
