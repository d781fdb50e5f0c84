import type { Terminal } from '@xterm/xterm';

/** Leaves queries for status and cursor position unanswered. The answer could not be told from Shift+F3. */
export function ignoreStatusQueries({ parser }: Terminal): void {
  parser.registerCsiHandler({ final: 'n' }, () => true);
  parser.registerCsiHandler({ prefix: '?', final: 'n' }, () => true);
}
