import { z } from 'zod';
import { EmbedBounds } from '../embed.ts';
import { Id } from '../fields.ts';
import { ZipInput } from '../files/file-change.ts';
import type { Credential } from './caller.ts';

/** What a ticket is for, and all that it is valid for. */
export const TicketPayload = z.discriminatedUnion('purpose', [
  z.object({ purpose: z.literal('socket') }),
  // Versions that know no embedded sessions refuse it.
  z.object({ purpose: z.literal('embedded_socket') }),
  z.object({ purpose: z.literal('file'), server_id: Id, path: z.string() }),
  ZipInput.extend({ purpose: z.literal('archive'), server_id: Id }),
  z.object({ purpose: z.literal('recording'), recording_id: Id }),
  EmbedBounds.extend({ purpose: z.literal('embed') }),
]);
export type TicketPayload = z.infer<typeof TicketPayload>;

export type TicketPurpose = TicketPayload['purpose'];

/** A short-lived replacement for a token where a browser cannot send a header; only its digest is stored. */
export interface TicketRow {
  readonly digest: string;
  /** Revoking it revokes the ticket. */
  readonly credential: Credential;
  readonly payload: TicketPayload;
  readonly expires_at: string;
}

export const Ticket = z
  .object({ ticket: z.string(), expires_in: z.int().describe('Seconds') })
  .meta({ id: 'Ticket' });
export type Ticket = z.infer<typeof Ticket>;
