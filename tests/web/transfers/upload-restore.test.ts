import { describe, expect, it } from 'vitest';
import { createClient } from '#client/client.ts';
import type { KeptJob, KeptPart, Ledger } from '../../../apps/web/transfers/uploads/ledger.ts';
import { bytesOnHost, unfinishedJobs } from '../../../apps/web/transfers/uploads/restore.ts';

const NOW = Date.parse('2026-05-02T12:00:00Z');
const HOUR = 60 * 60 * 1000;

const job = (id: string, fields: Partial<KeptJob> = {}): KeptJob => ({
  id,
  user_id: 1,
  kind: 'file',
  name: id,
  server_id: 3,
  directory: '/srv',
  size: 10,
  modified_ms: 5,
  handle: undefined,
  begun_ms: NOW - HOUR,
  ...fields,
});
const part = (job_id: string, fields: Partial<KeptPart> = {}): KeptPart => ({
  fingerprint: job_id,
  user_id: 1,
  job_id,
  server_id: 3,
  upload_id: `of-${job_id}`,
  filename: job_id,
  overwrite: false,
  ...fields,
});

/** Browser storage without a browser. */
function ledgerOf(jobs: readonly KeptJob[], parts: readonly KeptPart[]) {
  const kept = { jobs: [...jobs], parts: [...parts] };
  const ledger: Ledger = {
    jobs: async () => kept.jobs,
    keepJob: async (fresh) => void kept.jobs.push(fresh),
    forgetJob: async (id) => {
      kept.jobs = kept.jobs.filter((candidate) => candidate.id !== id);
    },
    parts: async () => kept.parts,
    part: async (fingerprint) => kept.parts.find((candidate) => candidate.fingerprint === fingerprint),
    keepPart: async (fresh) => void kept.parts.push(fresh),
    forgetPart: async (fingerprint) => {
      kept.parts = kept.parts.filter((candidate) => candidate.fingerprint !== fingerprint);
    },
  };
  return { ledger, kept };
}

function clientAnswering(answers: Readonly<Record<string, () => Response>>) {
  return createClient({
    base_url: 'https://gate.example',
    credentials: 'sesame',
    retries: 0,
    fetch: async ({ url }) => answers[new URL(url).pathname]?.() ?? Response.json({}, { status: 404 }),
  });
}

const standing = (...ids: string[]) => Response.json(ids.map((id) => ({ id })));
const at = { elsewhere: new Set<string>(), now_ms: NOW };
const namesOf = async (found: Promise<KeptJob[]>) => (await found).map(({ id }) => id);

describe('An upload that was unfinished when the page closed', () => {
  it('is found again, whether it had started or not', async () => {
    const { ledger } = ledgerOf([job('begun'), job('queued')], [part('begun')]);
    const client = clientAnswering({ '/api/files/3/uploads': () => standing('of-begun') });
    expect(await namesOf(unfinishedJobs({ client, ledger }, at))).toEqual(['begun', 'queued']);
  });

  it('is removed a day after the gateway has removed it', async () => {
    const old = { begun_ms: NOW - 25 * HOUR };
    const { ledger, kept } = ledgerOf([job('live', old), job('dead', old)], [part('live'), part('dead')]);
    const client = clientAnswering({ '/api/files/3/uploads': () => standing('of-live') });
    expect(await namesOf(unfinishedJobs({ client, ledger }, at))).toEqual(['live']);
    expect(kept.jobs.map(({ id }) => id)).toEqual(['live']);
    expect(kept.parts.map(({ job_id }) => job_id)).toEqual(['live']);
  });

  it('is left to the tab that handles it', async () => {
    const { ledger, kept } = ledgerOf([job('own'), job('other')], []);
    const client = clientAnswering({ '/api/files/3/uploads': () => standing() });
    const elsewhere = new Set(['other']);
    expect(await namesOf(unfinishedJobs({ client, ledger }, { ...at, elsewhere }))).toEqual(['own']);
    expect(kept.jobs).toHaveLength(2);
  });

  it('is kept while the gateway cannot be reached', async () => {
    const { ledger, kept } = ledgerOf([job('begun', { begun_ms: NOW - 25 * HOUR })], [part('begun')]);
    const client = clientAnswering({ '/api/files/3/uploads': () => Response.json({}, { status: 503 }) });
    expect(await namesOf(unfinishedJobs({ client, ledger }, at))).toEqual(['begun']);
    expect(kept.parts).toHaveLength(1);
  });

  it('reports how much of it is on the host, where that is known', async () => {
    const { ledger } = ledgerOf([], [part('begun'), part('away')]);
    const client = clientAnswering({ '/api/files/3/uploads/of-begun': () => Response.json({ offset: 7 }) });
    expect(await bytesOnHost({ client, ledger }, 'begun')).toBe(7);
    expect(await bytesOnHost({ client, ledger }, 'away')).toBeUndefined();
    expect(await bytesOnHost({ client, ledger }, 'queued')).toBeUndefined();
  });
});
