import type { FaultCode } from '#core/errors.ts';

/** What may go wrong on the way to a host: its jump hosts, its key, its login. */
export const REACH_REFUSALS = [
  'credentials_required',
  'server_changed',
  'jump_cycle',
  'jump_too_deep',
  'jump_host_unknown',
  'unreadable_private_key',
  'too_many_key_jobs',
  'host_busy',
  'host_unreachable',
  'host_auth_failed',
  'host_key_changed',
  'host_key_revoked',
  'ssh_protocol',
  'host_disconnected',
  'credential_unreadable',
  'interaction_required',
  'connect_timeout',
  'operation_timeout',
] as const satisfies readonly FaultCode[];
