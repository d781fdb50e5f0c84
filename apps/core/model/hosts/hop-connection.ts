import { z } from 'zod';

/** The key exchanges that the gateway offers and that a quantum computer cannot break, as far as is known. */
const POST_QUANTUM_EXCHANGES: readonly string[] = ['mlkem768x25519-sha256'];

export function isPostQuantum(key_exchange: string): boolean {
  return POST_QUANTUM_EXCHANGES.includes(key_exchange);
}

/** How the connection to one server of a chain is protected. */
export const HopConnection = z
  .object({
    hop: z.string().describe('Name of the server that was connected to'),
    key_exchange: z.string().describe('Such as `mlkem768x25519-sha256`'),
    cipher: z.string().describe('Such as `aes128-gcm@openssh.com`'),
    host_key_type: z.string().describe('Such as `ssh-ed25519`, as in a `known_hosts` file'),
    server_version: z.string().describe('What the host calls itself, such as `OpenSSH_10.0p2 Debian-7`'),
    is_post_quantum: z
      .boolean()
      .describe('Whether a quantum computer could not decrypt it later, if somebody records it now'),
  })
  .meta({ id: 'HopConnection' });
export type HopConnection = z.infer<typeof HopConnection>;
