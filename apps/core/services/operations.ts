import type { SettingValues } from '../model/setting.ts';
import type { Meter } from '../ports/meter.ts';
import type { DeriveKey, Images, Outbound } from '../ports/outside.ts';
import { type Backups, createBackups } from './backups.ts';
import { type BrandingService, createBranding } from './branding.ts';
import { createOverview, type OverviewService } from './overview.ts';
import type { Common } from './services.ts';
import { createWebhooks, type Webhooks } from './webhooks.ts';

/** What the person who runs the gateway has. */
export interface OperationServices {
  readonly webhooks: Webhooks;
  readonly branding: BrandingService;
  readonly backups: Backups;
  readonly overview: OverviewService;
}

export interface OperationPorts {
  readonly outbound: Outbound;
  readonly images: Images;
  readonly deriveKey: DeriveKey;
  readonly meter: Meter;
}

export interface OperationOptions {
  readonly config_locked: boolean;
  /** What the environment says of the settings. */
  readonly setting_values: Readonly<SettingValues>;
  readonly version: string;
}

export function operationServices(_common: Common, options: OperationOptions): OperationServices {
  return {
    webhooks: createWebhooks(),
    branding: createBranding(),
    backups: createBackups(),
    overview: createOverview(options),
  };
}
