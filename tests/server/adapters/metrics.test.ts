import { afterEach, describe, expect, it } from 'vitest';
import { createMeter } from '#core/overview/meter.ts';
import { createMetrics, type Gauges, type Metrics } from '#server/adapters/telemetry/metrics.ts';

const GAUGES: Gauges = {
  terminals: () => 3,
  transfers: () => 2,
  sftp_pooled_connections: () => 4,
  monitor_leader: () => 1,
  webhook_deliveries_waiting: async () => 5,
  keeper_connected: () => 1,
  keeper_terminals: () => 2,
  recordings_waiting: async () => 6,
  recordings_waiting_bytes: async () => 700,
};

let running: Metrics[] = [];
afterEach(() => {
  for (const metrics of running) metrics.close();
  running = [];
});

function metricsWith({ gauges = GAUGES, meter = createMeter() } = {}): Metrics {
  const metrics = createMetrics({ meter, gauges, version: '1.2.3', instance_id: 'one' });
  running.push(metrics);
  return metrics;
}

const textOf = async (metrics: Metrics) => (await metrics.page()).text;

describe('Metrics', () => {
  it('include version, Node and instance', async () => {
    expect(await textOf(metricsWith())).toContain(
      `sallyport_build_info{version="1.2.3",node="${process.version}",instance_id="one"} 1`,
    );
  });

  it('count requests by method, route and status', async () => {
    const metrics = metricsWith();
    const request = { method: 'GET', route: '/api/servers/{id}', status: 200, seconds: 0.02 };
    metrics.answered(request);
    metrics.answered(request);
    const text = await textOf(metrics);
    const labels = 'method="GET",route="/api/servers/{id}",status="200"';
    expect(text).toContain(`sallyport_http_requests_total{${labels}} 2`);
    expect(text).toContain(`sallyport_http_request_duration_seconds_bucket{le="0.025",${labels}} 2`);
  });

  it('have no series for values that a client makes up', async () => {
    const metrics = metricsWith();
    for (const method of ['BREW', 'PROPFIND', 'X'])
      metrics.answered({ method, route: undefined, status: 404, seconds: 0 });
    expect(await textOf(metrics)).toContain(
      'sallyport_http_requests_total{method="other",route="none",status="404"} 3',
    );
  });

  it('include the counters', async () => {
    const meter = createMeter();
    meter.add('bytes_up', 10);
    meter.add('terminal_bytes_out', 20);
    meter.add('failed_logins');
    const text = await textOf(metricsWith({ meter }));
    expect(text).toContain('sallyport_sftp_bytes_total{direction="up"} 10');
    expect(text).toContain('sallyport_terminal_bytes_total{direction="out"} 20');
    expect(text).toContain('sallyport_logins_total{outcome="failure"} 1');
    expect(text).toContain('sallyport_monitor_checks_total 0');
  });

  it('are the same totals however often they are read', async () => {
    const meter = createMeter();
    meter.add('uploads');
    const metrics = metricsWith({ meter });
    await metrics.page();
    expect(await textOf(metrics)).toContain('sallyport_sftp_transfers_total{kind="upload"} 1');
  });

  it('include the current gauges', async () => {
    const text = await textOf(metricsWith());
    expect(text).toContain('sallyport_terminals 3');
    expect(text).toContain('sallyport_monitor_leader 1');
    expect(text).toContain('sallyport_webhook_deliveries_waiting 5');
  });

  it('leave out what the database cannot answer', async () => {
    const gone = async () => Promise.reject(new Error('The database is away'));
    const text = await textOf(metricsWith({ gauges: { ...GAUGES, webhook_deliveries_waiting: gone } }));
    expect(text).not.toMatch(/^sallyport_webhook_deliveries_waiting \d/m);
    expect(text).toContain('sallyport_terminals 3');
  });

  it('include event-loop delay and process resources', async () => {
    const text = await textOf(metricsWith());
    expect(text).toMatch(/^sallyport_event_loop_delay_seconds\{quantile="0.99"\} \d/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d/m);
  });

  it('each have a help text', async () => {
    const text = await textOf(metricsWith());
    const names = [...text.matchAll(/^# TYPE (sallyport_\w+) /gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(15);
    for (const name of names) expect(text).toMatch(new RegExp(`^# HELP ${name} \\w`, 'm'));
  });
});
