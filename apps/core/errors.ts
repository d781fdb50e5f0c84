import {
  FREE_RATIO_MIB,
  FREE_RATIO_PERCENT,
  MAX_API_KEYS,
  MAX_ARCHIVE_DIRECTORY_MIB,
  MAX_ARCHIVE_MEMBERS,
  MAX_DIALS_PER_MINUTE,
  MAX_DOWNLOADS,
  MAX_EXTRACT_GIB,
  MAX_EXTRACT_RATIO,
  MAX_EXTRACTIONS,
  MAX_HOPS,
  MAX_PENDING_DIALS,
  MAX_SNIPPETS,
  MAX_TERMINAL_MEMBERS,
  MAX_TURNS,
  MAX_UPLOADS,
  MAX_WAITING_ARCHIVES,
  MAX_WEBHOOKS,
  MOST_BUNDLE_MIB,
  TEXT_LIMIT_BYTES,
} from './limits.ts';

interface FaultRow {
  readonly status: number;
  /** Default text for the client. */
  readonly detail: string;
  /** Set only if the fault can close a WebSocket. */
  readonly close: number | undefined;
}

const row = (status: number, detail: string, close?: number): FaultRow => ({ status, detail, close });
const count = (limit: number) => limit.toLocaleString('en');

// WebSocket close codes.
const BAD_REQUEST = 1008;
const FAILED = 1011;
const GATE = 4001; // the user must sign in again or pass a gate; clients do not retry
const NOT_PERMITTED = 4003;
const GONE = 4004;
const TOO_MANY = 4008;
const ENDED = 4009;
const KEEPER_LOST = 4011;

const MIB = 1024 * 1024;

