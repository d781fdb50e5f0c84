import { COUNTERS, GAUGES, SAMPLE_STEP_S } from '#core/model/overview.ts';
import type { TestGateway } from '../gateway/gateway.ts';

const STEP_MS = SAMPLE_STEP_S * 1000;
const CHUNK = 2000;

type Name = (typeof GAUGES)[number] | (typeof COUNTERS)[number];

/** As if an instance had run for the last `steps`, the present one among them; `valueAt` says what it measured. */
export async function seedSamples(
  { store: { db, tables } }: TestGateway,
  steps: number,
  valueAt: (name: Name, step: number) => number,
): Promise<void> {
  const present = Math.floor(Date.now() / STEP_MS);
  const rows = Array.from({ length: steps }, (_, i) => {
    const at = new Date((present - steps + 1 + i) * STEP_MS).toISOString();
    return [...GAUGES, ...COUNTERS].map((metric) => ({ at, metric, value: valueAt(metric, i) }));
  }).flat();
  await db.delete(tables.samples);
  for (let from = 0; from < rows.length; from += CHUNK)
    await db.insert(tables.samples).values(rows.slice(from, from + CHUNK));
}
