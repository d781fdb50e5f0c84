import { Fault } from '../errors.ts';

/** `unverified`: `SERVICE_VERIFY_HOST_KEYS` is off, so keys are neither checked nor pinned. */
export type HostKeyVerdict = 'trust' | 'pin' | 'unverified';

/** Compares a presented host key with the known ones: trust it, pin it, or refuse it by throwing. */
export function judgeHostKey(known: readonly string[], presented: string, enabled: boolean): HostKeyVerdict {
  if (!enabled) return 'unverified';
  if (known.includes(presented)) return 'trust';
  if (known.length === 0) return 'pin';
  throw new Fault('host_key_changed');
}
