import { z } from 'zod';
import { NamedCredential, Transport } from '../model/accounts/caller.ts';
import { HopConnection } from '../model/hosts/hop-connection.ts';
import { ShareMode } from '../model/terminal.ts';

/** What the next gateway must know about a terminal. Only in the memory of the keeper: the token of a share is a secret. */
export const KeptTerminal = z.object({
  session_id: z.string(),
  owner: z.object({
    user_id: z.int(),
    username: z.string(),
    credential: NamedCredential,
  }),
  server: z.object({ id: z.int().nullable(), name: z.string() }),
  /** The name in audit entries. */
  label: z.string(),
  /** Who opened it, in audit entries. */
  ip_address: z.string(),
  /** Null when a gateway of another version kept it and this one does not know its transport. */
  via: Transport.nullable().default(null).catch(null),
  started_at: z.string(),
  /** Since when the owner is away; null while attached. */
  away_since: z.string().nullable(),
  recording_id: z.int().nullable(),
  share: z
    .object({ token: z.string(), mode: ShareMode, expires_at: z.string().nullable() })
    .nullable()
    .default(null),
  connection: z.array(HopConnection).default([]),
});
export type KeptTerminal = z.infer<typeof KeptTerminal>;
