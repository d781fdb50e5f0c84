import { expect, it } from 'vitest';
import { losesShell } from '../../../apps/web/shell/leave-guard.ts';
import { fakeTerminal } from './fake-terminal.ts';

it.each([
  ['that a reload comes back to', true, 's', false],
  ['that no reload comes back to', false, 's', true],
  ['that has ended', false, undefined, false],
])('a shell %s: %s, %s, lost with the page: %s', (_which, outlives, session_id, is_lost) => {
  const { handle } = fakeTerminal('a');
  const terminal = { ...handle, session_id: () => session_id, outlives_page: () => outlives };
  expect(losesShell({ list: () => [terminal] })).toBe(is_lost);
});
