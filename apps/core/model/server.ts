import { z } from 'zod';
import { Id, Instant, line } from './fields.ts';
import { Group } from './user.ts';

export const AuthMethod = z
  .enum(['password', 'key', 'prompt'])
  .describe('`prompt`: nothing is stored, user name and password are typed at connect');

export const AlgorithmSet = z
  .enum(['default', 'legacy'])
  .describe('`legacy` also offers what old switches need: SHA-1, CBC, group 1, DSA');
export type AlgorithmSet = z.infer<typeof AlgorithmSet>;

const hostname = line(1, 253).refine(
  (text) => /^[A-Za-z0-9._:%-]+$/.test(text) && !text.startsWith('-'),
  'Must be a host name or an IP address',
);
const allowedPath = z
  .string()
  .max(4096)
  .refine((path) => path.startsWith('/') && !path.includes('\0'), 'Must be an absolute path');
const text = (max: number) => z.string().max(max);

const fields = {
  name: line(1, 150),
  hostname,
  port: z.int().min(1).max(65_535),
  username: line(1, 150).describe('SSH login name'),
  auth_method: AuthMethod,
  group: Group.describe('Access group'),
  tags: z.array(line(1, 50)).max(50),
  description: text(4096),
  jump_via_id: z
    .union([Id, z.literal(0)])
    .nullable()
    .describe('Server used as bastion; null or 0 for none'),
  ssh_enabled: z.boolean(),
  sftp_enabled: z.boolean(),
  sftp_read_only: z.boolean(),
  sftp_allowed_paths: z.array(allowedPath).max(100).describe('Empty means unrestricted'),
  algorithms: AlgorithmSet,
  record_sessions: z
    .boolean()
    .nullable()
    .describe('Whether its terminals are recorded; null follows `SERVICE_RECORD_SESSIONS`'),
  agent_enabled: z.boolean().describe('Kept; this version has no agent'),
};

const credentials = {
  password: text(1024).describe('Write-only; an empty string clears it'),
  private_key: text(65_536).describe('Write-only; OpenSSH, PEM (PKCS#1), PKCS#8 or PuTTY text'),
  passphrase: text(1024).describe('Write-only; of the private key'),
};

export const ServerInput = z
  .strictObject({
    ...fields,
    port: fields.port.default(22),
    auth_method: AuthMethod.default('password'),
    group: fields.group.default(''),
    tags: fields.tags.default([]),
    description: fields.description.default(''),
    jump_via_id: fields.jump_via_id.default(null),
    ssh_enabled: z.boolean().default(true),
    sftp_enabled: z.boolean().default(true),
    sftp_read_only: z.boolean().default(false),
    sftp_allowed_paths: fields.sftp_allowed_paths.default([]),
    algorithms: AlgorithmSet.default('default'),
    record_sessions: fields.record_sessions.default(null),
    agent_enabled: z.boolean().default(false),
    password: credentials.password.default(''),
    private_key: credentials.private_key.default(''),
    passphrase: credentials.passphrase.default(''),
  })
  .meta({ id: 'ServerInput' });
export type ServerInput = z.infer<typeof ServerInput>;

export const ServerPatch = z
  .strictObject({ ...fields, ...credentials })
  .partial()
  .meta({ id: 'ServerPatch' });
export type ServerPatch = z.infer<typeof ServerPatch>;

export const Server = z
  .object({
    id: Id,
    ...fields,
    jump_via_id: Id.nullable(),
    has_password: z.boolean(),
    has_private_key: z.boolean(),
    host_key_fingerprint: z.string().describe('`SHA256:…` of the pinned host key, or empty'),
    announced_host_keys: z
      .array(z.string())
      .describe('`SHA256:…` of further keys that the host, once trusted, has proved to be its own'),
    last_connected_at: Instant.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'Server' });
export type Server = z.infer<typeof Server>;

/** A server as the database keeps it: credentials sealed, the pin and the announced keys as base64 key blobs. */
export interface ServerRow extends Omit<Server, 'has_password' | 'has_private_key' | 'announced_host_keys'> {
  readonly password_sealed: string | null;
  readonly private_key_sealed: string | null;
  readonly passphrase_sealed: string | null;
  readonly host_key: string | null;
  readonly announced_host_keys: readonly AnnouncedHostKey[];
}

/** One that a trusted host has proved to be its own (OpenSSH PROTOCOL §2.5). */
export interface AnnouncedHostKey {
  /** Base64 of the key blob (RFC 4253 §6.6). */
  readonly host_key: string;
  readonly fingerprint: string;
}

export interface ServerFilter {
  readonly group?: string | undefined;
  readonly search?: string | undefined;
  readonly tag?: string | undefined;
}

/** What a client may see, field by field, so that a new column never leaks by default. */
export function toServer(row: ServerRow): Server {
  return {
    id: row.id,
    name: row.name,
    hostname: row.hostname,
    port: row.port,
    username: row.username,
    auth_method: row.auth_method,
    group: row.group,
    tags: row.tags,
    description: row.description,
    jump_via_id: row.jump_via_id,
    ssh_enabled: row.ssh_enabled,
    sftp_enabled: row.sftp_enabled,
    sftp_read_only: row.sftp_read_only,
    sftp_allowed_paths: row.sftp_allowed_paths,
    algorithms: row.algorithms,
    record_sessions: row.record_sessions,
    agent_enabled: row.agent_enabled,
    has_password: row.password_sealed !== null,
    has_private_key: row.private_key_sealed !== null,
    host_key_fingerprint: row.host_key_fingerprint,
    announced_host_keys: row.announced_host_keys.map(({ fingerprint }) => fingerprint),
    last_connected_at: row.last_connected_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
