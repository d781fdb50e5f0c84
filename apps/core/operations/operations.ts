import { type Backups, createBackups } from '../backup/backups.ts';
import type { BackupCost } from '../backup/pack/bundle.ts';
import { createAftermath } from '../backup/restore/aftermath.ts';
import type { AuditSeal } from '../crypto/audit-seal.ts';
import { createOverview, type OverviewService } from '../overview/overview.ts';
import type { Meter } from '../ports/meter.ts';
import type { DeriveKey, Images, Outbound } from '../ports/outside.ts';
import type { Common } from '../services.ts';
import { type BrandingService, createBranding } from '../settings/branding.ts';
import type { SettingOptions } from '../settings/settings.ts';
import { startWebhookDelivery } from '../webhooks/delivery.ts';
import { createWebhookSecrets } from '../webhooks/secrets.ts';
import { createWebhooks, type Webhooks } from '../webhooks/webhooks.ts';

/** What the person who runs the gateway has. */
export interface OperationServices {
  readonly webhooks: Webhooks;
  /** Sends what waits for them; the returned function stops it. */
  deliverWebhooks(): () => void;
  readonly branding: BrandingService;
  readonly backups: Backups;
  readonly overview: OverviewService;
}

export interface OperationPorts {
  readonly outbound: Outbound;
  readonly images: Images;
  readonly deriveKey: DeriveKey;
  readonly backup_cost: BackupCost;
  readonly meter: Meter;
}

/** With what vouches for the audit log: a bundle brings chains along. */
type Sealing = Common & { readonly seal: AuditSeal };

export interface OperationOptions extends SettingOptions {
  readonly version: string;
}

export function operationServices(common: Sealing, options: OperationOptions): OperationServices {
  const secrets = createWebhookSecrets(common);
  const branding = createBranding(common);
  return {
    webhooks: createWebhooks({ ...common, secrets }),
    deliverWebhooks: () => startWebhookDelivery({ ...common, secrets }),
    branding,
    backups: createBackups({ ...common, ...options, aftermath: createAftermath({ ...common, branding }) }),
    overview: createOverview(common, options),
  };
}
