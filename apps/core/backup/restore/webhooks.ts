import { Fault } from '../../errors.ts';
import { MAX_WEBHOOKS } from '../../limits.ts';
import type { BackupWebhook } from '../../model/backup/content.ts';
import type { WebhookRow } from '../../model/webhooks/webhook.ts';
import type { Outbound } from '../../ports/outside.ts';
import type { RestorePlan } from '../../ports/repositories/backup.ts';
import type { Restoring } from './context.ts';
import { isSame, planRows, type RowRule } from './rows.ts';
import type { RestoreSecrets } from './secrets.ts';

type Webhooks = RestorePlan['webhooks'];

interface Scene {
  readonly wanted: readonly BackupWebhook[];
  readonly rows: readonly WebhookRow[];
}

type WebhookRestoring = Restoring & { readonly outbound: Pick<Outbound, 'objection'> };

/** Plans webhooks by name and URL. */
export async function planWebhooks(scene: Scene, restoring: WebhookRestoring): Promise<Webhooks> {
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
  nextId,
  outbound,
}: WebhookRestoring): RowRule<BackupWebhook, Webhooks['added'][number], WebhookRow> {
  const stamped = (row: WebhookRow, after: WebhookRow) =>
    isSame(row, after) ? row : { ...after, updated_at: at };
  /** A URL that a person could not save here refuses one webhook, not the bundle. */
  const isEnabled = ({ name, url, enabled }: Pick<BackupWebhook, 'name' | 'url' | 'enabled'>) => {
    const objection = outbound.objection(url);
    if (objection !== undefined) warnings.add(`${name}: restored disabled. ${objection}`);
    return enabled && objection === undefined;
  };
  return {
    keyOf,
    keyOfRow: keyOf,

    async toNew({ secret, previous_secret, ...fields }) {
      if (secret === null)
        warnings.add(`${fields.name}: its secret is not in the bundle; deliveries will not be signed`);
      const id = await nextId('webhooks');
      const none = { id, secret_sealed: null, previous_secret_sealed: null };
      return {
        id,
        ...fields,
        enabled: isEnabled(fields),
        last_fired_at: null,
        last_status: null,
        ...(await sealedFields(none, { secret, previous_secret }, secrets.replaced)),
        updated_at: at,
      };
    },

    async replaced(row, { secret, previous_secret, created_at: _at, ...fields }) {
      const sealed = await sealedFields(row, { secret, previous_secret }, secrets.replaced);
      return stamped(row, { ...row, ...fields, enabled: isEnabled(fields), ...sealed });
    },

    async repaired(row, wanted) {
      return stamped(row, { ...row, ...(await sealedFields(row, wanted, secrets.repaired)) });
    },
  };
}

type SealedFields = Pick<WebhookRow, 'secret_sealed' | 'previous_secret_sealed'>;

async function sealedFields(
  { id, secret_sealed, previous_secret_sealed }: SealedFields & Pick<WebhookRow, 'id'>,
  { secret, previous_secret }: Pick<BackupWebhook, 'secret' | 'previous_secret'>,
  plan: RestoreSecrets['replaced'],
): Promise<SealedFields> {
  const previous = { place: 'webhooks.previous_secret', id, sealed: previous_secret_sealed } as const;
  return {
    secret_sealed: await plan({ place: 'webhooks.secret', id, sealed: secret_sealed }, secret),
    previous_secret_sealed: await plan(previous, previous_secret),
  };
}

function keyOf({ name, url }: { readonly name: string; readonly url: string }): string {
  return JSON.stringify([name, url]);
}
