import type { User } from '../app/session.ts';
import type { TextKey } from '../i18n/languages.ts';

interface SourceTexts {
  /** Why the password cannot be changed here; undefined if it can. */
  readonly why_no_password: TextKey | undefined;
  /** What each sign-in brings with it. */
  readonly note: TextKey | undefined;
}

const OF_DIRECTORY: SourceTexts = { why_no_password: 'why_directory_password', note: 'directory_note' };

// A new source does not compile before it is decided.
const SOURCES: Readonly<Record<User['source'], SourceTexts>> = {
  local: { why_no_password: undefined, note: undefined },
  ldap: OF_DIRECTORY,
  oidc: OF_DIRECTORY,
};

export function textsOfSource({ source }: User): SourceTexts {
  return SOURCES[source];
}
