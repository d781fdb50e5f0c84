import type { Vault } from '../crypto/vault.ts';
import type { WebhookRow } from '../model/webhooks/webhook.ts';
import type { Clock } from '../ports/runtime.ts';

const PREVIOUS_KEPT_MS = 24 * 60 * 60_000; // time for receivers to switch to the new secret

type SecretColumns = Pick<WebhookRow, 'secret_sealed' | 'previous_secret_sealed' | 'previous_secret_until'>;

/** Column changes; empty when nothing changes. */
export type SecretChange = Partial<SecretColumns>;

/** Signing keys, the current one first. */
export interface SigningSecrets {
  readonly present: string | undefined;
  readonly previous: string | undefined;
}

/** Sealed webhook secrets. */
export interface WebhookSecrets {
  /** An empty secret means none. */
  first(id: number, secret: string): Promise<SecretColumns>;
  /** The old secret stays valid for a while; an empty new secret clears both. */
  replace(row: WebhookRow, secret: string): Promise<SecretChange>;
  /** Throws when a secret cannot be decrypted. */
  open(row: WebhookRow): Promise<SigningSecrets>;
}

const NONE: SecretColumns = {
  secret_sealed: null,
  previous_secret_sealed: null,
  previous_secret_until: null,
};

export function createWebhookSecrets({ vault, clock }: { vault: Vault; clock: Clock }): WebhookSecrets {
  const seal = (id: number, secret: string) => vault.seal(secret, 'webhooks.secret', id);
  const open = (id: number, sealed: string) => vault.open(sealed, 'webhooks.secret', id);

  async function previousOf(
    id: number,
    present: string | undefined,
  ): Promise<Omit<SecretColumns, 'secret_sealed'>> {
    if (present === undefined) return { previous_secret_sealed: null, previous_secret_until: null };
    return {
      previous_secret_sealed: await vault.seal(present, 'webhooks.previous_secret', id),
      previous_secret_until: new Date(clock.now().getTime() + PREVIOUS_KEPT_MS).toISOString(),
    };
  }

  return {
    first: async (id, secret) => (secret === '' ? NONE : { ...NONE, secret_sealed: await seal(id, secret) }),

    async replace({ id, secret_sealed }, secret) {
      if (secret === '') return NONE;
      // A secret sealed with a lost key cannot sign any more.
      const present =
        secret_sealed === null ? undefined : await open(id, secret_sealed).catch(() => undefined);
      if (present === secret) return {};
      return { secret_sealed: await seal(id, secret), ...(await previousOf(id, present)) };
    },

    async open({ id, secret_sealed, previous_secret_sealed, previous_secret_until }) {
      const is_valid =
        previous_secret_until !== null && Date.parse(previous_secret_until) > clock.now().getTime();
      const previous = is_valid ? previous_secret_sealed : null;
      return {
        present: secret_sealed === null ? undefined : await open(id, secret_sealed),
        previous: previous === null ? undefined : await vault.open(previous, 'webhooks.previous_secret', id),
      };
    },
  };
}