/** One row per fault. Nothing else picks an HTTP status or a close code. */
export const FAULTS = {
  not_authenticated: row(401, 'Not authenticated', GATE),
  invalid_token: row(401, 'Invalid token', GATE),
  invalid_api_key: row(401, 'Invalid API key', GATE),
  invalid_ticket: row(401, 'Invalid ticket', GATE),
  invalid_credentials: row(401, 'Invalid credentials'),
  invalid_2fa_code: row(401, 'Invalid 2FA code'),
  account_locked: row(429, 'Too many failed sign-ins; this account is temporarily locked'),
  wrong_password: row(400, 'The current password is wrong'),
  pending_2fa: row(403, 'Pending 2FA', GATE),
  password_change_required: row(403, 'Password change required', GATE),
  admin_only: row(403, 'Admin only', GATE),
  step_up_required: row(403, 'Confirm your identity to continue'),
  session_required: row(403, 'This requires a session token, not an API key'),
  scope_missing: row(403, 'The API key lacks the required scope', GATE),
  embed_refused: row(403, 'An embedded session cannot do this', GATE),
  embed_read_only: row(403, 'This embedded session is read-only', GATE),
  embed_only: row(403, 'This requires an embedded session'),
  embed_over: row(403, 'The embedded session has reached its longest time; exchange a new ticket'),
  too_many_embeds: row(429, 'This user has too many embedded sessions'),
  demo_mode: row(403, 'Demo mode: write operations are disabled', NOT_PERMITTED),
  destination_refused: row(403, 'A file cannot be loaded as a script, a style, a worker or a frame'),
  origin_refused: row(403, 'Origin not allowed'),

  validation: row(422, 'Invalid request', BAD_REQUEST),
  bad_first_message: row(400, 'Invalid first message', BAD_REQUEST),
  bad_frame: row(400, 'Invalid frame', BAD_REQUEST),
  upgrade_required: row(426, 'This is a WebSocket endpoint'),
  upgrade_refused: row(400, 'This is not a WebSocket endpoint'),
  bad_request: row(400, 'The request is not valid HTTP'),
  method_not_allowed: row(405, 'This method is not allowed here'),
  expectation_failed: row(417, 'The only expectation this server knows is 100-continue'),
  headers_too_large: row(431, 'The request headers are too large'),
  route_not_found: row(404, 'Not found', GONE),
  rate_limited: row(429, 'Too many requests'),
  download_unread: row(408, 'The client stopped reading the download'),
  request_timeout: row(408, 'The request headers did not arrive in time'),
  body_timeout: row(408, 'The request body did not arrive in time'),
  body_too_large: row(413, 'The request body is larger than 1 MiB'),

  user_not_found: row(404, 'User not found'),
  session_not_found: row(404, 'Session not found', GONE),
  api_key_not_found: row(404, 'API key not found'),
  username_taken: row(409, 'This username is already taken'),
  protected_account: row(400, 'Cannot delete the default administrator'),
  last_admin: row(409, 'At least one enabled administrator must remain'),
  own_account: row(409, 'Change your own account on the account page, which asks for a code'),
  directory_password_expired: row(
    403,
    'The directory wants a new password for this account: change it there, then sign in',
  ),
  directory_unavailable: row(503, 'The directory does not answer; try again later', FAILED),
  directory_account: row(409, 'The directory manages the password of this account'),
  totp_already_enabled: row(409, 'Two-factor is already enabled'),
  totp_not_set_up: row(409, 'Two-factor is not set up'),
  too_many_keys: row(409, `A user can have at most ${count(MAX_API_KEYS)} API keys`),

  server_not_found: row(404, 'Server not found', GONE),
  server_changed: row(409, 'The server was changed in the meantime; try again', FAILED),
  jump_cycle: row(409, 'The jump hosts form a cycle', FAILED),
  jump_too_deep: row(409, `A connection can pass through at most ${count(MAX_HOPS)} jump hosts`, FAILED),
  jump_host_unknown: row(422, 'The jump host does not exist', FAILED),
  credential_required: row(422, 'This server has a stored credential: send it in the same request'),
  jump_host_in_use: row(409, 'Other servers use this one as their jump host'),
  unreadable_private_key: row(422, 'The private key cannot be read', FAILED),
  too_many_key_jobs: row(429, 'Too many private keys are waiting to be decrypted; try again later', TOO_MANY),
  too_many_imports: row(422, 'Too many name conflicts in this file; import it in smaller parts'),
  too_many_streams: row(429, 'This user has too many event streams open'),
  ssh_disabled: row(403, 'SSH is disabled for this server', NOT_PERMITTED),

  agent_off: row(503, 'The agent is off: an administrator can choose a provider under Administration'),
  agent_disabled_for_server: row(
    403,
    'The agent is not allowed on this server: an administrator can allow it',
  ),
  agent_budget: row(429, 'You have used up your tokens of today'),
  agent_busy: row(409, 'The agent is still answering in this chat'),
  agent_turn_not_found: row(404, 'There is no such answer'),
  too_many_turns: row(429, `The agent can answer ${MAX_TURNS} questions of a user at a time`),
  agent_limit: row(429, 'The answer reached its limit'),
  agent_failed: row(502, 'The provider of the language model failed'),
  agent_ended: row(409, 'The answer was ended'),
  agent_interrupted: row(503, 'The gateway was stopped while it answered; ask again'),

  quick_connect_disabled: row(403, 'Quick connect is disabled', NOT_PERMITTED),
  target_not_allowed: row(403, 'Quick connect is not allowed to reach this address', NOT_PERMITTED),
  too_many_dials: row(
    429,
    `A user can have ${MAX_PENDING_DIALS} quick connects in progress and start ${MAX_DIALS_PER_MINUTE} a minute`,
    TOO_MANY,
  ),
  revoked_host_key_not_found: row(404, 'Revoked host key not found'),
  quick_host_key_not_found: row(404, 'Pinned host key not found'),
  too_many_sessions: row(429, 'This user has too many terminals open', TOO_MANY),
  terminal_full: row(429, `A terminal can have at most ${count(MAX_TERMINAL_MEMBERS)} people`, TOO_MANY),
  share_not_found: row(404, 'This share does not exist or has ended', GONE),
  not_session_owner: row(403, 'Only the owner can share this session'),
  share_ended: row(409, 'The share has ended', ENDED),
  terminal_taken_over: row(409, 'The terminal was opened somewhere else', ENDED),
  terminal_in_use: row(409, 'The terminal is open on another device', ENDED),
  idle_timeout: row(408, 'The terminal was idle for too long', 4010),
  instance_unreachable: row(502, 'The instance that runs this terminal does not respond', 1013),

  recording_not_found: row(404, 'Recording not found'),
  recording_file_missing: row(404, 'The recording file is missing'),
  recording_in_progress: row(409, 'The recording is still in progress'),
  recording_failed: row(500, 'The recording could not be written', FAILED),
  recording_store_unreachable: row(502, 'The recordings store does not respond; try again later'),
  recording_store_refused: row(502, 'The recordings store refused the request; check its settings'),
  snippet_not_found: row(404, 'Snippet not found'),
  too_many_snippets: row(409, `A user can have at most ${count(MAX_SNIPPETS)} snippets`),

  webhook_not_found: row(404, 'Webhook not found'),
  delivery_not_found: row(404, 'Delivery not found'),
  too_many_webhooks: row(409, `There can be at most ${count(MAX_WEBHOOKS)} webhooks`),
  webhook_url_refused: row(422, 'A webhook URL must use https and must not point to a private address'),
  config_locked: row(403, 'Settings and branding are locked (SERVICE_CONFIG_LOCKED)'),
  image_unreadable: row(422, 'This file is not a supported image (PNG, JPEG, WebP or GIF)'),
  image_not_found: row(404, 'Image not found'),
  backup_unreadable: row(422, 'This file is not a Sallyport backup, or it is damaged'),
  backup_too_new: row(422, 'This backup was made by a newer version'),
  backup_passphrase: row(400, 'The passphrase is wrong, or the backup was modified'),
  backup_too_large: row(413, `The backup is larger than ${MOST_BUNDLE_MIB} MiB`),
  backup_busy: row(429, 'Another backup or restore is in progress'),
  backup_overtaken: row(409, 'The data changed during the restore; try again'),

  sftp_disabled: row(403, 'SFTP is disabled for this server'),
  sftp_read_only: row(403, 'This server is read-only'),
  path_outside_allowed: row(403, 'Path is outside the allowed directories'),
  allowed_directory: row(
    403,
    'An allowed directory, or one that contains it, cannot be renamed, replaced or deleted',
  ),
  invalid_path: row(400, 'The path must be absolute and must not contain NUL'),
  invalid_query: row(400, 'The query string is not valid UTF-8', BAD_REQUEST),
  unaddressable_name: row(
    400,
    'This name cannot be used: it is not UTF-8, is empty, is longer than 4,096 bytes, or contains a slash or NUL',
  ),
  file_not_found: row(404, 'No such file or directory'),
  permission_denied: row(403, 'Permission denied by the server'),
  not_a_directory: row(409, 'Not a directory'),
  not_a_file: row(409, 'Not a regular file'),
  already_exists: row(409, 'A file or folder with this name already exists'),
  into_itself: row(409, 'A folder cannot be moved or copied into itself'),
  tree_too_large: row(409, 'The directory has too many levels or entries to be copied'),
  invalid_name: row(400, 'A file name must not be empty, `.` or `..`, and must not contain `/` or NUL'),
  name_too_long: row(400, 'The host does not accept a name this long'),
  invalid_mode: row(400, 'A mode is three or four octal digits'),
  stale_etag: row(412, 'The file has changed since it was opened'),
  upload_too_large: row(413, 'The upload is larger than SERVICE_MAX_UPLOAD_SIZE allows'),
  remote_disk_full: row(507, 'The disk of the host is full'),
  remote_read_only: row(403, 'The file system of the host is read-only'),
  bad_multipart: row(400, 'The body is incomplete or is not multipart/form-data with a file'),
  upload_not_found: row(404, 'Upload not found'),
  upload_expired: row(410, 'The upload has expired'),
  upload_offset: row(409, 'The offset does not match the upload'),
  too_many_archives: row(
    429,
    `A user can have at most ${count(MAX_WAITING_ARCHIVES)} ZIP archives waiting to be read`,
  ),
  too_many_downloads: row(429, `A user can have at most ${count(MAX_DOWNLOADS)} downloads in progress`),
  too_many_extractions: row(
    429,
    `A user can have at most ${count(MAX_EXTRACTIONS)} archives being extracted`,
  ),
  too_many_searches: row(429, 'Another search is under way; wait for it to end'),
  too_many_texts: row(429, 'Too many recordings are being converted to text'),
  too_many_uploads: row(429, `A user can have at most ${count(MAX_UPLOADS)} unfinished uploads`),
  upload_busy: row(423, 'Another request is already writing to this upload'),
  upload_content_type: row(415, 'The content type must be application/offset+octet-stream'),
  tus_version: row(412, 'This gateway supports tus version 1.0.0'),
  file_busy: row(423, 'Someone else is saving this file'),
  host_busy: row(503, 'Too many connections to this host'),
  file_too_large: row(413, `The file is too large for the text editor (${TEXT_LIMIT_BYTES / MIB} MiB)`),
  not_text: row(415, 'The file is not UTF-8 text'),
  archive_unreadable: row(415, 'This file is not a ZIP archive, or it is incomplete'),
  archive_damaged: row(422, 'The archive is damaged'),
  archive_too_large: row(
    413,
    `An archive can have ${count(MAX_ARCHIVE_MEMBERS)} members, a directory of ${MAX_ARCHIVE_DIRECTORY_MIB} MiB and a content of ${MAX_EXTRACT_GIB} GiB`,
  ),
  archive_overlap: row(422, 'Members of the archive overlap, as in a ZIP bomb'),
  archive_bomb: row(
    422,
    `The archive would grow more than ${MAX_EXTRACT_RATIO}-fold, to more than ${FREE_RATIO_MIB} MiB and ${FREE_RATIO_PERCENT}% of the free space`,
  ),
  member_not_found: row(404, 'The archive has no such member'),
  member_encrypted: row(415, 'This member of the archive is encrypted'),
  member_method: row(415, 'This member of the archive is compressed with an unsupported method'),
  member_name: row(
    422,
    'The name of this member is unsafe: empty, absolute, with `..`, a backslash, a drive or NUL, or reserved',
  ),
  member_link: row(422, 'Links and special files in an archive are not extracted'),
  member_twice: row(409, 'Another member of the archive takes this name'),
  member_outside: row(403, 'A link on the host leads out of the target folder'),
  range_not_satisfiable: row(416, 'Range not satisfiable'),

  host_unreachable: row(502, 'Cannot reach the host', FAILED),
  host_auth_failed: row(502, 'The host refused the credentials', FAILED),
  host_key_changed: row(502, 'The host key has changed', FAILED),
  host_key_revoked: row(502, 'The host key is revoked', FAILED),
  ssh_protocol: row(502, 'The host did not follow the SSH protocol', FAILED),
  host_disconnected: row(502, 'The connection to the host was lost', FAILED),
  sftp_failed: row(502, 'The SFTP server reported a failure'),
  sftp_unavailable: row(502, 'The host does not offer SFTP'),
  sftp_refused: row(502, 'The host runs another program instead of SFTP'),
  startup_output: row(502, 'A start-up file on the host prints text, so SFTP cannot start'),
  restricted_shell: row(502, 'The account on the host has a restricted shell, which may not start SFTP'),
  login_disabled: row(502, 'The account on the host is not allowed to run anything'),
  password_expired: row(502, 'The password of the account on the host has expired'),
  shell_refused: row(502, 'The host refused to open a shell', FAILED),
  credential_unreadable: row(502, 'A stored credential cannot be decrypted', FAILED),
  interaction_required: row(502, 'The host asks a question that only a person can answer', FAILED),
  credentials_required: row(409, 'This server asks for a username and password when you connect', FAILED),
  connect_timeout: row(504, 'Connecting to the host timed out', FAILED),
  operation_timeout: row(504, 'The host did not respond in time', FAILED),

  terminal_ended: row(409, 'The terminal was ended', ENDED),
  transfer_ended: row(409, 'The transfer was ended'),
  client_left: row(408, 'The client canceled the request or lost its connection'),
  overloaded: row(429, 'Too many sign-ins in progress'),
  worker_unreachable: row(502, 'Cannot reach the worker', FAILED),
  worker_only: row(421, 'This process serves only what an edge forwards. Send the request to the edge', GONE),
  worker_timeout: row(504, 'The worker did not respond in time'),
  shutting_down: row(503, 'The gateway is shutting down', 1012),
  relay_stopped: row(
    503,
    'The instance that relays this terminal is shutting down; the terminal keeps running',
    1012,
  ),
  gateway_restarting: row(503, 'The gateway is restarting; the terminal keeps running', 1012),
  keeper_lost: row(502, 'The keeper that ran this terminal has ended', KEEPER_LOST),
  keeper_outdated: row(
    503,
    'The keeper is of an older version, which cannot convert the encoding of this server',
    FAILED,
  ),
  database_unavailable: row(503, 'The database does not respond', FAILED),
  database_full: row(507, 'The database disk is full', FAILED),
  internal: row(500, 'Internal error', FAILED),
} as const satisfies Record<string, FaultRow>;

