import { Fault } from '../errors.ts';
import type { HostKeyVerdict } from '../model/host-key.ts';

/** Compares a presented host key with the known ones: trust it, pin it, or refuse it by throwing. */
export function judgeHostKey(known: readonly string[], presented: string, enabled: boolean): HostKeyVerdict {
  if (!enabled) return 'unverified';
  if (known.includes(presented)) return 'trust';
  if (known.length === 0) return 'pin';
  throw new Fault('host_key_changed');
}
