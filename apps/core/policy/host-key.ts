import { Fault } from '../errors.ts';

/** What a presented host key means against the pinned one: trust it, pin it first, or (by throwing) refuse it. */
export function judgeHostKey(pinned: string | null, presented: string, enabled: boolean): 'trust' | 'pin' {
  if (!enabled || pinned === presented) return 'trust';
  if (pinned === null) return 'pin';
  throw new Fault('host_key_changed');
}
