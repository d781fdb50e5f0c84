import { z } from 'zod';
import type { Credential } from './caller.ts';

/** A short-lived replacement for a token where a browser cannot send a header; only its digest is stored. */
export interface TicketRow {
  readonly digest: string;
  readonly purpose: 'socket' | 'file' | 'archive' | 'recording';
  /** Revoking it revokes the ticket. */
  readonly credential: Credential;
  /** The only server it is valid for; null for `socket` and `recording`. */
  readonly server_id: number | null;
  /** For `archive` a ZipInput as JSON; for `recording` its id. */
  readonly path: string | null;
  readonly expires_at: string;
}

export const Ticket = z
  .object({ ticket: z.string(), expires_in: z.int().describe('Seconds') })
  .meta({ id: 'Ticket' });
export type Ticket = z.infer<typeof Ticket>;
