import { z } from 'zod';
import { AlgorithmSet } from './server.ts';

/** Part files that are left on the host of a deleted server, and how to reach it. */
export interface PartRemovalRow {
  readonly server_id: number;
  readonly server_name: string;
  /** The hops as JSON, sealed: they contain credentials. */
  readonly connection_sealed: string;
  readonly failures: number;
  /** When the server was deleted. */
  readonly created_at: string;
  readonly next_at: string;
}

export interface LeftPart {
  readonly id: string;
  readonly part_path: string;
}

/** A hop of the connection to a deleted server. */
export const KeptHop = z.object({
  server_id: z.int(),
  name: z.string(),
  hostname: z.string(),
  port: z.int(),
  username: z.string(),
  auth: z.discriminatedUnion('method', [
    z.object({ method: z.literal('password'), password: z.string() }),
    z.object({ method: z.literal('key'), private_key: z.string(), passphrase: z.string() }),
  ]),
  algorithms: AlgorithmSet,
  known_host_keys: z.array(z.string()),
  revision: z.string(),
});
export type KeptHop = z.infer<typeof KeptHop>;
