import type { Changes } from '../instances/changes.ts';
import type { Job } from '../lifecycle.ts';
import type { Log } from '../ports/runtime.ts';
import type { BrandingService } from './branding.ts';
import type { Settings } from './settings.ts';

const EVERY_MS = 2000;
const CALM_MS = 30_000;

interface Deps {
  readonly settings: Pick<Settings, 'refresh'>;
  readonly branding: Pick<BrandingService, 'refresh'>;
  readonly changes: Pick<Changes, 'follow'>;
  readonly log: Log;
}

/** Loads settings and branding before the first request, then picks up changes by other instances. */
export function createSettingsJob({ settings, branding, changes, log }: Deps): Job {
  let is_failing = false;
  let looking = Promise.resolve();
  let leave = () => {};

  async function refresh(): Promise<void> {
    await settings.refresh();
    await branding.refresh();
  }

  async function look(): Promise<void> {
    try {
      await refresh();
      is_failing = false;
    } catch (err) {
      if (!is_failing) log.warn({ err }, 'The settings cannot be read: the last known values stay in force');
      is_failing = true;
    }
  }

  return {
    name: 'settings',
    async start() {
      await refresh();
      leave = changes.follow({
        topics: ['settings'],
        every_ms: EVERY_MS,
        calm_ms: CALM_MS,
        look: () => {
          looking = look();
          return looking;
        },
      });
    },
    async stop() {
      leave();
      await looking;
    },
  };
}
