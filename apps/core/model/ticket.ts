import { z } from 'zod';
import type { Credential } from './caller.ts';

/** A short-lived stand-in for a token where a browser can send no header; only its digest is stored. */
export interface TicketRow {
  readonly digest: string;
  readonly purpose: 'socket' | 'file' | 'archive' | 'recording';
  /** Taken away, it takes the ticket along. */
  readonly credential: Credential;
  /** What it opens, and nothing else; null for `socket` and `recording`. */
  readonly server_id: number | null;
  /** Of `archive`: a ZipInput as JSON; of `recording`: its id. */
  readonly path: string | null;
  readonly expires_at: string;
}

export const Ticket = z
  .object({ ticket: z.string(), expires_in: z.int().describe('Seconds') })
  .meta({ id: 'Ticket' });
export type Ticket = z.infer<typeof Ticket>;
