import { z } from 'zod';
import type { Credential } from './caller.ts';

/** A short-lived stand-in for a token where a browser can send no header; only its digest is stored. */
export interface TicketRow {
  readonly digest: string;
  readonly purpose: 'socket' | 'file';
  /** Taken away, it takes the ticket along. */
  readonly credential: Credential;
  /** Set for `file`: what it opens, and nothing else. */
  readonly server_id: number | null;
  readonly path: string | null;
  readonly expires_at: string;
}

export const Ticket = z
  .object({ ticket: z.string(), expires_in: z.int().describe('Seconds') })
  .meta({ id: 'Ticket' });
export type Ticket = z.infer<typeof Ticket>;
