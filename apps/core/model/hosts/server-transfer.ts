import { z } from 'zod';
import { Id, line } from '../fields.ts';
import { TOLD_WARNINGS } from '../warning.ts';
import { Server, ServerInput } from './server.ts';

const MOST_SERVERS = 5000;

/** A server without credentials. Includes the jump host's name, because ids differ between gateways. */
export const ServerExport = Server.extend({ jump_via_name: z.string().nullable() }).meta({
  id: 'ServerExport',
});
export type ServerExport = z.infer<typeof ServerExport>;

/** Accepts exported servers and `create` input. Unknown keys are ignored, so that every export can be imported. */
export const ImportedServer = z
  .object({
    ...ServerInput.shape,
    host_key_fingerprint: z
      .string()
      .optional()
      .describe('Not imported: a fingerprint is not enough to pin a key'),
    id: Id.optional().describe('Resolves `jump_via_id` within the same file'),
    jump_via_name: z
      .string()
      .max(150)
      .nullish()
      .describe('Name of the jump host, in the file or on the gateway'),
  })
  .meta({ id: 'ImportedServer' });
export type ImportedServer = z.infer<typeof ImportedServer>;

export const ServerImport = z
  .strictObject({ servers: z.array(ImportedServer).min(1).max(MOST_SERVERS) })
  .meta({ id: 'ServerImport' });
export type ServerImport = z.infer<typeof ServerImport>;

export const SshConfigImport = z
  .strictObject({
    text: z.string().min(1).describe('Text of an OpenSSH client configuration, such as `~/.ssh/config`'),
    group: ServerInput.shape.group.describe('Access group of the new servers'),
    username: line(1, 150)
      .optional()
      .describe('Login name for hosts without `User`; by default the caller’s own name, as in `ssh`'),
    hosts: z
      .array(z.string().min(1).max(1024))
      .min(1)
      .max(5000)
      .optional()
      .describe('Only these hosts and the jump hosts that they need; by default all'),
  })
  .meta({ id: 'SshConfigImport' });
export type SshConfigImport = z.infer<typeof SshConfigImport>;

export const ImportedServers = z
  .object({ created: z.array(Server), ...TOLD_WARNINGS })
  .meta({ id: 'ImportedServers' });
export type ImportedServers = z.infer<typeof ImportedServers>;

export const HostKeyImport = z
  .strictObject({
    text: z.string().min(1).describe('Text of a `known_hosts` file; hashed names are supported'),
  })
  .meta({ id: 'HostKeyImport' });
export type HostKeyImport = z.infer<typeof HostKeyImport>;

export const ImportedHostKeys = z
  .object({
    pinned: z
      .array(z.object({ server_id: Id, name: z.string(), fingerprint: z.string() }))
      .describe('Servers that now have a pinned key and had none before'),
    unchanged: z.int().describe('Servers that were already pinned to one of the keys'),
    ...TOLD_WARNINGS,
  })
  .meta({ id: 'ImportedHostKeys' });
export type ImportedHostKeys = z.infer<typeof ImportedHostKeys>;
