import { minuteText } from './query/moments.ts';
import { formatToken, formatWord } from './query/tokens.ts';

interface Wanted {
  readonly user?: string;
  readonly action?: string;
  readonly server?: string;
  readonly since?: Date;
  /** A text in the detail, such as a path. */
  readonly words?: string;
}

/** Returns the address of the audit log with a query for these entries. */
export function auditPath({ user, action, server, since, words }: Wanted): string {
  const token = (key: string, value: string | undefined) => (value ? [formatToken(key, value)] : []);
  const parts = [
    ...token('user', user),
    ...token('action', action),
    ...token('server', server),
    ...token('since', since && minuteText(since)),
    ...(words ? [formatWord(words)] : []),
  ];
  return `/admin/audit?${new URLSearchParams({ q: parts.join(' ') })}`;
}
