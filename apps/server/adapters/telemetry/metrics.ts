import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type MetricType, Registry } from 'prom-client';
import type { AnsweredRequest } from '#api/http/request-log.ts';
import { withDeadline } from '#core/lib/time/deadline.ts';
import { systemAfter } from '#core/lib/time/timers.ts';
import type { Counted, Meter } from '#core/ports/meter.ts';

const BUCKETS_S = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 30];
const DELAY_RESOLUTION_MS = 20;
const GAUGE_TIMEOUT_MS = 2000; // a value that the database does not return by then is left out
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Metrics of this process for Prometheus. Labels never contain names that people chose. */
export interface Metrics {
  answered(request: AnsweredRequest): void;
  readonly traffic: Traffic;
  /** In the Prometheus text format, with its media type. */
  page(): Promise<{ readonly type: string; readonly text: string }>;
  close(): void;
}

/** Connections and requests of this process. */
export interface Traffic {
  /** Counts open connections and requests in progress. */
  watch(server: Server): void;
  /** The connection has become a WebSocket. */
  upgraded(socket: Socket): void;
}

/** Read on every scrape. */
export type Gauges = Readonly<Record<(typeof GAUGES)[number][0], () => number | Promise<number>>>;

export interface MetricsOptions {
  readonly meter: Pick<Meter, 'total'>;
  readonly gauges: Gauges;
  readonly version: string;
  readonly instance_id: string;
}

const GAUGES = [
  ['terminals', 'Running shells'],
  ['transfers', 'Downloads, uploads and other file operations in progress'],
  ['sftp_pooled_connections', 'Pooled SSH connections for file access'],
  ['monitor_leader', '1 if this instance checks the servers, else 0'],
  ['webhook_deliveries_waiting', 'Pending deliveries of all instances'],
  ['keeper_connected', '1 while a keeper is in use, else 0'],
  ['keeper_terminals', 'Shells of this instance that a keeper holds'],
  ['recordings_waiting', 'Recording files here that are not in the store yet; 0 without a store'],
  ['recordings_waiting_bytes', 'Size of the files that are not in the store yet; 0 without a store'],
] as const;

/** Each label value is one count of the meter. */
const COUNTS: readonly {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  readonly of: Readonly<Record<string, Counted>>;
}[] = [
  {
    name: 'terminal_bytes_total',
    help: 'Bytes from people to shells (in) and from shells to people (out)',
    label: 'direction',
    of: { in: 'terminal_bytes_in', out: 'terminal_bytes_out' },
  },
  {
    name: 'sftp_bytes_total',
    help: 'Bytes uploaded (up) and downloaded (down), including archives, and copied between servers (copy)',
    label: 'direction',
    of: { up: 'bytes_up', down: 'bytes_down', copy: 'bytes_copied' },
  },
  {
    name: 'sftp_transfers_total',
    help: 'Uploaded files, started downloads of files and archives, and files copied between servers',
    label: 'kind',
    of: { upload: 'uploads', download: 'downloads', copy: 'copies' },
  },
  {
    name: 'logins_total',
    help: 'Sign-ins',
    label: 'outcome',
    of: { success: 'logins', failure: 'failed_logins' },
  },
  { name: 'monitor_checks_total', help: 'Server checks', of: { '': 'monitor_checks' } },
  {
    name: 'monitor_check_failures_total',
    help: 'Server checks that failed',
    of: { '': 'monitor_failures' },
  },
  {
    name: 'webhook_attempts_total',
    help: 'Delivery attempts: delivered, to be retried, or failed for good',
    label: 'outcome',
    of: { delivered: 'webhook_delivered', retried: 'webhook_retried', failed: 'webhook_failed' },
  },
];

export function createMetrics({ meter, gauges, version, instance_id }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const info = { name: 'sallyport_build_info', help: 'Version of this process; always 1' };
  const build = { version, node: process.version, instance_id };
  new Gauge({ ...info, labelNames: Object.keys(build), registers }).set(build, 1);
  registerCounts(registry, meter);
  registerGauges(registry, gauges);
  const http = registerHttp(registry);
  const delay = registerDelay(registry);
  let has_process_metrics = false; // they keep timers and observers, so they start with the first scrape

  return {
    answered: http.answered,
    traffic: http.traffic,
    async page() {
      if (!has_process_metrics) collectProcessMetrics(registry);
      has_process_metrics = true;
      return { type: registry.contentType, text: await registry.metrics() };
    },
    close: () => void delay.disable(),
  };
}

