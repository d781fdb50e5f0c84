import { describe, expect, it } from 'vitest';
import { createBudget } from '#worker/sftp/pool/budget.ts';
import { createFlowControl, type Flow, type FlowControl } from '#worker/sftp/pool/flow-control.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

interface Way {
  readonly round_trip_ms: number;
  readonly bytes_per_ms: number;
}

/** A simulated connection: bytes queue behind earlier ones and arrive a round trip later. */
function simulate(way: Way, budget_bytes = 64 * MIB) {
  let now_ms = 0;
  let free_ms = 0;
  let longest_queue_ms = 0;
  let came_bytes = 0;
  const coming: { at_ms: number; arrive: () => void }[] = [];
  const under_way = new Map<Flow, number>();
  const line: FlowControl = createFlowControl(createBudget(budget_bytes), () => now_ms);

  const underWay = (flow: Flow) => under_way.get(flow) ?? 0;
  function send(flow: Flow): void {
    const bytes = flow.chunk_bytes();
    const came = flow.sent();
    under_way.set(flow, underWay(flow) + bytes);
    free_ms = Math.max(free_ms, now_ms) + bytes / way.bytes_per_ms;
    longest_queue_ms = Math.max(longest_queue_ms, free_ms - now_ms);
    const arrive = () => {
      came(bytes);
      came_bytes += bytes;
      under_way.set(flow, underWay(flow) - bytes);
      fill(flow);
    };
    coming.push({ at_ms: free_ms + way.round_trip_ms, arrive });
  }
  function fill(flow: Flow): void {
    const bytes = flow.chunk_bytes();
    while (underWay(flow) <= bytes || underWay(flow) + bytes <= flow.window_bytes()) send(flow);
  }
  return {
    line,
    longestQueueMs: () => longest_queue_ms,
    /** Keeps the windows full for this long; returns bytes per millisecond. */
    run(flows: readonly Flow[], span_ms: number): number {
      const until_ms = now_ms + span_ms;
      const before_bytes = came_bytes;
      longest_queue_ms = 0;
      flows.forEach(fill);
      while (coming[0] && coming[0].at_ms <= until_ms) {
        const next = coming.shift();
        now_ms = next?.at_ms ?? now_ms;
        next?.arrive();
      }
      now_ms = until_ms;
      return (came_bytes - before_bytes) / span_ms;
    },
  };
}

describe('the window of a connection', () => {
  it.each([
    ['a long fast line', { round_trip_ms: 20, bytes_per_ms: 300_000 }],
    ['a very long line', { round_trip_ms: 200, bytes_per_ms: 12_500 }],
    ['a short fast line', { round_trip_ms: 0.3, bytes_per_ms: 800_000 }],
    ['a slow line', { round_trip_ms: 40, bytes_per_ms: 1250 }],
  ])('grows until %s is full', (_what, way) => {
    const { line, run } = simulate(way);
    const flow = line.join();
    run([flow], 3000);
    expect(run([flow], 2000) / way.bytes_per_ms).toBeGreaterThan(0.95);
  });

  it('delays other requests by little more than a round trip', () => {
    const { line, run, longestQueueMs } = simulate({ round_trip_ms: 40, bytes_per_ms: 1250 });
    const flows = Array.from({ length: 4 }, () => line.join());
    run(flows, 3000);
    run(flows, 2000);
    expect(longestQueueMs()).toBeLessThanOrEqual(250);
  });

  it('uses smaller chunks on a slow connection, so that none takes long', () => {
    const slow = simulate({ round_trip_ms: 20, bytes_per_ms: 1000 });
    const fast = simulate({ round_trip_ms: 20, bytes_per_ms: 300_000 });
    const flows = [slow.line.join(), fast.line.join()] as const;
    slow.run([flows[0]], 1000);
    fast.run([flows[1]], 1000);
    expect(flows.map((flow) => flow.chunk_bytes())).toEqual([32 * KIB, 254 * KIB]);
  });

  it('never requests larger chunks than the host allows', () => {
    const { line } = simulate({ round_trip_ms: 1, bytes_per_ms: 1000 });
    const flow = line.join();
    flow.limitChunk(20 * KIB);
    expect(flow.chunk_bytes()).toBe(20 * KIB);
  });

  it('is shared by concurrent transfers, and whole for a single one', () => {
    const { line, run } = simulate({ round_trip_ms: 20, bytes_per_ms: 300_000 });
    const [one, other] = [line.join(), line.join()];
    run([one, other], 2000);
    const shared_bytes = one.window_bytes();
    const idle = simulate({ round_trip_ms: 20, bytes_per_ms: 300_000 });
    const alone = idle.line.join();
    idle.run([alone], 2000);
    expect(alone.window_bytes() / shared_bytes).toBeCloseTo(2, 0);
  });

  it('grows with the round trip', () => {
    const way = { round_trip_ms: 20, bytes_per_ms: 50_000 };
    const { line, run } = simulate(way);
    const flow = line.join();
    run([flow], 2000);
    way.round_trip_ms = 60;
    run([flow], 30_000);
    expect(run([flow], 2000) / way.bytes_per_ms).toBeGreaterThan(0.9);
  });
});

describe('the memory budget for file contents', () => {
  it('is shared by all transfers', () => {
    const { line, run } = simulate({ round_trip_ms: 50, bytes_per_ms: 500_000 }, 16 * MIB);
    const flows = Array.from({ length: 8 }, () => line.join());
    run(flows, 2000);
    expect(flows.reduce((sum, flow) => sum + flow.window_bytes(), 0)).toBeLessThanOrEqual(16 * MIB);
    for (const flow of flows.splice(1)) flow.leave();
    expect(
      createBudget(8 * MIB)
        .join()
        .bytes(),
    ).toBe(8 * MIB);
  });

  it('is released once when a transfer ends', () => {
    const budget = createBudget(8 * MIB);
    const [one, other] = [budget.join(), budget.join()];
    expect(one.bytes()).toBe(4 * MIB);
    other.leave();
    other.leave();
    expect(one.bytes()).toBe(8 * MIB);
  });
});
