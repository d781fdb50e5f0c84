import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { AnsweredRequest } from '#api/http/request-log.ts';
import { withDeadline } from '#core/lib/deadline.ts';
import { systemAfter } from '#core/lib/timers.ts';
import type { Counted, Meter } from '#core/ports/meter.ts';

const BUCKETS_S = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 30];
const DELAY_RESOLUTION_MS = 20;
const LONGEST_GAUGE_MS = 2000; // what the database does not tell by then is left out
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Numbers of this process as Prometheus reads them. Nothing that people name is in a label. */
export interface Metrics {
  answered(request: AnsweredRequest): void;
  readonly traffic: Traffic;
  /** In the text format, with its media type. */
  page(): Promise<{ readonly type: string; readonly text: string }>;
  close(): void;
}

/** What comes to this process. */
export interface Traffic {
  /** Counts its connections, and the requests that are under way. */
  watch(server: Server): void;
  /** This connection is a WebSocket from now on. */
  upgraded(socket: Socket): void;
}

/** What is read when somebody asks. */
export type Gauges = Readonly<Record<(typeof GAUGES)[number][0], () => number | Promise<number>>>;

export interface MetricsOptions {
  readonly meter: Pick<Meter, 'total'>;
  readonly gauges: Gauges;
  readonly version: string;
  readonly instance_id: string;
}

const GAUGES = [
  ['terminals', 'Shells that run here'],
  ['transfers', 'Downloads, uploads and other work on files under way'],
  ['sftp_pooled_connections', 'SSH connections that are kept for file access'],
  ['monitor_leader', 'Whether this instance checks the servers: 1, else 0'],
  ['webhook_deliveries_waiting', 'Deliveries that are due now or later, of all instances'],
] as const;

/** Name, label and its values: each told by one count of the meter. */
const COUNTS: readonly {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  readonly of: Readonly<Record<string, Counted>>;
}[] = [
  {
    name: 'terminal_bytes_total',
    help: 'Bytes that people typed (in) and that shells said (out)',
    label: 'direction',
    of: { in: 'terminal_bytes_in', out: 'terminal_bytes_out' },
  },
  {
    name: 'sftp_bytes_total',
    help: 'Bytes of files uploaded (up) and downloaded (down), archives included',
    label: 'direction',
    of: { up: 'bytes_up', down: 'bytes_down' },
  },
  {
    name: 'sftp_transfers_total',
    help: 'Files uploaded, and files and archives whose download began',
    label: 'kind',
    of: { upload: 'uploads', download: 'downloads' },
  },
  {
    name: 'logins_total',
    help: 'Sign-ins',
    label: 'outcome',
    of: { success: 'logins', failure: 'failed_logins' },
  },
  { name: 'monitor_checks_total', help: 'Checks of servers', of: { '': 'monitor_checks' } },
  {
    name: 'monitor_check_failures_total',
    help: 'Checks that found something wrong',
    of: { '': 'monitor_failures' },
  },
  {
    name: 'webhook_attempts_total',
    help: 'Tries to deliver: accepted, to be tried again, or given up',
    label: 'outcome',
    of: { delivered: 'webhook_delivered', retried: 'webhook_retried', failed: 'webhook_failed' },
  },
];

export function createMetrics({ meter, gauges, version, instance_id }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const info = { name: 'sallyport_build_info', help: 'What runs here: always 1' };
  const build = { version, node: process.version, instance_id };
  new Gauge({ ...info, labelNames: Object.keys(build), registers }).set(build, 1);
  registerCounts(registry, meter);
  registerGauges(registry, gauges);
  const http = registerHttp(registry);
  const delay = registerDelay(registry);
  let has_process_metrics = false; // they keep timers and observers: only where somebody reads them

  return {
    answered: http.answered,
    traffic: http.traffic,
    async page() {
      if (!has_process_metrics) collectDefaultMetrics({ register: registry });
      has_process_metrics = true;
      return { type: registry.contentType, text: await registry.metrics() };
    },
    close: () => void delay.disable(),
  };
}

function registerHttp(registry: Registry): Pick<Metrics, 'answered' | 'traffic'> {
  const registers = [registry];
  const labelNames = ['method', 'route', 'status'] as const;
  const requests = new Counter({
    name: 'sallyport_http_requests_total',
    help: 'Requests that were answered',
    labelNames,
    registers,
  });
  const durations = new Histogram({
    name: 'sallyport_http_request_duration_seconds',
    help: 'From the request to the beginning of its answer',
    buckets: BUCKETS_S,
    labelNames,
    registers,
  });
  const under_way = new Gauge({
    name: 'sallyport_http_requests_in_progress',
    help: 'Requests whose answer has not been sent whole',
    registers,
  });
  const connections = new Gauge({
    name: 'sallyport_http_connections',
    help: 'Open connections, those of WebSockets included',
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
        server.on('request', (_request, response) => countWhileOpen(under_way, response));
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

/** A database that is away takes nothing from what this process knows by itself. */
async function known(read: () => number | Promise<number>): Promise<number | undefined> {
  const error = () => new Error(`There was no value within ${LONGEST_GAUGE_MS} ms`);
  const reading = Promise.resolve(read());
  return withDeadline(reading, { after: systemAfter, ms: LONGEST_GAUGE_MS, error }).catch(() => undefined);
}

/** Of the time since somebody read it last. */
function registerDelay(registry: Registry): IntervalHistogram {
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delay.enable();
  new Gauge({
    name: 'sallyport_event_loop_delay_seconds',
    help: 'By how much the event loop was late, since it was read last',
    labelNames: ['quantile'],
    registers: [registry],
    collect() {
      for (const quantile of [0.5, 0.99]) this.set({ quantile }, lateBy(delay, quantile));
      delay.reset();
    },
  });
  return delay;
}

/** The histogram holds the whole interval; without a sample it holds nothing. */
function lateBy(delay: IntervalHistogram, quantile: number): number {
  if (delay.count === 0) return 0;
  return Math.max(0, delay.percentile(quantile * 100) / 1e9 - DELAY_RESOLUTION_MS / 1000);
}
