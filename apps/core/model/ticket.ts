import { z } from 'zod';
import type { Credential } from './caller.ts';

/** A short-lived replacement for a token where a browser cannot send a header; only its digest is stored. */
export interface TicketRow {
  readonly digest: string;
  /** An embedded session's sockets have a purpose of their own, which versions that know no such sessions refuse. */
  readonly purpose: 'socket' | 'embedded_socket' | 'file' | 'archive' | 'recording' | 'embed';
  /** Revoking it revokes the ticket. */
  readonly credential: Credential;
  /** The only server it is valid for; null for sockets and `recording`. */
  readonly server_id: number | null;
  /** For `archive` a ZipInput as JSON; for `recording` its id; for `embed` kind and mode as JSON. */
  readonly path: string | null;
  readonly expires_at: string;
}

export const Ticket = z
  .object({ ticket: z.string(), expires_in: z.int().describe('Seconds') })
  .meta({ id: 'Ticket' });
export type Ticket = z.infer<typeof Ticket>;
