import { printable } from '#core/lib/text/printable.ts';
import type { Attempt } from '../attempt.ts';

const USUAL: ReadonlySet<string> = new Set([
  'publickey',
  'password',
  'keyboard-interactive',
  'hostbased',
  'gssapi-with-mic',
  'gssapi-keyex',
]);
const MAX_LENGTH = 400; // the names come from the host

/** The authentication methods a host offers, for messages; of a quick connection, only the usual names. */
export function nameMethods({ is_quick }: Attempt, methods: readonly string[]): string {
  const names = methods.map((name) => (!is_quick || USUAL.has(name) ? name : 'an unknown method'));
  return printable(names.join(', '), MAX_LENGTH);
}
