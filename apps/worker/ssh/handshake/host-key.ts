import { createHash } from 'node:crypto';
import type { Client, HostVerifier, ParsedKey } from 'ssh2';
import { Fault, toFault } from '#core/errors.ts';
import type { HostKeyVerdict } from '#core/policy/host-key.ts';
import type { HostKeys, PresentedHostKey, SshHop } from '#core/ports/ssh.ts';
import type { Attempt } from '../attempt.ts';

export interface HostKeyOutcome {
  presented(): void;
  refused(fault: Fault): void;
  /** False once the attempt is over, when ssh2 must not be called any more. */
  isActive(): boolean;
}

export interface JudgedKey {
  readonly key: PresentedHostKey;
  readonly verdict: HostKeyVerdict;
}

export interface HostKeyCheck {
  /** For ssh2, which calls it before it has verified the host's signature. */
  readonly verifier: HostVerifier;
  /** Pins a key on first contact; call it after the key exchange has proved ownership. */
  proved(): Promise<void>;
  /** Undefined until there is a verdict. */
  judged(): JudgedKey | undefined;
}

/** Asks the HostKeys port once; later key exchanges of the connection must present the same key. */
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
      await accepted; // ssh2 processes what follows NEWKEYS without waiting for the verdict
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

/** Reports the keys that a verified host announces (OpenSSH PROTOCOL §2.5), after ssh2 has made it prove them. */
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

/** Excludes certificates, which cannot identify a host here. */
function distinctKeys(parsed: readonly ParsedKey[]): PresentedHostKey[] {
  const blobs = parsed
    .filter(({ type }) => !type.includes('-cert-'))
    .map((key) => key.getPublicSSH())
    .filter(({ length }) => length <= MAX_KEY_BYTES);
  const keys = new Map(blobs.map((blob) => [blob.toString('base64'), describeHostKey(blob)]));
  return [...keys.values()].slice(0, MAX_KEYS);
}
