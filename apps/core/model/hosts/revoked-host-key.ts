import { z } from 'zod';
import { Id, Instant } from '../fields.ts';

/** A key that a `known_hosts` file marks as `@revoked`, and the hosts that it is refused for. */
export interface RevokedHostKeyRow {
  readonly id: number;
  /** Patterns, or a hashed name, as the file has them. */
  readonly names: string;
  /** Base64 of the key blob (RFC 4253 §6.6). */
  readonly host_key: string;
  readonly fingerprint: string;
  /** Hash of names and key, so that each pair is stored once. */
  readonly digest: string;
  readonly created_at: string;
}

export const RevokedHostKey = z
  .object({
    id: Id,
    names: z.string().describe('As in the `known_hosts` file: names and patterns, or a hashed name'),
    fingerprint: z.string().describe('`SHA256:…`'),
    created_at: Instant,
  })
  .meta({ id: 'RevokedHostKey' });
export type RevokedHostKey = z.infer<typeof RevokedHostKey>;
