import type { Connections } from '../hosts/connections.ts';
import type { Changes } from '../instances/changes.ts';
import type { Bell } from '../lib/concurrency/bell.ts';
import type { Job } from '../lifecycle.ts';
import type { InForce } from '../model/settings/setting.ts';
import type { Meter } from '../ports/meter.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import type { Prober } from '../ports/ssh.ts';
import { createServerEvents, type ServerEvents } from './events.ts';
import { createMonitor, type Monitor, type MonitorOptions } from './monitor.ts';
import { createSweeps } from './sweeps.ts';

export interface MonitorServices {
  readonly monitor: Monitor;
  readonly server_events: ServerEvents;
}

export interface MonitorPorts {
  readonly repositories: Pick<
    Repositories,
    'monitor_lease' | 'servers' | 'server_statuses' | 'web_sessions' | 'api_keys'
  >;
  readonly prober: Prober;
  readonly meter: Meter;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
}

export interface MonitorFeatureOptions {
  readonly instance_id: string;
  readonly monitor: MonitorOptions;
}

interface Deps {
  readonly connections: Connections;
  readonly settings: InForce<'monitor_interval' | 'monitor_timeout' | 'monitor_concurrency'>;
  readonly bell: Bell;
  readonly changes: Changes;
}

export function createMonitorFeature(
  ports: MonitorPorts,
  { connections, settings, bell, changes }: Deps,
  { instance_id, monitor: options }: MonitorFeatureOptions,
) {
  const { repositories, prober, meter, clock, background, log } = ports;
  const sweeps = createSweeps({ repositories, connections, prober, meter, settings, bell, clock, log });
  const monitor = createMonitor(
    { repositories, sweeps, settings, changes, instance_id, clock, background, log },
    options,
  );
  const server_events = createServerEvents({ repositories, changes, clock, background });
  const services: MonitorServices = { monitor, server_events };
  const monitor_job: Job = {
    name: 'monitor',
    start: monitor.start,
    handOver: release,
    drain: release,
    stop: monitor.stop,
  };
  const events_job: Job = {
    name: 'server events',
    drain: server_events.close,
    stop: server_events.close,
  };

  /** Shutdown does not wait for the database: the lease expires. */
  function release(): void {
    const stopped = monitor
      .stop()
      .catch((err: unknown) => log.warn({ err }, 'The monitor lease could not be released'));
    background.run('stop the monitor', stopped);
  }

  return { services, jobs: [monitor_job, events_job] };
}
