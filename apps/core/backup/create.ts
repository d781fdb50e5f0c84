import type { ActivityRegistry } from '../activities/registry.ts';
import type { ActivityRights } from '../activities/rights.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { AuditSeal } from '../crypto/audit-seal.ts';
import type { Vault } from '../crypto/vault.ts';
import type { RefusedServers } from '../hosts/known-hosts/refused-servers.ts';
import type { Files } from '../ports/files.ts';
import type { DeriveKey, Images, Outbound } from '../ports/outside.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import type { BrandingService } from '../settings/branding.ts';
import type { Settings } from '../settings/settings.ts';
import { type Backups, createBackups } from './backups.ts';
import type { BackupCost } from './pack/bundle.ts';
import { createAfterRestore } from './restore/after-restore.ts';

export interface BackupServices {
  readonly backups: Backups;
}

export interface BackupPorts {
  readonly repositories: Pick<Repositories, 'backups' | 'audit' | 'server_statuses'>;
  readonly files: Files;
  readonly outbound: Outbound;
  readonly images: Images;
  readonly deriveKey: DeriveKey;
  readonly backup_cost: BackupCost;
  readonly clock: Clock;
  readonly background: Background;
}

export interface BackupOptions {
  readonly version: string;
  readonly config_locked: boolean;
}

interface Deps {
  readonly vault: Vault;
  readonly seal: AuditSeal;
  readonly trail: AuditTrail;
  readonly activities: ActivityRegistry;
  readonly rights: ActivityRights;
  readonly settings: Settings;
  readonly branding: BrandingService;
  readonly refused_servers: RefusedServers;
}

export function createBackupFeature(ports: BackupPorts, deps: Deps, options: BackupOptions) {
  const { repositories, files, outbound, images, deriveKey, backup_cost, clock, background } = ports;
  const { vault, seal, trail } = deps;
  const { version, config_locked } = options;
  const afterRestore = createAfterRestore({ ...deps, repositories, files });
  const services: BackupServices = {
    backups: createBackups({
      repositories,
      vault,
      seal,
      deriveKey,
      images,
      outbound,
      clock,
      version,
      config_locked,
      backup_cost,
      trail,
      afterRestore,
      background,
    }),
  };
  return { services };
}
