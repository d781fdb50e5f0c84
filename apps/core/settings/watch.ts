import type { Job } from '../lifecycle.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import type { BrandingService } from './branding.ts';
import type { Settings } from './settings.ts';

const INTERVAL_MS = 2000;

interface Deps {
  readonly settings: Pick<Settings, 'refresh'>;
  readonly branding: Pick<BrandingService, 'refresh'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Loads settings and branding before the first request, then picks up changes by other instances. */
export function createSettingsJob({ settings, branding, clock, log }: Deps): Job {
  let is_failing = false;
  let is_stopped = false;
  let cancel = () => {};
  let polling = Promise.resolve();

  async function refresh(): Promise<void> {
    await settings.refresh();
    await branding.refresh();
  }

  async function poll(): Promise<void> {
    try {
      await refresh();
      is_failing = false;
    } catch (err) {
      if (!is_failing) log.warn({ err }, 'The settings cannot be read: the last known values stay in force');
      is_failing = true;
    }
    schedule();
  }

  function schedule(): void {
    if (is_stopped) return;
    cancel = clock.after(INTERVAL_MS, () => {
      polling = poll();
    });
  }

  return {
    name: 'settings',
    async start() {
      await refresh();
      schedule();
    },
    async stop() {
      is_stopped = true;
      cancel();
      await polling;
    },
  };
}
