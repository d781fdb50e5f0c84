import { Fault } from '../../errors.ts';
import type { BackupWebhook } from '../../model/backup-content.ts';
import { MAX_WEBHOOKS } from '../../model/limits.ts';
import type { WebhookRow } from '../../model/webhook.ts';
import type { RestorePlan } from '../../ports/repositories/backup.ts';
import type { Restoring } from './context.ts';
import { isSame, planRows, type RowRule } from './rows.ts';

type Webhooks = RestorePlan['webhooks'];

interface Scene {
  readonly wanted: readonly BackupWebhook[];
  readonly rows: readonly WebhookRow[];
}

/** Plans webhooks by name and URL. */
export async function planWebhooks(scene: Scene, restoring: Restoring): Promise<Webhooks> {
  const changes = await planRows(restoring.mode, scene, ruleOf(restoring));
  const { length } = scene.rows;
  const is_full = length + changes.added.length - changes.removed.length > MAX_WEBHOOKS;
  if (is_full && changes.added.length > 0) throw new Fault('too_many_webhooks');
  return changes;
}

function ruleOf({
  at,
  secrets,
  warnings,
}: Restoring): RowRule<BackupWebhook, Webhooks['added'][number], WebhookRow> {
  const stamped = (row: WebhookRow, after: WebhookRow) =>
    isSame(row, after) ? row : { ...after, updated_at: at };
  return {
    keyOf,
    keyOfRow: keyOf,

    async toNew({ secret, previous_secret, ...fields }) {
      if (secret === null)
        warnings.add(`${fields.name}: its secret is not in the bundle; deliveries will not be signed`);
      return {
        ...fields,
        last_fired_at: null,
        last_status: null,
        secret_sealed: await secrets.replaced('webhooks.secret', null, secret),
        previous_secret_sealed: await secrets.replaced('webhooks.previous_secret', null, previous_secret),
        updated_at: at,
      };
    },

    async replaced(row, { secret, previous_secret, created_at: _at, ...fields }) {
      const { secret_sealed, previous_secret_sealed: previous } = row;
      return stamped(row, {
        ...row,
        ...fields,
        secret_sealed: await secrets.replaced('webhooks.secret', secret_sealed, secret),
        previous_secret_sealed: await secrets.replaced('webhooks.previous_secret', previous, previous_secret),
      });
    },

    async repaired(row, { secret, previous_secret }) {
      const { secret_sealed, previous_secret_sealed: previous } = row;
      return stamped(row, {
        ...row,
        secret_sealed: await secrets.repaired('webhooks.secret', secret_sealed, secret),
        previous_secret_sealed: await secrets.repaired('webhooks.previous_secret', previous, previous_secret),
      });
    },
  };
}

function keyOf({ name, url }: { readonly name: string; readonly url: string }): string {
  return JSON.stringify([name, url]);
}
