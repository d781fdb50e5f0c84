import type { ClientError } from '../transport/client-error.ts';

// 401 may succeed with a fresh token; without one, the page asks to sign in and stops all this.
const PASSING_STATUSES: ReadonlySet<number> = new Set([0, 401, 408, 423, 425, 429, 500, 502, 503, 504]);
// Retryable statuses with a permanent reason.
const LASTING_CODES: ReadonlySet<string> = new Set([
  'credential_unreadable',
  'host_auth_failed',
  'host_key_changed',
  'host_key_revoked',
  'interaction_required',
  'login_disabled',
  'password_expired',
  'restricted_shell',
  'sftp_refused',
  'sftp_unavailable',
  'ssh_protocol',
  'startup_output',
  'too_many_uploads',
]);

/** Whether the same attempt of a transfer may succeed later. */
export function isPassing({ status, code }: ClientError): boolean {
  return code === 'upload_offset' || (PASSING_STATUSES.has(status) && !LASTING_CODES.has(code));
}