/** Without three sums of others, which are gauges with the name of a counter. */
function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const what of ['resources', 'handles', 'requests']) {
    registry.removeSingleMetric(`nodejs_active_${what}_total`);
  }
}

function registerHttp(registry: Registry): Pick<Metrics, 'answered' | 'traffic'> {
  const registers = [registry];
  const labelNames = ['method', 'route', 'status'] as const;
  const requests = new Counter({
    name: 'sallyport_http_requests_total',
    help: 'Answered requests',
    labelNames,
    registers,
  });
  const durations = new Histogram({
    name: 'sallyport_http_request_duration_seconds',
    help: 'Time from a request to the start of its response',
    buckets: BUCKETS_S,
    labelNames,
    registers,
  });
  const in_progress = new Gauge({
    name: 'sallyport_http_requests_in_progress',
    help: 'Requests whose response is not complete',
    registers,
  });
  const connections = new Gauge({
    name: 'sallyport_http_connections',
    help: 'Open connections, including WebSockets',
    registers,
  });
  const sockets = new Gauge({ name: 'sallyport_websockets', help: 'Open WebSockets', registers });
  return {
    answered({ method, route = 'none', status, seconds }) {
      const labels = { method: METHODS.has(method) ? method : 'other', route, status };
      requests.inc(labels);
      durations.observe(labels, seconds);
    },
    traffic: {
      watch(server) {
        server.on('connection', (socket) => countWhileOpen(connections, socket));
        server.on('request', (_request, response) => countWhileOpen(in_progress, response));
      },
      upgraded: (socket) => countWhileOpen(sockets, socket),
    },
  };
}

function countWhileOpen(gauge: Gauge, what: { once(event: 'close', run: () => void): unknown }): void {
  gauge.inc();
  what.once('close', () => gauge.dec());
}

function registerCounts(registry: Registry, meter: Pick<Meter, 'total'>): void {
  for (const { name, help, label, of } of COUNTS) {
    new Counter({
      name: `sallyport_${name}`,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [registry],
      collect() {
        this.reset();
        for (const [value, counted] of Object.entries(of)) {
          this.inc(label === undefined ? {} : { [label]: value }, meter.total(counted));
        }
      },
    });
  }
}

function registerGauges(registry: Registry, gauges: Gauges): void {
  for (const [name, help] of GAUGES) {
    new Gauge({
      name: `sallyport_${name}`,
      help,
      registers: [registry],
      async collect() {
        const value = await known(gauges[name]);
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  }
}

/** Undefined when the database is down: the other metrics are still served. */
async function known(read: () => number | Promise<number>): Promise<number | undefined> {
  const error = () => new Error(`No value within ${GAUGE_TIMEOUT_MS} ms`);
  const reading = Promise.resolve(read());
  return withDeadline(reading, { after: systemAfter, ms: GAUGE_TIMEOUT_MS, error }).catch(() => undefined);
}

/** Measured since the last scrape. */
function registerDelay(registry: Registry): IntervalHistogram {
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delay.enable();
  const summary = new Gauge({
    name: 'sallyport_event_loop_delay_seconds',
    help: 'Delay of the event loop since the last scrape',
    labelNames: ['quantile'],
    registers: [],
    collect() {
      for (const quantile of [0.5, 0.99]) this.set({ quantile }, lateBy(delay, quantile));
      delay.reset();
    },
  });
  registry.registerMetric(asSummary(summary));
  return delay;
}

/** Only summaries may have quantiles. Guarantee: in prom-client a type is its name, though declared as a number. */
function asSummary(gauge: Gauge<'quantile'>): Gauge<'quantile'> {
  const type = 'summary' as unknown as MetricType;
  const get = async () => ({ ...(await gauge.get()), type });
  return Object.assign(Object.create(gauge), { get });
}

/** The histogram includes the resolution; without a sample it is empty. */
function lateBy(delay: IntervalHistogram, quantile: number): number {
  if (delay.count === 0) return 0;
  return Math.max(0, delay.percentile(quantile * 100) / 1e9 - DELAY_RESOLUTION_MS / 1000);
}
