import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { severeAdvisories } from '../../support/advisories.mjs';

const advisory = (id: string, severity: string) => ({
  name: 'left-pad',
  title: 'Pads too much',
  url: `https://example.com/advisories/${id}`,
  severity,
});

const REPORT = {
  auditReportVersion: 2,
  vulnerabilities: {
    'left-pad': { via: [advisory('GHSA-1', 'high'), advisory('GHSA-2', 'moderate')] },
    padder: { via: ['left-pad', advisory('GHSA-1', 'high'), advisory('GHSA-3', 'critical')] },
  },
};

const ids = (ignored: object[]) =>
  severeAdvisories(REPORT, ignored, '2026-11-26')?.map((line: string) => /GHSA-\d/.exec(line)?.[0]);

describe('The check of advisories', () => {
  it('reports each high and critical one once', () => {
    expect(ids([])).toEqual(['GHSA-1', 'GHSA-3']);
  });

  it('leaves out what is ignored, until its day', () => {
    expect(ids([{ id: 'GHSA-1', reason: 'not reachable', until: '2026-11-26' }])).toEqual(['GHSA-3']);
    expect(ids([{ id: 'GHSA-1', reason: 'not reachable', until: '2026-11-25' }])).toEqual([
      'GHSA-1',
      'GHSA-3',
    ]);
  });

  it.each([
    ['the answer of a registry that does not audit', { message: 'audit endpoint returned an error' }],
    ['no answer', undefined],
  ])('takes %s for no report', (_what, report) => {
    expect(severeAdvisories(report, [], '2026-11-26')).toBeUndefined();
  });

  it('is skipped with one line offline', () => {
    const env = { ...process.env, SALLYPORT_OFFLINE: '1' };
    const { stdout, status } = spawnSync(process.execPath, ['tests/support/advisories.mjs'], {
      env,
      encoding: 'utf8',
    });
    expect([stdout, status]).toEqual(['Advisories were not checked: SALLYPORT_OFFLINE is set\n', 0]);
  });
});
