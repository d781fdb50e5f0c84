import type { Backups } from '#core/backup/backups.ts';
import { exportBackup, restoreBackup } from '../contract/backup.ts';
import type { Router } from '../http/router.ts';

export function mountBackups(router: Router, backups: Backups): void {
  router.on(exportBackup, async (c) => c.json(await backups.export(c.var.caller, c.req.valid('json')), 200));

  router.on(restoreBackup, async (c) =>
    c.json(await backups.restore(c.var.caller, c.req.valid('json')), 200),
  );
}
