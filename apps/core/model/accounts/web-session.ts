import { z } from 'zod';
import { EmbedInfo, type StoredEmbed } from '../embed.ts';
import { Instant } from '../fields.ts';

export const WebSession = z
  .object({
    id: z.string(),
    created_at: Instant,
    last_seen_at: Instant.describe('Updated at most once a minute'),
    ip_address: z.string(),
    user_agent: z.string(),
    current: z.boolean().describe('The session of this request'),
    embed: EmbedInfo.nullable().describe('Null: a sign-in'),
  })
  .meta({ id: 'WebSession' });
export type WebSession = z.infer<typeof WebSession>;

/** The row behind a session token: `id` is the token's `jti`. */
export interface WebSessionRow extends Omit<WebSession, 'current' | 'embed'> {
  readonly user_id: number;
  readonly expires_at: string;
  /** Until when routes that need a recent proof accept the session; null: an older version started it. */
  readonly fresh_until: string | null;
  /** Null: a sign-in. */
  readonly embed: StoredEmbed | null;
  /** What minted the ticket of an embedded session, which ends with it. */
  readonly minted_session_id: string | null;
  readonly minted_key_id: number | null;
}

/** The row behind a `pending_2fa` token: `id` is the token's `jti`. */
export interface PendingSignInRow {
  readonly id: string;
  readonly user_id: number;
  readonly expires_at: string;
}
