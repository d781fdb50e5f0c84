import { z } from 'zod';
import { asciiHostName } from '../../lib/network/host-name.ts';
import { isAbsolutePath } from '../../lib/paths/posix-path.ts';
import { encodingOf } from '../../lib/text/encodings.ts';
import { Group } from '../accounts/user.ts';
import { ENDS, Id, Instant, line, pickFields, withoutDefaults } from '../fields.ts';
import { isPostQuantum } from './hop-connection.ts';

export const AuthMethod = z
  .enum(['password', 'key', 'prompt'])
  .describe('`prompt`: nothing is stored; the user enters username and password when connecting');

export const AlgorithmSet = z
  .enum(['default', 'legacy'])
  .describe('`legacy` also offers algorithms that old devices need: SHA-1, CBC, group 1, DSA');
export type AlgorithmSet = z.infer<typeof AlgorithmSet>;

const hostname = line(1, 253)
  .overwrite(asciiHostName)
  .max(253, ENDS)
  .refine(
    (text) => /^[A-Za-z0-9._:%-]+$/.test(text) && !text.startsWith('-'),
    'Must be a host name or an IP address',
  )
  .describe('Host name or IP address; an internationalized name is stored as `xn--…`');
const allowedPath = z.string().max(4096, ENDS).refine(isAbsolutePath, 'Must be an absolute path');
const text = (max: number) => z.string().max(max);

const terminal_type = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._+-]*$/, 'Must be the name of a terminal type')
  .describe('`TERM` of its shells');

const terminal_encoding = z
  .string()
  .max(40)
  .refine((label) => encodingOf(label) !== undefined, 'Must be a label of the WHATWG Encoding Standard')
  .describe(
    'Encoding of its terminals: a label of the WHATWG Encoding Standard. Clients see UTF-8 in any case',
  );

/** How a terminal is opened on a host that has no record: both by default as for a new server. */
export const terminalFields = {
  terminal_type: terminal_type.optional(),
  terminal_encoding: terminal_encoding.optional(),
};

/** A new field is one line here: input, patch, server and row all take it from this shape. */
const fields = {
  name: line(1, 150),
  hostname,
  port: z.int().min(1).max(65_535).default(22),
  username: line(1, 150).describe('SSH login name'),
  auth_method: AuthMethod.default('password'),
  group: Group.describe('Access group').default(''),
  tags: z.array(line(1, 50)).max(50).default([]),
  description: text(4096).default(''),
  jump_via_id: z
    .union([Id, z.literal(0)])
    .nullable()
    .describe('Server used as jump host; null or 0 for none')
    .default(null),
  ssh_enabled: z.boolean().default(true),
  sftp_enabled: z.boolean().default(true),
  sftp_read_only: z.boolean().default(false),
  sftp_allowed_paths: z
    .array(allowedPath)
    .max(100)
    .describe('Empty means unrestricted; `bytes:` paths as in file operations')
    .default([]),
  algorithms: AlgorithmSet.default('default'),
  terminal_type: terminal_type.default('xterm-256color'),
  terminal_encoding: terminal_encoding.default('utf-8'),
  record_sessions: z
    .boolean()
    .nullable()
    .describe('Whether its terminals are recorded; null follows `SERVICE_RECORD_SESSIONS`')
    .default(null),
  agent_enabled: z.boolean().describe('Whether users may ask the agent about it').default(false),
};

const credentials = {
  password: text(1024).describe('Write-only; an empty string clears it').default(''),
  private_key: text(65_536).describe('Write-only; OpenSSH, PEM (PKCS#1), PKCS#8 or PuTTY text').default(''),
  passphrase: text(1024).describe('Write-only; passphrase of the private key').default(''),
};

/** Fills in the fields that are missing, as for a new server. */
export const ServerFields = z.object(fields);

export const ServerInput = z.strictObject({ ...fields, ...credentials }).meta({ id: 'ServerInput' });
export type ServerInput = z.infer<typeof ServerInput>;

export const ServerPatch = z
  .strictObject(withoutDefaults({ ...fields, ...credentials }))
  .partial()
  .meta({ id: 'ServerPatch' });
export type ServerPatch = z.infer<typeof ServerPatch>;

export const HostKeyInput = z
  .strictObject({
    host_key: line(1, 8400).describe('As in a `known_hosts` file without the host: type and base64'),
  })
  .meta({ id: 'HostKeyInput' });

export const Server = z
  .object({
    id: Id,
    ...withoutDefaults(fields),
    jump_via_id: Id.nullable(),
    has_password: z.boolean(),
    has_private_key: z.boolean(),
    host_key_fingerprint: z.string().describe('`SHA256:…` of the pinned host key, or empty'),
    announced_host_keys: z
      .array(z.string())
      .describe('`SHA256:…` of further keys that the trusted host has proved to own'),
    key_exchange: z
      .string()
      .nullable()
      .optional()
      .describe(
        'Key exchange of the last connection, such as `mlkem768x25519-sha256`; null before the first',
      ),
    server_version: z
      .string()
      .nullable()
      .optional()
      .describe('What the host called itself then, such as `OpenSSH_10.0p2 Debian-7`'),
    is_post_quantum: z
      .boolean()
      .nullable()
      .optional()
      .describe('Whether `key_exchange` is post-quantum; null before the first connection'),
    last_connected_at: Instant.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'Server' });
export type Server = z.infer<typeof Server>;

type NotStored = 'has_password' | 'has_private_key' | 'announced_host_keys' | 'is_post_quantum';

/** A server as stored: credentials are sealed; the pinned key and announced keys are base64 key blobs. */
export interface ServerRow extends Omit<Server, NotStored | keyof LastConnection>, LastConnection {
  readonly password_sealed: string | null;
  readonly private_key_sealed: string | null;
  readonly passphrase_sealed: string | null;
  readonly host_key: string | null;
  readonly announced_host_keys: readonly AnnouncedHostKey[];
}

/** How the host was connected to last; null before the first connection, and once it may be another host. */
export interface LastConnection {
  readonly key_exchange: string | null;
  readonly server_version: string | null;
}

/** A further key that a trusted host has proved to own (OpenSSH PROTOCOL §2.5). */
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

/** Picks every field by name, so that a new column never leaks. */
export function toServer(row: ServerRow): Server {
  const { id, host_key_fingerprint, key_exchange, server_version } = row;
  const { last_connected_at, created_at, updated_at } = row;
  return {
    id,
    ...pickFields(row, fields),
    has_password: row.password_sealed !== null,
    has_private_key: row.private_key_sealed !== null,
    host_key_fingerprint,
    announced_host_keys: row.announced_host_keys.map(({ fingerprint }) => fingerprint),
    key_exchange,
    server_version,
    is_post_quantum: key_exchange === null ? null : isPostQuantum(key_exchange),
    last_connected_at,
    created_at,
    updated_at,
  };
}
