import { createHash } from 'node:crypto';
import type { HostVerifier } from 'ssh2';
import { Fault, toFault } from '#core/errors.ts';
import type { HostKeys, PresentedHostKey } from '#core/ports/ssh.ts';
import type { Attempt } from './attempt.ts';

export interface HostKeyOutcome {
  presented(key: PresentedHostKey): void;
  refused(fault: Fault): void;
  /** False once the attempt is over: ssh2 must not be answered then. */
  isWanted(): boolean;
}

/** Asks the HostKeys port once; a later key exchange of the same connection must present the same key. */
export function createHostVerifier(
  host_keys: HostKeys,
  attempt: Attempt,
  outcome: HostKeyOutcome,
): HostVerifier {
  let trusted: string | undefined;
  return (blob, verify) => {
    const key = describeHostKey(blob);
    if (trusted !== undefined) return verify(trusted === key.host_key);
    outcome.presented(key);
    host_keys.verify(attempt.hop, key).then(
      () => {
        if (!outcome.isWanted()) return;
        trusted = key.host_key;
        verify(true);
      },
      (error) => outcome.refused(atHostKey(toFault(error), attempt)),
    );
  };
}

export function describeHostKey(blob: Buffer): PresentedHostKey {
  const digest = createHash('sha256').update(blob).digest('base64').replaceAll('=', '');
  return { host_key: blob.toString('base64'), fingerprint: `SHA256:${digest}` };
}

function atHostKey(fault: Fault, attempt: Attempt): Fault {
  const placed = attempt.fault(fault.code, fault.detail, fault);
  return new Fault(fault.code, fault.detail, { ...fault.options, ...placed.options });
}
