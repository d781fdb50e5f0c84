import { z } from 'zod';
import { Id, Instant } from './fields.ts';

/** How long a ticket for an embedded session can be exchanged. */
export const EMBED_TICKET_S = { default: 60, min: 10, max: 600 } as const;
/** How long one lives until it is renewed for the first time, so that a page that crashes at its start blocks no others. */
export const EMBED_FIRST_S = 5 * 60;
/** How long an embedded session lives after each renewal. */
export const EMBED_TOKEN_S = 15 * 60;
/** After this, a new ticket is needed. */
export const EMBED_MOST_S = 12 * 60 * 60;

export const EmbedKind = z.enum(['terminal', 'files']).meta({ id: 'EmbedKind' });
export type EmbedKind = z.infer<typeof EmbedKind>;

export const EmbedMode = z.enum(['rw', 'ro']).meta({
  id: 'EmbedMode',
  description: '`ro`: a terminal that sends no input, or files that cannot be changed',
});
export type EmbedMode = z.infer<typeof EmbedMode>;

/** All that an embedded session reaches. */
export const EmbedBounds = z.object({ server_id: Id, kind: EmbedKind, mode: EmbedMode });
export type EmbedBounds = z.infer<typeof EmbedBounds>;

/** An embed as stored with its session. */
export interface StoredEmbed extends EmbedBounds {
  /** Cannot be renewed beyond this. */
  readonly ends_at: string;
}

export const EmbedTicketInput = z
  .strictObject({
    server_id: Id,
    kind: EmbedKind,
    mode: EmbedMode.default('rw'),
    expires_in: z
      .int()
      .min(EMBED_TICKET_S.min)
      .max(EMBED_TICKET_S.max)
      .default(EMBED_TICKET_S.default)
      .describe('Seconds until the ticket expires'),
  })
  .meta({ id: 'EmbedTicketInput' });
export type EmbedTicketInput = z.infer<typeof EmbedTicketInput>;

export const EmbedExchange = z
  .strictObject({ ticket: z.string().min(1).max(100) })
  .meta({ id: 'EmbedExchange' });

export const EmbedSession = z
  .object({
    access_token: z.string(),
    token_type: z.literal('bearer'),
    expires_in: z.int().describe('Seconds; renew the session before'),
    ends_at: Instant.describe('The session cannot be renewed beyond this'),
    kind: EmbedKind,
    mode: EmbedMode,
    username: z.string().describe('Who acts'),
    server: z.object({
      id: Id,
      name: z.string(),
      sftp_read_only: z.boolean().describe('Always true with the mode `ro`'),
      sftp_allowed_paths: z.array(z.string()),
    }),
  })
  .meta({ id: 'EmbedSession' });
export type EmbedSession = z.infer<typeof EmbedSession>;

/** What an administrator needs to embed elements in other sites. */
export const EmbedSetup = z
  .object({
    allowed_origins: z.array(z.string()).describe('`SERVICE_ALLOWED_ORIGINS`'),
    frame_ancestors: z.array(z.string()).describe('`SERVICE_FRAME_ANCESTORS`'),
    integrity: z
      .string()
      .nullable()
      .describe('For the script tag of `/embed/sallyport.js`; null when the pages are not built'),
  })
  .meta({ id: 'EmbedSetup' });
export type EmbedSetup = z.infer<typeof EmbedSetup>;

/** The embed of a session in lists. */
export const EmbedInfo = EmbedBounds.extend({
  server_name: z.string().describe('Empty when the server was deleted'),
}).meta({ id: 'EmbedInfo', description: 'What an embedded session reaches' });

export function toBounds({ server_id, kind, mode }: EmbedBounds): EmbedBounds {
  return { server_id, kind, mode };
}

/** In audit entries. */
export function embedLabel({ server_id, kind, mode }: EmbedBounds, name = 'server'): string {
  return `${kind} (${mode}) of ${name} (#${server_id})`;
}
