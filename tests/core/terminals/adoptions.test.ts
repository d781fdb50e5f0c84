import { expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { AdoptedShell } from '#core/ports/keeper.ts';
import { createAdoptions } from '#core/terminals/adoptions.ts';
import { KeptTerminal } from '#core/terminals/kept-terminal.ts';
import { OWNER, sessionDouble } from './session-double.ts';

const ABOUT: KeptTerminal = {
  ...{
    session_id: 'one',
    owner: OWNER,
    server: { id: 1, name: 'box' },
    label: 'box (#1)',
    ip_address: '::1',
    via: 'page',
  },
  ...{ started_at: '2026-01-02T03:04:05.678Z', away_since: null, recording_id: null },
  ...{ share: null, connection: [] },
};

/** One kept shell, and a database that is away until the test says so. */
function scene() {
  const { session, clock } = sessionDouble();
  const database = { is_away: true, tries: 0 };
  const shell: AdoptedShell['shell'] = {
    ...{ start() {}, resize() {}, pause() {}, resume() {}, close() {}, write: () => true },
    keeping: { note() {}, recorded() {}, forget() {}, release() {} },
  };
  const output = { offset: 0, bytes: new Uint8Array(0), sizes: [], times: [] };
  const kept: AdoptedShell = {
    ...{ about: JSON.stringify(ABOUT), shell, output, recorded: undefined, unheld_ms: 20_000 },
  };
  const takeOver = createAdoptions({
    keeper: { adoptAll: (adopt) => adopt(kept) },
    running: {
      run: () => session,
      listen: () => ({ congested() {}, stopped() {}, written() {} }),
    },
    recorder: { resume: async () => undefined },
    ledger: {
      async adopt() {
        database.tries += 1;
        if (database.is_away) throw new Fault('database_unavailable');
      },
    },
    shares: { restore: async () => {} },
    rights: { recheck: async () => {} },
    settings: { values: { resume_seconds: 60 } },
    clock,
  });
  return { takeOver, clock, database };
}

it.each([
  ['the same version', { via: 'api' }, 'api'],
  ['an older version', {}, null],
  ['a later version', { via: 'of a later version' }, null],
])('A terminal kept by a gateway of %s is adopted with the transport that is known', (_who, kept, via) => {
  const { via: _own, ...about } = ABOUT;
  expect(KeptTerminal.parse({ ...about, ...kept }).via).toBe(via);
});

it('A kept terminal waits for the database to come back', async () => {
  const { takeOver, clock, database } = scene();
  const adopted = takeOver();
  await clock.pass(5000);
  expect(database.tries).toBeGreaterThan(2);
  database.is_away = false;
  await clock.pass(1000);
  await expect(adopted).resolves.toBeUndefined();
});

it('A kept terminal does not wait longer than its keeper would have kept it', async () => {
  const { takeOver, clock } = scene();
  const refused = expect(takeOver()).rejects.toMatchObject({ code: 'database_unavailable' });
  await clock.pass(42_000);
  await refused;
});
