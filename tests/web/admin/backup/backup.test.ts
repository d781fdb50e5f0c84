import { describe, expect, it } from 'vitest';
import { bundleOf, isIdle, reportRows, strengthOf } from '../../../../apps/web/admin/backup/backup.ts';

const BUNDLE = {
  format: 'sallyport-backup',
  version: 1,
  created_at: '2026-01-02T03:04:05.678Z',
  source_version: '0.7.0',
  counts: { servers: 3, users: 2, snippets: 0 },
};
const REPORT = { created: {}, updated: {}, skipped: {}, removed: {}, warnings: [], warning_phrases: [] };

describe('the readable part of a backup file', () => {
  it('says when and by which version it was made, and how much it holds', () => {
    expect(bundleOf(JSON.stringify(BUNDLE))).toEqual({
      kind: 'bundle',
      bundle: BUNDLE,
      created_at: BUNDLE.created_at,
      source_version: '0.7.0',
      counts: [
        { kind: 'servers', count: 3 },
        { kind: 'users', count: 2 },
      ],
    });
  });

  it.each(['', 'Host harbor', '[]', 'null', '{"format": "other"}', '{"servers": []}'])(
    'is undefined for a file that is not a backup: %j',
    (text) => {
      expect(bundleOf(text)).toEqual({ kind: 'bad', why: 'backup_no_bundle' });
    },
  );

  it.each([{ created_at: undefined }, { created_at: 'yesterday' }])(
    'is undefined for a damaged file: %j',
    (change) => {
      const text = JSON.stringify({ ...BUNDLE, ...change });
      expect(bundleOf(text)).toEqual({ kind: 'bad', why: 'backup_damaged' });
    },
  );
});

describe('the strength of a passphrase', () => {
  it.each([
    ['', 'short'],
    ['eleven char', 'short'],
    ['aaaaaaaaaaaaaaaaaaaaaaaa', 'weak'],
    ['twelve chars', 'fair'],
    ['correct horse battery staple', 'strong'],
  ])('of %j is %s', (passphrase, strength) => {
    expect(strengthOf(passphrase)).toBe(strength);
  });
});

describe('a restore report', () => {
  it('has a row for each kind that changes', () => {
    const report = {
      ...REPORT,
      created: { servers: 2, users: 0 },
      removed: { webhooks: 1 },
      skipped: { users: 3 },
    };
    expect(reportRows(report)).toEqual([
      { kind: 'servers', created: 2, updated: 0, removed: 0, skipped: 0 },
      { kind: 'users', created: 0, updated: 0, removed: 0, skipped: 3 },
      { kind: 'webhooks', created: 0, updated: 0, removed: 1, skipped: 0 },
    ]);
  });

  it('is idle when nothing changes', () => {
    expect(isIdle({ ...REPORT, skipped: { servers: 2 } })).toBe(true);
    expect(isIdle({ ...REPORT, skipped: { servers: 2 }, updated: { users: 1 } })).toBe(false);
  });
});
