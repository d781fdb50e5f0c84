import { describe, expect, it } from 'vitest';
import type { AuditChain } from '#core/audit/chain/appends.ts';
import { createAuditTrail, inDetails } from '#core/audit/trail.ts';
import type { AuditRecord } from '#core/model/audit/audit.ts';
import { handClock } from '../../support/hand-clock.ts';

const ACTOR = { user_id: 1, username: 'ann', ip_address: '192.0.2.1', via: 'page' } as const;
const MAX = 10_000;
const LABEL = 'box (#1): ';

const paths = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => `/srv/${String(index).padStart(length - 5, '-')}`);

async function recordsOf(items: readonly string[]): Promise<AuditRecord[]> {
  const stored: AuditRecord[] = [];
  const append = async (record: AuditRecord) => void stored.push(record);
  const chain = { append } as unknown as AuditChain; // A trail only appends.
  await createAuditTrail({ chain, clock: handClock(1) }).recordAll(ACTOR, 'sftp_zip', {
    label: LABEL,
    items,
  });
  return stored;
}

/** The details that the trail stores for these paths. */
async function detailsOf(items: readonly string[]): Promise<string[]> {
  return (await recordsOf(items)).map(({ detail }) => detail);
}

describe('A change of many paths', () => {
  it('is one audit entry when all paths fit', async () => {
    expect(await detailsOf(['/a', '/b', '/c'])).toEqual([`${LABEL}/a, /b, /c`]);
  });

  it.each([
    ['as long as they may be', 3, MAX - LABEL.length],
    ['long', 200, 250],
    ['many', 5000, 12],
  ])(
    'is split over as many entries as it takes to name each path in full: %s',
    async (_what, count, length) => {
      const items = paths(count, length);
      const details = await detailsOf(items);
      expect(details.every((detail) => detail.startsWith(LABEL) && detail.length <= MAX)).toBe(true);
      expect(details.flatMap((detail) => detail.slice(LABEL.length).split(', '))).toEqual(items);
    },
  );

  it('is recorded with the same user, address and transport in each entry', async () => {
    const records = await recordsOf(paths(5000, 12));
    expect(records.length).toBeGreaterThan(2);
    for (const record of records) expect(record).toMatchObject(ACTOR);
  });

  it('is not recorded when there are no paths', async () => {
    expect(await detailsOf([])).toEqual([]);
  });

  it('names an over-long path by its start and its end, and omits no other path', () => {
    const long = `/srv/${'x'.repeat(20_000)}/secret.key`;
    const [first = '', second = '', third = ''] = inDetails(['/before', long, '/after'], MAX);
    expect([first, third]).toEqual(['/before', '/after']);
    expect(second).toMatch(/^\/srv\/x+…x+\/secret\.key$/);
    expect(second.length).toBeLessThanOrEqual(MAX);
  });
});
