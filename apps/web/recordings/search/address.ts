import { formatWord } from '../../lib/query/tokens.ts';

export const SHORTEST_TEXT = 2;
export const LONGEST_TEXT = 200;

/** The page's path that searches what terminals showed; undefined for a text that the search does not take. */
export function recordingSearchPath(text: string, is_admin: boolean): string | undefined {
  if (text.length < SHORTEST_TEXT || text.length > LONGEST_TEXT) return undefined;
  return `/${is_admin ? 'admin' : 'account'}/recordings?${new URLSearchParams({ q: formatWord(text) })}`;
}
