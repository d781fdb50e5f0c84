import { expect, it } from 'vitest';
import type { AuditRow } from '#core/model/audit/audit.ts';
import type { TerminalSessionRow } from '#core/model/terminal.ts';
import { createOrphans } from '#core/terminals/orphans.ts';
import { AT, terminalRow } from '../../support/databases/rows.ts';

const LATER = new Date(Date.parse(AT) + 60_300).toISOString(); // the entry says 60 s

const endOf = (detail: string): AuditRow => ({
  id: 1,
  user_id: terminalRow().user_id,
  username: terminalRow().username,
  action: 'terminal_close',
  detail,
  ip_address: '',
  created_at: LATER,
  hash: '',
  chain_id: 'chain',
  seq: 1,
});

/** The entries that the end of these orphans adds to those that are there. */
async function recorded(rows: readonly TerminalSessionRow[], entries: readonly AuditRow[]) {
  const details: string[] = [];
  const works: Promise<unknown>[] = [];
  const endOrphans = createOrphans({
    repositories: {
      terminal_sessions: { removeOrphans: async () => [...rows] },
      audit: { following: async () => [...entries] },
    },
    trail: { record: async (_actor, _action, detail) => void details.push(detail) },
    background: { run: (_what, work) => void works.push(work) },
    run_id: 'own',
  });
  await endOrphans();
  await Promise.all(works);
  return details;
}

const open = (change: Partial<TerminalSessionRow> = {}) =>
  terminalRow({ server_id: 3, server_name: 'box', started_at: AT, ...change });

it('Each terminal of an instance that has ended gets an entry with the reason', async () => {
  const quick = open({ server_id: null, server_name: 'root@host' });
  expect(await recorded([open(), quick], [])).toEqual([
    'box (#3) (instance_ended)',
    'quick connect to root@host (instance_ended)',
  ]);
});

it('A terminal whose end was recorded before its instance ended gets no second entry', async () => {
  const other = open({ started_at: LATER });
  expect(await recorded([open(), other], [endOf('box (#3) after 60 s')])).toEqual([
    'box (#3) (instance_ended)',
  ]);
  expect(await recorded([open()], [endOf('box (#4) after 60 s')])).toHaveLength(1);
});

it('A terminal that never opened, or had ended, gets no entry', async () => {
  expect(await recorded([open({ started_at: null }), open({ over: true })], [])).toEqual([]);
});
