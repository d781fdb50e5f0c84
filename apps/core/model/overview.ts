import { z } from 'zod';
import { Instant } from './fields.ts';

/** A gauge is the value at the end of a step; a counter is what was added during it. */
export const GAUGES = ['servers_online', 'servers_offline', 'servers_unchecked', 'sessions'] as const;
export const COUNTERS = [
  'uploads',
  'downloads',
  'copies',
  'bytes_up',
  'bytes_down',
  'bytes_copied',
  'failed_logins',
  'logins',
] as const;
export type Gauge = (typeof GAUGES)[number];
export type Counter = (typeof COUNTERS)[number];
export type SampleName = Gauge | Counter;

/** Step of stored samples; longer spans use longer steps. */
export const SAMPLE_STEP_S = 300;
export const MOST_POINTS = 300;

const measured = z.number().nullable().describe('Null when no instance was running');

export const OverviewPoint = z
  .object({
    at: Instant.describe('Start of the step'),
    servers_online: measured,
    servers_offline: measured,
    servers_unchecked: measured,
    sessions: measured,
    uploads: measured,
    downloads: measured,
    copies: measured.describe('Files copied from server to server, or extracted on one'),
    bytes_up: measured,
    bytes_down: measured,
    bytes_copied: measured.describe(
      'Copied from server to server, or extracted on one, counted once; in neither of the other two',
    ),
    failed_logins: measured,
    logins: measured,
  })
  .meta({ id: 'OverviewPoint' });
export type OverviewPoint = z.infer<typeof OverviewPoint>;

const RunningInstance = z.object({
  instance_id: z.string(),
  machine: z.string(),
  version: z.string().nullable().describe('Null from a version before 0.7'),
  clock_skew_ms: z
    .int()
    .nullable()
    .describe(
      'How far the clock of the machine is ahead of the database; negative when it is behind, null if unknown',
    ),
});

export const Overview = z
  .object({
    since: Instant,
    step_s: z.int(),
    points: z.array(OverviewPoint).max(MOST_POINTS),
    servers: z
      .object({
        online: z.int(),
        offline: z.int(),
        unchecked: z.int(),
        post_quantum: z.int().optional().describe('Whose last connection used a post-quantum key exchange'),
        connected: z.int().optional().describe('Whose key exchange is known'),
      })
      .describe('Now'),
    sessions: z.int().describe('Terminals open now, on all instances'),
    users: z.int(),
    instances: z.array(RunningInstance).describe('Running now'),
    version: z.string().describe('Of the instance that answers'),
  })
  .meta({ id: 'Overview' });
export type Overview = z.infer<typeof Overview>;

export const OverviewQuery = z.object({
  hours: z.coerce.number().int().min(1).max(720).default(24),
});

/** Current figures from the database. */
export interface PresentNumbers extends Readonly<Record<Gauge, number>> {
  readonly users: number;
  /** Servers whose key exchange is known, and those of them where it is post-quantum. */
  readonly exchanges: { readonly connected: number; readonly post_quantum: number };
}

/** The samples of one metric within a step. */
export interface MergedSample {
  /** In steps since the epoch. */
  readonly step: number;
  readonly metric: SampleName;
  readonly sum: number;
  readonly last: number;
}
