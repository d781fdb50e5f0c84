/** One row per refusal: HTTP status, WebSocket close code, default `detail`. Nobody else picks a status. */
const row = (status: number, close: number, detail: string) => ({ status, close, detail });

const GATE = 4001; // the socket's user must sign in again or pass a gate; clients do not retry
const GONE = 4004;
const FAILED = 1011;

export const FAULTS = {
  not_authenticated: row(401, GATE, 'Not authenticated'),
  invalid_token: row(401, GATE, 'Invalid token'),
  invalid_api_key: row(401, GATE, 'Invalid API key'),
  invalid_ticket: row(401, GATE, 'Invalid ticket'),
  invalid_credentials: row(401, GATE, 'Invalid credentials'),
  invalid_2fa_code: row(401, GATE, 'Invalid 2FA code'),
  account_locked: row(429, 4008, 'Too many failed sign-ins; this account is locked for a while'),
  wrong_password: row(400, FAILED, 'The current password is wrong'),
  pending_2fa: row(403, GATE, 'Pending 2FA'),
  password_change_required: row(403, GATE, 'Password change required'),
  admin_only: row(403, GATE, 'Admin only'),
  session_required: row(403, GATE, 'This needs a session token, not an API key'),
  scope_missing: row(403, GATE, 'The API key lacks the scope for this'),
  demo_mode: row(403, 4003, 'Demo mode: write operations are disabled'),
  origin_refused: row(403, GATE, 'Origin not allowed'),

  validation: row(422, 1008, 'Invalid request'),
  bad_first_message: row(400, 1008, 'Bad first message'),
  bad_frame: row(400, 1008, 'Bad frame'),
  upgrade_required: row(426, 1008, 'This is a WebSocket endpoint'),
  upgrade_refused: row(400, 1008, 'This is not a WebSocket endpoint'),
  route_not_found: row(404, GONE, 'Not found'),
  rate_limited: row(429, 4008, 'Too many requests'),
  download_unread: row(408, 1008, 'Nothing was read of the download for too long'),
  body_timeout: row(408, 1008, 'The request body did not arrive in time'),
  body_too_large: row(413, 1009, 'Request body too large'),

  user_not_found: row(404, GONE, 'User not found'),
  session_not_found: row(404, GONE, 'Session not found'),
  api_key_not_found: row(404, GONE, 'API key not found'),
  username_taken: row(409, FAILED, 'This user name is taken'),
  protected_account: row(400, FAILED, 'Cannot delete the default administrator'),
  last_admin: row(409, FAILED, 'The last enabled administrator must stay one'),
  own_account: row(409, FAILED, 'For your own account, use what asks for a code: your account page'),
  directory_account: row(409, FAILED, 'The directory keeps the password of this account'),
  totp_already_enabled: row(409, FAILED, 'Two-factor is already enabled'),
  totp_not_set_up: row(409, FAILED, 'Two-factor is not set up'),
  too_many_keys: row(409, FAILED, 'No more than 100 API keys for each user'),

  server_not_found: row(404, GONE, 'Server not found'),
  server_changed: row(409, FAILED, 'The server was changed meanwhile'),
  jump_cycle: row(409, FAILED, 'The jump hosts form a cycle'),
  jump_too_deep: row(409, FAILED, 'More than 8 jump hosts in a row'),
  jump_host_unknown: row(422, FAILED, 'The jump host does not exist'),
  jump_host_in_use: row(409, FAILED, 'Other servers use this one as their jump host'),
  unreadable_private_key: row(422, FAILED, 'The private key cannot be read'),
  too_many_imports: row(422, FAILED, 'Too many names in this file for so many servers: import in parts'),
  too_many_streams: row(429, 4008, 'Too many event streams of one user'),
  ssh_disabled: row(403, 4003, 'SSH is disabled for this server'),

  quick_connect_disabled: row(403, 4003, 'Quick connect is switched off'),
  target_not_allowed: row(403, 4003, 'This address is not among those that quick connect may go to'),
  quick_host_key_not_found: row(404, GONE, 'No such pinned key'),
  too_many_sessions: row(429, 4008, 'Too many terminals of this user'),
  terminal_full: row(429, 4008, 'No more than 50 people in one terminal'),
  share_not_found: row(404, GONE, 'There is no such share, or it has ended'),
  not_session_owner: row(403, 4001, 'Only whose session it is may share it'),
  share_ended: row(409, 4009, 'The share has ended'),
  terminal_taken_over: row(409, 4009, 'The terminal goes on elsewhere'),
  idle_timeout: row(408, 4010, 'Nothing happened for too long'),
  instance_unreachable: row(502, 1013, 'The instance that holds the terminal does not answer'),

  recording_not_found: row(404, GONE, 'Recording not found'),
  recording_file_missing: row(404, GONE, 'The file of this recording is not there'),
  recording_in_progress: row(409, FAILED, 'It is still being recorded'),
  recording_failed: row(500, FAILED, 'The recording cannot be written'),
  snippet_not_found: row(404, GONE, 'Snippet not found'),
  too_many_snippets: row(409, FAILED, 'No more than 1,000 snippets for each user'),

  webhook_not_found: row(404, GONE, 'Webhook not found'),
  delivery_not_found: row(404, GONE, 'Delivery not found'),
  too_many_webhooks: row(409, FAILED, 'No more than 100 webhooks'),
  webhook_url_refused: row(422, FAILED, 'A webhook goes to https, and to no private address'),
  config_locked: row(403, FAILED, 'The settings are locked (SERVICE_CONFIG_LOCKED)'),
  image_unreadable: row(422, FAILED, 'This is no image that can be read (PNG, JPEG, WebP or GIF)'),
  image_not_found: row(404, GONE, 'There is no such image'),
  backup_unreadable: row(422, FAILED, 'This is no bundle of this gateway, or it is damaged'),
  backup_too_new: row(422, FAILED, 'The bundle was made by a newer version'),
  backup_passphrase: row(400, FAILED, 'The passphrase is wrong, or the bundle was changed'),
  backup_too_large: row(413, FAILED, 'The backup is too large'),
  backup_busy: row(429, FAILED, 'Another backup is being made or restored'),
  backup_overtaken: row(409, FAILED, 'What is here was changed meanwhile: try again'),

  sftp_disabled: row(403, FAILED, 'SFTP is disabled for this server'),
  sftp_read_only: row(403, FAILED, 'This server is read-only'),
  path_outside_allowed: row(403, FAILED, 'Path is outside the allowed directories'),
  invalid_path: row(400, FAILED, 'Path must be absolute text without NUL'),
  invalid_query: row(400, 1008, 'What is escaped in the query is not UTF-8'),
  unaddressable_name: row(400, FAILED, 'This name is not valid UTF-8 and cannot be addressed'),
  file_not_found: row(404, FAILED, 'No such file or directory'),
  permission_denied: row(403, FAILED, 'Permission denied by the server'),
  not_a_directory: row(409, FAILED, 'Not a directory'),
  not_a_file: row(409, FAILED, 'Not a regular file'),
  already_exists: row(409, FAILED, 'There is something of this name already'),
  into_itself: row(409, FAILED, 'A directory cannot be put into itself'),
  invalid_name: row(400, FAILED, 'A file name must not be empty, `.` or `..`, nor hold `/` or NUL'),
  name_too_long: row(400, FAILED, 'The host does not take a name as long as this'),
  invalid_mode: row(400, FAILED, 'A mode is three or four octal digits'),
  stale_etag: row(412, FAILED, 'The file was changed meanwhile'),
  upload_too_large: row(413, FAILED, 'The upload is larger than SERVICE_MAX_UPLOAD_SIZE allows'),
  remote_disk_full: row(507, FAILED, 'The disk of the host is full'),
  bad_multipart: row(400, FAILED, 'The body is not multipart/form-data with a file, or was broken off'),
  upload_not_found: row(404, GONE, 'Upload not found'),
  upload_expired: row(410, GONE, 'The upload has expired'),
  upload_offset: row(409, FAILED, 'The offset is not where the upload stands'),
  too_many_downloads: row(429, 4008, 'No more than 100 downloads at once for each user'),
  too_many_texts: row(429, 4008, 'Too many recordings are being turned into text'),
  too_many_uploads: row(429, 4008, 'No more than 500 unfinished uploads for each user'),
  upload_busy: row(423, FAILED, 'The upload is being written to already'),
  upload_content_type: row(415, FAILED, 'A part is sent as application/offset+octet-stream'),
  tus_version: row(412, FAILED, 'This gateway speaks version 1.0.0 of tus'),
  file_busy: row(423, FAILED, 'Somebody else is saving this file just now'),
  host_busy: row(503, FAILED, 'Too many connections to this host at once'),
  file_too_large: row(413, FAILED, 'The file is too large for the text editor (8 MiB)'),
  not_text: row(415, FAILED, 'The file is not UTF-8 text'),
  range_not_satisfiable: row(416, FAILED, 'Range not satisfiable'),

  host_unreachable: row(502, FAILED, 'Cannot reach the host'),
  host_auth_failed: row(502, FAILED, 'The host refused the credentials'),
  host_key_changed: row(502, FAILED, 'The host key has changed'),
  ssh_protocol: row(502, FAILED, 'The host does not speak SSH as expected'),
  host_disconnected: row(502, FAILED, 'The connection to the host was lost'),
  sftp_failed: row(502, FAILED, 'The SFTP server reported a failure'),
  sftp_unavailable: row(502, FAILED, 'The host offers no SFTP subsystem'),
  shell_refused: row(502, FAILED, 'The host refused to open a shell'),
  credential_unreadable: row(502, FAILED, 'A stored credential cannot be decrypted'),
  interaction_required: row(502, FAILED, 'The host asks for what only a person can answer'),
  credentials_required: row(409, FAILED, 'User name and password of this server are typed at connect'),
  connect_timeout: row(504, FAILED, 'Connecting to the host timed out'),
  operation_timeout: row(504, FAILED, 'The host did not answer in time'),

  terminal_ended: row(409, 4009, 'The terminal was ended'),
  transfer_ended: row(409, 4009, 'The transfer was ended'), // whoever asks again is told what holds now
  overloaded: row(503, FAILED, 'Too many sign-ins at once'),
  worker_unreachable: row(502, FAILED, 'The worker cannot be reached'),
  worker_timeout: row(504, FAILED, 'The worker did not answer in time'),
  shutting_down: row(503, 1012, 'The gateway is shutting down'),
  database_unavailable: row(503, FAILED, 'The database does not answer'),
  database_full: row(507, FAILED, 'The disk of the database is full'),
  internal: row(500, FAILED, 'Internal error'),
} as const satisfies Record<string, { status: number; close: number; detail: string }>;

export type FaultCode = keyof typeof FAULTS;

/** Where a connection attempt failed (contract 5); `sftp` and `shell` come after authentication. */
export type Stage = 'resolve' | 'tcp' | 'handshake' | 'host_key' | 'auth' | 'sftp' | 'shell';

export interface FieldError {
  readonly path: string;
  readonly message: string;
}

export interface FaultOptions {
  readonly cause?: unknown;
  readonly stage?: Stage;
  /** Name of the server at which a chain of hops failed. */
  readonly hop?: string;
  /** Seconds until the caller may try again. */
  readonly retry_after?: number;
  readonly errors?: readonly FieldError[];
}

/** The only error that reaches a client with its text; `detail` never contains the cause. */
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
    return FAULTS[this.code].close;
  }
}

/** The database cannot take writes now, but may later. */
export function isDatabaseDown(error: unknown): boolean {
  return error instanceof Fault && (error.code === 'database_unavailable' || error.code === 'database_full');
}

/** The fault itself, or `internal` around anything unexpected. */
export function toFault(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault('internal', undefined, { cause: error });
}
