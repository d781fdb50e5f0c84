import type { After } from '../lib/timers.ts';
import type { Background, Log } from '../ports/runtime.ts';
import type { BrandingService } from './branding.ts';
import type { Settings } from './settings.ts';

const ROUND_MS = 2000;

interface Deps {
  readonly settings: Pick<Settings, 'refresh'>;
  readonly branding: Pick<BrandingService, 'refresh'>;
  readonly background: Background;
  readonly log: Log;
}

/** Takes up what other instances have set; the function that the returned one gives stops it. */
export function createSettingsWatch({ settings, branding, background, log }: Deps) {
  let is_failing = false;

  async function look(): Promise<void> {
    try {
      await settings.refresh();
      await branding.refresh();
      is_failing = false;
    } catch (err) {
      if (!is_failing) log.warn({ err }, 'The settings cannot be read: what was read last holds');
      is_failing = true;
    }
  }

  return (after: After): (() => void) => {
    let is_stopped = false;
    let cancel = after(ROUND_MS, round);
    function round(): void {
      const next = () => {
        if (!is_stopped) cancel = after(ROUND_MS, round);
      };
      background.run('look after the settings', look().finally(next));
    }
    return () => {
      is_stopped = true;
      cancel();
    };
  };
}
