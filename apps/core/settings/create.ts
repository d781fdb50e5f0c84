import type { AuditTrail } from '../audit/trail.ts';
import type { Changes } from '../instances/changes.ts';
import type { Images } from '../ports/outside.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import { type BrandingService, createBranding } from './branding.ts';
import { createSettings, type SettingOptions, type Settings } from './settings.ts';
import { createSettingsJob } from './watch.ts';

export interface SettingServices {
  readonly settings: Settings;
  readonly branding: BrandingService;
}

export interface SettingPorts {
  readonly repositories: Pick<Repositories, 'settings' | 'branding'>;
  readonly images: Images;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
}

interface Deps {
  readonly trail: AuditTrail;
  readonly changes: Changes;
}

export function createSettingsFeature(
  { repositories, images, clock, background, log }: SettingPorts,
  { trail, changes }: Deps,
  options: SettingOptions,
) {
  const settings = createSettings({ repositories, trail, background, clock, log }, options);
  const branding = createBranding({ repositories, images, trail, background, clock }, options);
  const services: SettingServices = { settings, branding };
  return { services, jobs: [createSettingsJob({ settings, branding, changes, log })] };
}