export type FaultCode = keyof typeof FAULTS;

/** Why SFTP does not start on a host that has accepted the login. */
export const SFTP_START_CODES = [
  'sftp_unavailable',
  'sftp_refused',
  'startup_output',
  'restricted_shell',
  'login_disabled',
  'password_expired',
] as const satisfies readonly FaultCode[];
export type SftpStartCode = (typeof SFTP_START_CODES)[number];

export function isSftpStart(code: FaultCode): code is SftpStartCode {
  return SFTP_START_CODES.some((one) => one === code);
}

/** Where a connection attempt is, or where it failed; `sftp` and `shell` come after authentication. */
export const STAGES = ['resolve', 'tcp', 'handshake', 'host_key', 'auth', 'sftp', 'shell'] as const;

export interface FieldError {
  readonly path: string;
  readonly message: string;
}

export interface FaultOptions {
  readonly cause?: unknown;
  readonly stage?: (typeof STAGES)[number];
  /** Name of the server at which a chain of jump hosts failed. */
  readonly hop?: string;
  /** The host key that was refused, as in a `known_hosts` file. */
  readonly presented_host_key?: string;
  /** The fingerprint of that key as OpenSSH prints it: `SHA256:…`. */
  readonly presented_fingerprint?: string;
  /** Seconds until the caller may try again. */
  readonly retry_after?: number;
  /** The database is unavailable, and nothing was written. */
  readonly is_undone?: boolean;
  readonly errors?: readonly FieldError[];
}

/** The only error whose text reaches a client. `detail` never contains the cause. */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly detail: string;
  readonly options: FaultOptions;

  constructor(code: FaultCode, detail?: string, options: FaultOptions = {}) {
    super(detail ?? FAULTS[code].detail, { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.detail = this.message;
    this.options = options;
  }

  get status(): number {
    return FAULTS[this.code].status;
  }

  get close_code(): number {
    return FAULTS[this.code].close ?? FAILED;
  }
}

/** The fault of one field. By default `detail` says the same as the message of the field. */
export function invalidField(path: string, message: string, detail = message): Fault {
  return new Fault('validation', detail, { errors: [{ path, message }] });
}

/** The database cannot take writes now, but may later. */
export function isDatabaseDown(error: unknown): boolean {
  return error instanceof Fault && (error.code === 'database_unavailable' || error.code === 'database_full');
}

/** The fault itself, or `internal` around anything unexpected. */
export function toFault(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault('internal', undefined, { cause: error });
}
