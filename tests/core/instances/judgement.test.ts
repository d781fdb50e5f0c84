import { expect, it } from 'vitest';
import { createJudgement } from '#core/instances/judgement.ts';
import { digest } from '#core/lib/bytes/bytes.ts';
import type { Neighbour } from '#core/ports/neighbours.ts';

const GONE_MS = 300_000;
const ROW = {
  run_id: 'run',
  instance_id: 'b',
  machine: 'far',
  url: 'http://b.test',
  proof: 'proof',
  clock_skew_ms: 0,
  recordings_directory_id: null,
  version: null,
};

interface Case {
  readonly neighbour: Neighbour;
  readonly silent_ms?: number;
  readonly is_settled?: boolean;
  readonly row?: Partial<typeof ROW>;
  readonly is_signed?: boolean;
}

async function isEnded({ neighbour, silent_ms = 1, is_settled = true, row, is_signed = true }: Case) {
  const findEnded = createJudgement({
    neighbours: { look: async () => neighbour },
    proofs: { isSigned: async () => is_signed },
    machine: 'here',
    gone_ms: GONE_MS,
  });
  return (await findEnded([{ ...ROW, ...row, silent_ms }], is_settled)).length === 1;
}

const refused: Neighbour = { kind: 'refused' };
const silent: Neighbour = { kind: 'silent' };
const running = async (run_id: string): Promise<Neighbour> => ({
  kind: 'run',
  run_digest: await digest(run_id),
});
const long_ms = GONE_MS + 1;

it.each<[string, Case, boolean]>([
  ['has ended when its address refuses, at once', { neighbour: refused, is_settled: false }, true],
  ['may run when its address does not answer', { neighbour: silent }, false],
  ['counts as ended after five minutes without an answer', { neighbour: silent, silent_ms: long_ms }, true],
  [
    'is not judged by an instance that was cut off itself',
    { neighbour: silent, silent_ms: long_ms, is_settled: false },
    false,
  ],
  [
    'is not looked for at a loopback address of another machine',
    { neighbour: refused, row: { url: 'http://127.0.0.1:8000' } },
    false,
  ],
  [
    'is looked for at a loopback address of this machine',
    { neighbour: refused, row: { url: 'http://127.0.0.1:8000', machine: 'here' } },
    true,
  ],
  ['is not looked for at an address that nobody signed', { neighbour: refused, is_signed: false }, false],
  ['without an address may run', { neighbour: refused, row: { url: '' } }, false],
])('A silent instance %s', async (_what, given, ended) => {
  expect(await isEnded(given)).toBe(ended);
});

it('A silent instance runs when it answers, however long it has been silent', async () => {
  expect(await isEnded({ neighbour: await running('run'), silent_ms: long_ms })).toBe(false);
});

it('A silent instance has ended when another run answers at its address', async () => {
  expect(await isEnded({ neighbour: await running('next run'), is_settled: false })).toBe(true);
});
